"""Who is there: misses, absence, the pause, coming back, resigning, votes on who is late, and bots that stand in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbem.services.lobby import matches
from pbem.services.log import store
from pbem.services.play import bots, presence, stand_ins, timeouts, voting
from pbem.services.tokens import PlayClaim
from tests.harness.undrawn import replace_pictures
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, claim_of


def tell(house: House, told: Chronicle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        _tell_absence(house, told)
        _tell_pause(house, told)
        _tell_resigning(house, told)
        _tell_votes(house, told)
        _stand_ins(house, told)
        _tell_before_start(house, told)


def _sweep(house: House) -> Callable[[], int]:
    return lambda: timeouts.sweep_deadlines(house.site)


def _one_second_before(house: House, match_id: str) -> None:
    """Moves the clock to the second before it acts for the first open question, once the mails have left."""
    house.follow_orders()
    house.drain()
    with house.site.reading() as session:
        acts = [ask.acts_at for ask in store.open_asks(session, match_id) if ask.acts_at is not None]
    house.clock.at = max(house.clock.at, min(acts) - timedelta(seconds=1))


def _who_is_asked(house: House, match_id: str) -> int:
    return house.asks(match_id)[0].seat


def _tell_absence(house: House, told: Chronicle) -> None:
    told.part("misses and absence")
    site = house.site
    match_id = house.begin(2, "niigata")
    first = _who_is_asked(house, match_id)
    late = claim_of(site, match_id, first)
    _one_second_before(house, match_id)
    told.skip()
    told.do("a second before it acts, the clock waits", _sweep(house))
    house.clock.forward(seconds=1)
    told.do("a first miss", _sweep(house))
    told.do("they come back, though they were not away", lambda: presence.end_own_absence(site, late))
    told.do("once more", lambda: presence.end_own_absence(site, late))
    for _ in range(30):
        if house.view(match_id, None).sheet.seats[first].absent:
            break
        if _who_is_asked(house, match_id) != first:
            house.play(match_id, _who_is_asked(house, match_id))
            continue
        _one_second_before(house, match_id)
        house.clock.forward(seconds=1)
        told.skip()
        told.do("another miss", _sweep(house))
    _others_play(house, match_id, first)
    told.skip()
    told.do("for whoever is absent the clock plays at once", _sweep(house))
    told.do("they come back", lambda: presence.end_own_absence(site, late))
    told.do("a stranger's link", lambda: presence.end_own_absence(site, PlayClaim(match_id, first, 7)))
    told.do("another seat", lambda: presence.end_own_absence(site, PlayClaim(match_id, 9, 0)))
    _over(house, match_id)


def _others_play(house: House, match_id: str, absent: int) -> None:
    """Plays until the absent seat is asked."""
    while (seat := _who_is_asked(house, match_id)) != absent:
        house.play(match_id, seat)


def _over(house: House, match_id: str) -> None:
    """Ends the match, so that nothing of it is told any more."""
    for seat in range(len(house.view(match_id, None).sheet.seats)):
        if house.view(match_id, None).sheet.status == "running":
            presence.resign(house.site, claim_of(house.site, match_id, seat))
    house.drain()


def _leave(house: House, match_id: str) -> None:
    """Lets the clock run until the match is paused."""
    for _ in range(20):
        if house.view(match_id, None).sheet.status != "running":
            return
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    raise AssertionError("somebody is still there")


def _tell_pause(house: House, told: Chronicle) -> None:
    told.part("the pause")
    site = house.site
    match_id = house.begin(3, "hogen")
    house.time_is_up(match_id)
    told.skip()
    told.do("all miss their first question", _sweep(house))
    house.time_is_up(match_id)
    told.skip()
    told.do("and the second", _sweep(house))
    _leave(house, match_id)
    told.skip()
    house.clock.forward(days=3)
    told.do("nothing goes on", _sweep(house))
    told.do("Carol is back", lambda: presence.end_own_absence(site, claim_of(site, match_id, 2)))
    told.do("for the others the clock plays", _sweep(house))
    told.do("Bob resigns", lambda: presence.resign(site, claim_of(site, match_id, 1)))
    told.do("once more", lambda: presence.resign(site, claim_of(site, match_id, 1)))
    told.do("who has resigned does not come back", lambda: presence.end_own_absence(site, claim_of(site, match_id, 1)))
    _leave(house, match_id)
    told.skip()
    house.clock.at = house.clock.at + timedelta(days=30, seconds=-1)
    told.do("a second before thirty days are over", lambda: timeouts.cancel_lapsed_matches(site))
    house.clock.forward(hours=1)
    told.do("it is abandoned", lambda: timeouts.cancel_lapsed_matches(site))
    told.do("and over", lambda: presence.end_own_absence(site, claim_of(site, match_id, 0)))
    told.do("Alice resigns too late", lambda: presence.resign(site, claim_of(site, match_id, 0)))


def _tell_resigning(house: House, told: Chronicle) -> None:
    told.part("resigning")
    site = house.site
    match_id = house.begin(3, "hogen")
    house.drain()
    told.skip()
    told.do("Alice resigns", lambda: presence.resign(site, claim_of(site, match_id, 0)))
    told.do("the clock plays for Alice", _sweep(house))
    told.do("Bob, too, so that the match is over", lambda: presence.resign(site, claim_of(site, match_id, 1)))
    told.do("again, though it is over", lambda: presence.resign(site, claim_of(site, match_id, 1)))
    told.do("Carol resigns too late", lambda: presence.resign(site, claim_of(site, match_id, 2)))


def _tell_votes(house: House, told: Chronicle) -> None:
    told.part("votes")
    site = house.site

    def vote(match_id: str, voter: int, late: int = 0) -> Callable[[], bool]:
        return lambda: voting.vote_to_let_clock_move(site, claim_of(site, match_id, voter), late)

    match_id = house.begin(4, late="vote")
    told.do("too early", vote(match_id, 1))
    for seat in range(1, 4):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    told.skip()
    told.do("Alice is late, and put to the vote", _sweep(house))
    told.do("which is done once", _sweep(house))
    told.do("Bob votes", vote(match_id, 1))
    told.do("once more", vote(match_id, 1))
    told.do("Alice has no vote", vote(match_id, 0))
    told.do("nobody is asked there", vote(match_id, 1, 9))
    house.clock.forward(hours=1)
    told.do("Dave decides it", vote(match_id, 3))
    told.do("Carol is too late", vote(match_id, 2))
    _over(house, match_id)
    match_id = house.begin(3, late="vote")
    house.time_is_up(match_id)
    told.skip()
    told.do("all are late: nobody can vote", _sweep(house))
    _over(house, match_id)
    match_id = house.begin(3, late="vote")
    for seat in (1, 2):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    _sweep(house)()
    vote(match_id, 1)()
    told.skip()
    told.do("Alice answers after all, which voids the vote", lambda: house.play(match_id, 0).version)
    _over(house, match_id)
    match_id = house.begin(3, late="vote")
    for seat in (1, 2):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    _sweep(house)()
    vote(match_id, 2)()
    house.clock.at += timedelta(days=30, seconds=-1)
    told.skip()
    told.do("a second before thirty days have passed", _sweep(house))
    house.clock.forward(seconds=1)
    told.do("the clock moves without a decision", _sweep(house))
    _over(house, match_id)
    match_id = house.begin(4, late="vote")
    for seat in range(1, 4):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    _sweep(house)()
    vote(match_id, 1)()
    told.skip()
    told.do("Carol resigns: one vote less is needed", lambda: presence.resign(site, claim_of(site, match_id, 2)))
    told.do("one of two is not more than half", _sweep(house))
    told.do("nor is nobody", lambda: presence.resign(site, claim_of(site, match_id, 1)))
    told.do("Dave alone decides", vote(match_id, 3))
    _over(house, match_id)


def _stand_ins(house: House, told: Chronicle) -> None:
    told.part("bots that stand in")
    site = house.site
    match_id = house.begin(2, "niigata")
    first = _who_is_asked(house, match_id)
    claim = claim_of(site, match_id, first)

    def choose(bot: str, **more: str) -> Callable[[], None]:
        return lambda: stand_ins.choose_stand_in(site, claim, bot, **more)

    told.skip()
    told.do("nobody yet", lambda: stand_ins.read_stand_in(site, claim))
    told.do("no such bot", choose("nobody"))
    told.do("a good one", choose("greedy"))
    told.do("the same again", choose("greedy"))
    told.do("it was another", choose("random", was=""))
    told.do("it was that one", choose("random", was="greedy"))
    told.do("none", choose("", was="random"))
    told.do("as read", lambda: stand_ins.read_stand_in(site, claim))
    choose("greedy")()
    told.do("chosen", lambda: stand_ins.read_stand_in(site, claim))
    for _ in range(40):
        if house.view(match_id, None).sheet.seats[first].absent:
            break
        if _who_is_asked(house, match_id) != first:
            house.play(match_id, _who_is_asked(house, match_id))
            continue
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(site)
    _others_play(house, match_id, first)
    told.skip()
    told.do("it plays for them at once", _sweep(house))
    _others_play(house, match_id, first)
    told.skip()
    told.do("another one is to play", choose("random"))
    told.do("and does", _sweep(house))
    _others_play(house, match_id, first)
    choose("easy")()
    told.skip()
    told.do("one that thinks is asked", _sweep(house))
    told.do("it must think", lambda: bots.is_any_thinker_asked(site))
    told.do("it is changed for another that thinks", choose("fair"))
    told.do("and for one that does not", choose("greedy"))
    choose("easy")()
    _sweep(house)()
    house.clock.at += timedelta(minutes=10, seconds=-1)
    told.skip()
    told.do("the sweep waits for almost ten minutes", _sweep(house))
    house.clock.forward(seconds=1)
    told.do("and while it is claimed", _sweep(house))
    house.clock.forward(seconds=1)
    told.do("then the clock plays", _sweep(house))
    _others_play(house, match_id, first)
    told.skip()
    told.do("for the next question it is asked anew", _sweep(house))
    told.do("they are back, and asked themselves", lambda: presence.end_own_absence(site, claim))
    told.do("no bot has a question of its own", lambda: (bots.play_quick_bots(site), bots.play_thinkers(site)))
    told.do("whoever has resigned", lambda: presence.resign(site, claim_of(site, match_id, first)))
    told.do("chooses none", choose("random"))


def _tell_before_start(house: House, told: Chronicle) -> None:
    told.part("matches that are not being played")
    site = house.site
    match_id = house.create(3)
    matches.confirm_match(site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    told.skip()
    told.do("nobody comes back", lambda: presence.end_own_absence(site, claim_of(site, match_id, 0)))
    told.do("nobody resigns", lambda: presence.resign(site, claim_of(site, match_id, 0)))
    told.do("Alice chooses a bot", lambda: stand_ins.choose_stand_in(site, claim_of(site, match_id, 0), "greedy"))
    told.do("who is invited", lambda: stand_ins.read_stand_in(site, house.claim("play", match_id, 1)))
    house.clock.forward(days=13, hours=23, minutes=59, seconds=59)
    told.do("a second before it lapses", lambda: timeouts.cancel_lapsed_matches(site))
    house.clock.forward(seconds=1)
    told.do("it lapses", lambda: timeouts.cancel_lapsed_matches(site))
    told.do("and is over", lambda: stand_ins.choose_stand_in(site, claim_of(site, match_id, 0), "random"))
