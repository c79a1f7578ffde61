"""Races of orders, with real threads: each question is answered once, and no order that was acknowledged is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from pbem.errors import Answered, Problem, Stale
from pbem.services.play import moves, ordering, presence, timeouts
from tests.services.play.stage.races import ROUNDS, at_once, job_that_answers
from tests.table import House, claim_of

NONE = "always nobori: none"


def fresh_matches(house: House) -> Iterator[tuple[str, int, int]]:
    """Yields fresh matches of Hagakure: the match, the seat that is asked, and the one that is asked next."""
    for _ in range(ROUNDS):
        match_id = house.begin(3, "hagakure")
        first = house.asks(match_id)[0].seat
        yield match_id, first, (first + 1) % 3


def job_that_saves(house: House, match_id: str, seat: int, *said: str) -> Callable[[], object]:
    """Returns a job that saves these orders at today's version."""
    claim, version = claim_of(house.site, match_id, seat), house.view(match_id, seat).sheet.version
    return lambda: ordering.save_orders(house.site, claim, version, said, "api")


def check_answered_once(house: House, match_id: str) -> None:
    """Fails if the log holds two answers to one question."""
    entries = house.view(match_id, None).entries
    keys = [entry.key for entry in entries if entry.key is not None]
    first = [key for at, key in enumerate(keys) if at == 0 or keys[at - 1] != key]
    assert len(first) == len(set(first))
    assert [entry.n for entry in entries] == [*range(1, len(entries) + 1)]


@pytest.mark.long
def test_an_order_saved_while_its_question_opens_is_refused_or_answers(house: House) -> None:
    for match_id, first, following in fresh_matches(house):
        move, saved = at_once(
            job_that_answers(house, match_id, first, 0), job_that_saves(house, match_id, following, NONE)
        )
        assert isinstance(move, moves.Receipt)
        house.follow_orders()
        open_now = {ask.seat for ask in house.asks(match_id)}
        if isinstance(saved, Stale):
            assert following in open_now
        else:
            assert isinstance(saved, ordering.Ordered)
            assert following not in open_now, "an order that was acknowledged has answered"
        check_answered_once(house, match_id)


@pytest.mark.long
def test_of_an_order_and_its_owners_move_at_once_only_one_answers(house: House) -> None:
    for match_id, first, _ in fresh_matches(house):
        hand, saved = at_once(job_that_answers(house, match_id, first, 1), job_that_saves(house, match_id, first, NONE))
        if isinstance(hand, moves.Receipt):
            assert isinstance(saved, Stale)
        else:
            assert isinstance(hand, Answered)
            assert isinstance(saved, ordering.Ordered)
            assert saved.answered == 1
        check_answered_once(house, match_id)


@pytest.mark.long
def test_of_an_order_and_the_clock_at_once_one_answers(house: House) -> None:
    for match_id, first, _ in fresh_matches(house):
        ask = house.asks(match_id)[0]
        house.time_is_up(match_id)
        expire = partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, first)
        saved, clock = at_once(job_that_saves(house, match_id, first, NONE), expire)
        assert isinstance(saved, ordering.Ordered) != bool(clock)
        check_answered_once(house, match_id)


@pytest.mark.long
def test_two_simultaneous_saves_of_orders_do_not_mix(house: House) -> None:
    for match_id, _, following in fresh_matches(house):
        one, other = (job_that_saves(house, match_id, following, text) for text in (NONE, "lowest"))
        results = at_once(one, other)
        assert all(isinstance(result, ordering.Ordered) for result in results)
        now = ordering.read_orders(house.site, claim_of(house.site, match_id, following)).orders
        assert now in [result.orders for result in results if isinstance(result, ordering.Ordered)]
        assert len(now) == 1


@pytest.mark.long
def test_orders_that_are_saved_while_their_owner_resigns_answer_nothing(house: House) -> None:
    for match_id, first, following in fresh_matches(house):
        claim = claim_of(house.site, match_id, following)
        resigned, saved = at_once(
            partial(presence.resign, house.site, claim), job_that_saves(house, match_id, following, NONE)
        )
        assert not isinstance(resigned, Problem)
        assert isinstance(saved, Problem | ordering.Ordered)
        assert ordering.read_orders(house.site, claim).orders == ()
        house.play(match_id, first)
        check_answered_once(house, match_id)


@pytest.mark.long
def test_orders_saved_by_all_seats_at_once_leave_no_owner_asked(house: House) -> None:
    """Three owners save at once while one of them is asked: an owner who was acknowledged is not asked for that."""
    for match_id, *_ in fresh_matches(house):
        results = at_once(*(job_that_saves(house, match_id, seat, NONE) for seat in range(3)))
        house.follow_orders()
        kept = {seat for seat, result in enumerate(results) if isinstance(result, ordering.Ordered)}
        asked = {ask.seat for ask in house.asks(match_id) if ask.kind == "nobori"}
        assert kept
        assert not asked & kept
        check_answered_once(house, match_id)
