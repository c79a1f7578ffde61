"""Moves that are taken back, at once or with consent, and seats that are taken over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from pbem.services.lobby.match_request import Invitee
from pbem.services.log import store
from pbem.services.play import presence, substitutes, takeback, timeouts, voting
from pbem.services.play.presence import mark_entries_seen
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import match_views
from tests.harness.undrawn import replace_pictures
from tests.services.chronicles.chronicle import Chronicle
from tests.services.play.stage.substitutes import players_id, token_of_offer
from tests.services.play.stage.takeback import first_seat_asked, match_with_reply, reversible_of_seat, version_of_match
from tests.table import House, address_of, claim_of

SETTINGS = {"mail_hold_s": 60}


def tell(house: House, told: Chronicle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        _at_once(house, told)
        _tell_consent(house, told)
        _what_is_seen(house, told)
        _tell_substitutes(house, told)
        _once_left(house, told)


def _take(house: House, match_id: str, seat: int, to: int) -> Callable[[], Any]:
    return lambda: takeback.take_back(house.site, claim_of(house.site, match_id, seat), to)


def _facts(house: House, match_id: str, seat: int) -> Callable[[], Any]:
    return lambda: takeback.read_takeback(house.site, claim_of(house.site, match_id, seat))


def _agree(house: House, match_id: str, seat: int, to: int, agree: bool = True) -> Callable[[], Any]:
    return lambda: takeback.answer_takeback_request(house.site, claim_of(house.site, match_id, seat), to, agree=agree)


def _at_once(house: House, told: Chronicle) -> None:
    told.part("at once")
    match_id = house.begin(3, "hogen")
    told.skip()
    told.do("nothing to take back", _facts(house, match_id, 0))
    told.do("nothing is taken back", _take(house, match_id, 0, 1))
    told.do("Alice plays", lambda: house.play(match_id, 0).version)
    told.do("it is held", _facts(house, match_id, 0))
    told.do("from there it does not begin", _take(house, match_id, 0, 0))
    told.do("it is taken back", _take(house, match_id, 0, 1))
    told.do("once more", _take(house, match_id, 0, 1))
    told.do("Alice plays again", lambda: house.play(match_id, 0, 1).version)
    house.clock.at += timedelta(seconds=house.site.config.mail_hold_s - 1)
    told.do("held for a second", _facts(house, match_id, 0))
    house.clock.forward(seconds=1)
    told.do("held no longer", _facts(house, match_id, 0))
    told.do("free all the same", _take(house, match_id, 0, version_of_match(house, match_id) - 1))


def _tell_consent(house: House, told: Chronicle) -> None:
    told.part("with consent")
    site = house.site
    match_id, mover, to = match_with_reply(house)
    others = [seat for seat in range(3) if seat != mover]
    house.clock.forward(minutes=2)
    house.drain()
    told.skip()
    told.do("others have played", _facts(house, match_id, mover))
    told.do("nobody has been asked", _agree(house, match_id, others[0], to))
    told.do("the others are asked", _take(house, match_id, mover, to))
    told.do("asked again", _take(house, match_id, mover, to))
    told.do("another wants to take back, too", _facts(house, match_id, others[0]))
    told.do("one does not ask oneself", _agree(house, match_id, mover, to))
    told.do("another request", _agree(house, match_id, others[0], to + 1))
    told.do("one agrees", _agree(house, match_id, others[0], to))
    told.do("and once more", _agree(house, match_id, others[0], to))
    told.do("withdrawn by others", lambda: takeback.withdraw_request(site, claim_of(site, match_id, others[0])))
    told.do("the last one agrees", _agree(house, match_id, others[1], to))
    house.clock.forward(minutes=2)
    told.do("the mails leave", house.drain)
    match_id, mover, to = match_with_reply(house)
    others = [seat for seat in range(3) if seat != mover]
    _take(house, match_id, mover, to)()
    told.skip()
    told.do("one declines", _agree(house, match_id, others[1], to, agree=False))
    told.do("asked before", _facts(house, match_id, mover))
    told.do("so it cannot be asked again", _take(house, match_id, mover, to))
    match_id, mover, to = match_with_reply(house)
    _take(house, match_id, mover, to)()
    told.skip()
    told.do("withdrawn", lambda: takeback.withdraw_request(site, claim_of(site, match_id, mover)))
    told.do("withdrawn again", lambda: takeback.withdraw_request(site, claim_of(site, match_id, mover)))
    told.do("the page", lambda: takeback.read_seat_page(site, claim_of(site, match_id, mover))[3])
    match_id, mover, to = match_with_reply(house)
    others = [seat for seat in range(3) if seat != mover]
    _take(house, match_id, mover, to)()
    told.skip()
    told.do(
        "somebody plays, which ends the request",
        lambda: house.play(match_id, first_seat_asked(house, match_id)).version,
    )
    told.do("it is open no more", _agree(house, match_id, others[0], to))
    for seat in others:
        presence.resign(site, claim_of(site, match_id, seat))
    told.skip()
    told.do("over", _take(house, match_id, mover, to))
    told.do("nothing can be read", _facts(house, match_id, mover))


def _what_is_seen(house: House, told: Chronicle) -> None:
    told.part("what has been seen")
    match_id = house.begin(2, "niigata")
    claim = claim_of(house.site, match_id, 1)
    told.skip()
    for upto in (-1, 0, 1, 2, 3, 1):
        told.do(f"up to {upto}", partial(mark_entries_seen, house.site, claim, upto))
    assert reversible_of_seat(house, match_id, 1).state == "no"
    presence.resign(house.site, claim)


def _tell_substitutes(house: House, told: Chronicle) -> None:
    told.part("a seat that was left")
    site = house.site
    match_id = house.begin(4, "hogen", late="vote")

    def sheet(viewer: int | None) -> match_views.Sheet:
        return match_views.read_sheet(site, match_id, viewer)

    def ask(name: str, as_whom: str | None = None) -> Callable[[], Any]:
        who = Invitee(name, address_of(as_whom or name))
        return lambda: substitutes.ask_for_seat(site, claim, who, "en", "Europe/Berlin")

    told.skip()
    told.do("nobody has left", lambda: substitutes.substitute_links_by_seat(site, sheet(0), 0))
    presence.resign(site, claim_of(site, match_id, 1))
    house.drain()
    told.skip()
    for viewer in (0, 1, None):
        told.do(f"links for {viewer}", partial(substitutes.substitute_links_by_seat, site, sheet(viewer), viewer))
    away_n = version_of_match(house, match_id)
    claim = VacancyClaim(match_id, 1, away_n)
    told.do("its state", lambda: substitutes.read_vacancy(site, claim).how)
    told.do("left at another time", lambda: substitutes.read_vacancy(site, VacancyClaim(match_id, 1, 1)).how)
    told.do("no such seat", lambda: substitutes.read_vacancy(site, VacancyClaim(match_id, 9, away_n)))
    told.do(
        "asking for no such seat", lambda: substitutes.take_seat_at_once(site, VacancyClaim(match_id, 9, 1), 1, "X")
    )
    told.do("Charlie asks", ask("Charlie"))
    told.do("and again", ask("Charlie"))
    house.clock.forward(minutes=10)
    told.do("under another name, ten minutes later", ask("Karl", "Charlie"))
    told.do("by the name of a player", ask("Alice", "Charlie"))
    told.do("Fanny asks", ask("Fanny"))
    told.do("the mails leave", house.drain)
    charlie, fanny = (house.tokens.read(OfferClaim, token_of_offer(house, name)) for name in ("Charlie", "Fanny"))
    told.do("the offer", lambda: _what_is_told(substitutes.read_offer(site, charlie)))
    told.do("its language and zone", lambda: substitutes.language_and_zone(site, charlie))
    told.do("an unknown zone", lambda: substitutes.accept_offer(site, charlie, "en", "Nowhere"))
    told.do("Charlie accepts", lambda: substitutes.accept_offer(site, charlie, "en", "Europe/Berlin"))
    told.do("once more", lambda: substitutes.accept_offer(site, charlie, "en", "Europe/Berlin"))
    told.do("Fanny is too late", lambda: substitutes.accept_offer(site, fanny, "en", "Europe/Berlin"))
    told.do("Charlie's offer", lambda: _what_is_told(substitutes.read_offer(site, charlie)))
    told.do("Fanny's offer", lambda: _what_is_told(substitutes.read_offer(site, fanny)))
    told.do("the state of the link", lambda: substitutes.read_vacancy(site, claim).how)
    told.do("asking too late", ask("Maximilienne"))
    told.do("the mails of the newcomer", house.drain)


def _what_is_told(vacancy: Any) -> dict[str, Any]:
    return {
        name: getattr(vacancy, name)
        for name in ("seat", "how", "name", "language", "zone", "verified")
        if hasattr(vacancy, name)
    }


def _once_left(house: House, told: Chronicle) -> None:
    told.part("players who sit down at once")
    site = house.site
    match_id = house.begin(4, "hogen", late="vote", bank_s=9000)
    for seat in (0, 2, 3):
        house.play(match_id, seat)
    house.clock.forward(minutes=2)  # no mail is held any more
    house.time_is_up(match_id)

    timeouts.sweep_deadlines(site)
    voting.vote_to_let_clock_move(site, claim_of(site, match_id, 0), 1)
    presence.resign(site, claim_of(site, match_id, 1))
    presence.resign(site, claim_of(site, match_id, 2))
    with site.reading() as session:
        left = {seat.seat: seat.away_n for seat in store.seats_of(session, match_id) if seat.away_n is not None}
    claims = {seat: VacancyClaim(match_id, seat, n) for seat, n in left.items()}
    told.skip()

    def sit(name: str, seat: int, called: str | None = None) -> Callable[[], Any]:
        player = players_id(house, name)
        told.skip()
        return lambda: substitutes.take_seat_at_once(site, claims[seat], player, called or name)

    told.do("their own seat", sit("Bob", 1))
    told.do("a player of the table", sit("Alice", 1))
    told.do("a player who has left another seat", sit("Carol", 1))
    told.do("by the name of somebody else", sit("Fanny", 1, "Dave"))
    told.do("without a name", sit("Fanny", 1, " "))
    told.do("Fanny sits down", sit("Fanny", 1))
    told.do("once more", sit("Fanny", 1))
    told.do("Maximilienne is too late", sit("Maximilienne", 1))
    told.do("Bob has sat on another seat", sit("Bob", 2))
    told.do("Maximilienne takes the other", sit("Maximilienne", 2))
    presence.resign(site, claim_of(site, match_id, 0))
    presence.resign(site, claim_of(site, match_id, 3))
    presence.resign(site, claim_of(site, match_id, 2))
    told.skip()
    told.do("over", lambda: substitutes.read_vacancy(site, claims[2]).how)
    told.do("so that nobody sits down", sit("Charlie", 2))
