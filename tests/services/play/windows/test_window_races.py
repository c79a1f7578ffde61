"""Races at silent windows, with real threads: a window closes once, and no sealed answer is lost or played twice."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from pbem.errors import Problem, Stale
from pbem.services.play import moves, ordering, timeouts
from tests.services.play.stage.races import ROUNDS, at_once, job_that_answers
from tests.table import House, claim_of, submit_answer
from tests.windows import answer_window, answers_told, begin_silent, floor_of, pass_floor, play_to_window, rows_of


def fresh_windows(house: House) -> Iterator[tuple[str, int, list[int]]]:
    """Yields fresh matches at their first window: the match, its version, and who is asked, clockwise."""
    for _ in range(ROUNDS):
        match_id = begin_silent(house)
        sheet, state = house.view(match_id, None).sheet, house.view(match_id, None).fold
        yield match_id, sheet.version, [(state.active + step) % 4 for step in (1, 2, 3)]


def check_closed_once(house: House, match_id: str, before: int, seats: list[int]) -> None:
    """Fails unless the log holds each of these answers once, in this order, and then the next turn."""
    told = answers_told(house, match_id, before)
    assert told[: len(seats) + 1] == [("Answered", seat) for seat in seats] + [("Unchallenged", None)]
    assert [kind for kind, _ in told].count("TurnBegan") == 1
    assert house.asks(match_id)[0].kind == "announce"


@pytest.mark.long
def test_the_last_two_answers_at_once_close_the_window_once(house: House) -> None:
    for match_id, before, seats in fresh_windows(house):
        answer_window(house, match_id, seats[0])
        house.clock.at = floor_of(house, match_id)
        receipts = at_once(
            job_that_answers(house, match_id, seats[1], 1), job_that_answers(house, match_id, seats[2], 1)
        )
        assert [one.sealed for one in receipts if isinstance(one, moves.Receipt)] == [True, True]
        pass_floor(house, match_id)
        check_closed_once(house, match_id, before, seats)


@pytest.mark.long
def test_all_answers_at_once_before_the_floor_are_sealed(house: House) -> None:
    for match_id, before, seats in fresh_windows(house):
        receipts = at_once(*(job_that_answers(house, match_id, seat, 1) for seat in seats))
        assert [one.sealed for one in receipts if isinstance(one, moves.Receipt)] == [True] * 3
        house.clock.at = floor_of(house, match_id)
        timeouts.sweep_deadlines(house.site)
        check_closed_once(house, match_id, before, seats)


@pytest.mark.long
def test_two_simultaneous_sweeps_close_a_window_once(house: House) -> None:
    for match_id, before, seats in fresh_windows(house):
        for seat in seats:
            answer_window(house, match_id, seat)
        now = house.clock.at = floor_of(house, match_id)
        close = partial(timeouts.close_window_if_due, house.site, match_id, now)
        assert sorted(map(bool, at_once(close, close))) == [False, True]
        check_closed_once(house, match_id, before, seats)


@pytest.mark.on_postgresql
def test_a_late_answer_and_the_clock_never_both_count(house: House) -> None:
    for match_id, before, seats in fresh_windows(house):
        for seat in seats[:2]:
            answer_window(house, match_id, seat)
        ask = next(ask for ask in house.asks(match_id) if ask.seat == seats[2])
        house.time_is_up(match_id)
        hand, clock = at_once(
            job_that_answers(house, match_id, seats[2], 1),
            partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, ask.seat),
        )
        assert isinstance(hand, moves.Receipt), "until it closes its owner may change what the clock has answered"
        assert clock in (True, False)
        pass_floor(house, match_id)
        check_closed_once(house, match_id, before, seats)


@pytest.mark.on_postgresql
def test_an_answer_changed_as_the_window_closes_counts_as_old_or_as_new(house: House) -> None:
    for match_id, before, seats in fresh_windows(house):
        for seat in seats:
            answer_window(house, match_id, seat)
        now = house.clock.at = floor_of(house, match_id)
        change = job_that_answers(house, match_id, seats[0], 0)
        changed, _ = at_once(change, partial(timeouts.close_window_if_due, house.site, match_id, now))
        told = answers_told(house, match_id, before)
        kept = next(row for row in rows_of(house, match_id) if row.seat == seats[0])
        challenged = ("Unchallenged", None) not in told
        assert challenged == isinstance(changed, moves.Receipt)
        assert challenged == ("Challenge" in (kept.answer or ""))
        assert told[0] == ("Answered", seats[0])


@pytest.mark.long
def test_an_order_saved_while_its_window_opens_answers_or_is_refused(house: House) -> None:
    order = {"type": "Always", "kind": "answer", "move": {"type": "LetPass"}, "scope": "match"}
    for _ in range(ROUNDS):
        match_id = house.begin(4, "allegeance", windows="silent")
        announcer = house.asks(match_id)[0].seat
        seat, version = (announcer + 1) % 4, house.view(match_id, 0).sheet.version
        save: Callable[[], object] = partial(
            ordering.save_orders, house.site, claim_of(house.site, match_id, seat), version, [order], "api"
        )
        _, saved = at_once(job_that_answers(house, match_id, announcer, 0), save)
        play_to_window(house, match_id)
        house.follow_orders()
        sealed = [row.seat for row in rows_of(house, match_id) if row.sealed is not None]
        assert sealed == ([] if isinstance(saved, Problem) else [seat])
        assert isinstance(saved, ordering.Ordered | Stale)


@pytest.mark.long
def test_an_answer_by_hand_and_an_order_at_once_seal_the_one_by_hand(house: House) -> None:
    order = {"type": "Always", "kind": "answer", "move": {"type": "LetPass"}}
    for match_id, before, seats in fresh_windows(house):
        view = house.view(match_id, seats[0])
        assert view.ask is not None
        challenge = partial(submit_answer, house.site, match_id, seats[0], view.ask.key, view.legal()[0], "api")
        save: Callable[[], object] = partial(
            ordering.save_orders, house.site, claim_of(house.site, match_id, seats[0]), before, [order], "api"
        )
        hand, _ = at_once(challenge, save)
        assert isinstance(hand, moves.Receipt)
        (row,) = [row for row in rows_of(house, match_id) if row.sealed is not None]
        assert (row.seat, "Challenge" in (row.sealed or "")) == (seats[0], True), "the hand counts in either order"
