"""A table that waits for who is late, until more than half of the other people let the clock play."""

from functools import partial

import pytest

from pbem.errors import Gone, Invalid
from pbem.models.tables import SeatRow
from pbem.services import clocks, presence, voting
from pbem.services.matches import BotSeat, Invitee, NewMatch, confirm, create
from pbem.services.views import OpenAsk
from tests.services.test_races import at_once
from tests.table import House, address_of


def late_table(house: House, seats: int = 4) -> tuple[str, int]:
    """A match of four that votes, and the seat whose grace is over."""
    match_id = house.begin(seats, late="vote")
    for seat in range(1, seats):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    assert clocks.sweep_deadlines(house.site) == 0
    return match_id, 0


def open_to(house: House, match_id: str, seat: int) -> OpenAsk | None:
    """The seat's open question."""
    return next((ask for ask in house.asked(match_id) if ask.seat == seat), None)


def test_the_clock_waits_for_more_than_half_of_the_others(house: House) -> None:
    match_id, late = late_table(house)
    house.clock.forward(days=9)
    assert clocks.sweep_deadlines(house.site) == 0
    assert voting.vote(house.site, match_id, 1, late) is False
    assert voting.vote(house.site, match_id, 1, late) is False
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.vote is not None
    assert (ask.vote.voters, ask.vote.cast, ask.vote.needed) == ((1, 2, 3), (1,), 2)
    assert voting.vote(house.site, match_id, 3, late) is True
    clock = [e for e in house.view(match_id, None).entries if e.by.clock == late]
    assert {e.key for e in clock} == {ask.key}
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, late)).misses == 1
    with pytest.raises(Gone):
        voting.vote(house.site, match_id, 2, late)


def test_who_is_late_may_still_answer_until_the_vote_is_over(house: House) -> None:
    match_id, late = late_table(house)
    voting.vote(house.site, match_id, 1, late)
    house.play(match_id, late)
    assert not [e for e in house.view(match_id, None).entries if e.by.clock == late]


def test_nobody_votes_on_himself_or_before_the_time_is_up(house: House) -> None:
    match_id = house.begin(4, late="vote")
    with pytest.raises(Gone):
        voting.vote(house.site, match_id, 1, 0)
    house.time_is_up(match_id)
    clocks.sweep_deadlines(house.site)
    for voter in (0, 7):
        with pytest.raises(Gone):
            voting.vote(house.site, match_id, voter, 0)


def test_one_voter_less_may_decide_the_vote(house: House) -> None:
    match_id, late = late_table(house)
    voting.vote(house.site, match_id, 1, late)
    presence.resign(house.site, match_id, 2)
    assert clocks.sweep_deadlines(house.site) == 0, "one of two is not more than half"
    presence.resign(house.site, match_id, 3)
    assert clocks.sweep_deadlines(house.site) > 0
    ask = open_to(house, match_id, late)
    assert ask is None or ask.key != f"t0.ally{late}"


def test_where_nobody_else_can_vote_the_clock_plays(house: House) -> None:
    who = Invitee("Alice", address_of("Alice"))
    match_id = create(house.site, NewMatch("hogen", [who, BotSeat("random"), BotSeat("random")], late="vote"))
    confirm(house.site, house.token("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    house.clock.forward(days=4)
    assert clocks.sweep_deadlines(house.site) == 3


def test_for_an_absent_seat_no_vote_is_taken(house: House) -> None:
    match_id = house.begin(4, late="vote")
    presence.resign(house.site, match_id, 0)
    assert clocks.sweep_deadlines(house.site) == 1


def test_votes_at_once_let_the_clock_play_once(house: House) -> None:
    for _ in range(3):
        match_id, late = late_table(house)
        results = at_once(*(partial(voting.vote, house.site, match_id, voter, late) for voter in (1, 2, 3)))
        assert [result for result in results if result is True] == [True]
        entries = house.view(match_id, None).entries
        assert len([e for e in entries if e.key == f"t0.ally{late}" and type(e.event).__name__ == "AllyChosen"]) == 1


def test_a_move_against_the_last_vote_goes_in_once(house: House) -> None:
    for _ in range(3):
        match_id, late = late_table(house)
        voting.vote(house.site, match_id, 1, late)
        at_once(partial(voting.vote, house.site, match_id, 2, late), partial(house.play, match_id, late))
        entries = house.view(match_id, None).entries
        assert len([e for e in entries if e.key == f"t0.ally{late}" and type(e.event).__name__ == "AllyChosen"]) == 1


def test_a_table_has_one_of_the_known_rules_for_who_is_late(house: House) -> None:
    with pytest.raises(Invalid, match="vote"):
        house.create(late="never")
