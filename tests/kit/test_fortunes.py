"""How lucky the seats of a match were: counted out by hand for small cases, and for every game."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Deal
from pbem.kit.logs.fortunes import Drawn, draws_by_kind_with_fortunes, fortunes_of_deals, fortunes_of_throws
from pbem.kit.logs.repetition import Draw, draws_of_rules_and_clock
from pbem.kit.replay import Undone
from pbem.kit.texts import Text
from tests.harness.cases import cases
from tests.transcripts import log_of, play_match, seed_of

GAMES = [(game, seats) for game in all_games().values() for seats in game.meta.seats]


def draws_by_kind(slug: str, seats: int) -> dict[str, Drawn]:
    """Returns what a match drew, by kind."""
    log = log_of(play_match(all_games()[slug], seats, seed_of(slug, seats, 1)))
    return {one.kind: one for one in draws_by_kind_with_fortunes(log, draws_of_rules_and_clock(log))}


def draw_of_die(seat: int, number: int, result: int) -> Draw:
    return Draw(1, f"die:s{seat}:{number}", "decide", 0, "below", 6, result)


@cases("worth", [(1, 2, 3, 4, 5, 6), (0, 0, 2), (-1, 3)])
@cases("times", [1, 2, 3])
def test_the_shares_of_throws_are_those_of_all_equally_likely_ones(worth: tuple[int, ...], times: int) -> None:
    every = [sum(thrown) for thrown in product(worth, repeat=times)]
    for results in product(range(len(worth)), repeat=times):
        (found,) = fortunes_of_throws([draw_of_die(2, n, result) for n, result in enumerate(results)], worth)
        total = sum(worth[result] for result in results)
        assert (found.seat, found.count, found.total) == (2, times, total)
        assert found.at_least == sum(one >= total for one in every) / len(every)
        assert found.at_most == sum(one <= total for one in every) / len(every)


def test_the_shares_of_deals_are_those_of_all_equally_likely_hands() -> None:
    deal = Deal(Text("", ""), 2, (1, 2, 3, 4, 9))
    hands = [sum(hand) for hand in combinations(deal.worth, 2)]
    every = [one + other for one, other in product(hands, repeat=2)]
    orders = ((4, 3, 2, 1, 0), (0, 1, 2, 3, 4))
    draws = [Draw(1, f"deal:r{n}", "decide", 0, "shuffle", 5, order) for n, order in enumerate(orders)]
    first, second = fortunes_of_deals(draws, deal, 2)
    assert (first.total, second.total) == (13 + 3, 5 + 7)
    for found in (first, second):
        assert found.count == 4
        assert found.at_least == sum(one >= found.total for one in every) / len(every)
        assert found.at_most == sum(one <= found.total for one in every) / len(every)


@pytest.mark.long
def test_the_luck_report_handles_hundreds_of_throws() -> None:
    (found,) = fortunes_of_throws([draw_of_die(0, n, n % 6) for n in range(600)], (1, 2, 3, 4, 5, 6))
    assert found.total == 2100
    assert 0.5 < found.at_least == found.at_most < 0.51, "the mean itself: as often more as less"


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_the_luck_report_lists_each_kind_of_draw_once(game: AnyGame, seats: int) -> None:
    log = log_of(play_match(game, seats, seed_of(game.meta.slug, seats, 1)))
    told, draws = (
        draws_by_kind_with_fortunes(log, draws_of_rules_and_clock(log)),
        [draw for draw in draws_of_rules_and_clock(log) if draw.purpose == "decide"],
    )
    assert sum(one.times for one in told) == len(draws)
    assert len({one.kind for one in told}) == len(told)
    for one in told:
        kind = game.meta.draws[one.kind]
        assert bool(one.chosen) == kind.chooses_seat
        assert set(one.chosen) <= set(range(seats))
        assert (one.expected is not None) == bool(kind.worth or kind.deal) == bool(one.fortunes)
        for fortune in one.fortunes:
            assert fortune.at_least + fortune.at_most > 1, "its own result is in both"


def test_the_luck_report_gives_each_seat_the_worth_of_its_dealt_hands() -> None:
    game: Any = all_games()["hagakure"]
    log = log_of(play_match(game, 4, seed_of("hagakure", 4, 1)))
    hands = [entry.event.hands for entry in log.entries if type(entry.event).__name__ == "Dealt"]
    (dealt,) = (one for one in draws_by_kind_with_fortunes(log, draws_of_rules_and_clock(log)) if one.kind == "deal")
    assert dealt.times == len(hands)
    assert [one.total for one in dealt.fortunes] == [sum(sum(deal[seat]) for deal in hands) for seat in range(4)]


@pytest.mark.long
def test_throws_belong_to_the_seat_that_made_them_and_lots_name_a_seat() -> None:
    told = draws_by_kind("hexen-rennen", 3)
    assert [one.seat for one in told["die"].fortunes] == [0, 1, 2]
    assert told["die"].expected == 3.5
    assert sum(one.count for one in told["die"].fortunes) == told["die"].times
    assert len(told["first"].chosen) == 1
    assert told["stage"].expected is None


@pytest.mark.long
def test_the_luck_report_leaves_out_draws_taken_back() -> None:
    table = play_match(all_games()["hexen-rennen"], 3, seed_of("hexen-rennen", 3, 1))
    thrown = [draw.entry for draw in draws_of_rules_and_clock(log_of(table)) if draw.name.startswith("die:")]
    gone = thrown[len(thrown) // 2]
    table.tell(Undone(gone - 1))
    told = {
        one.kind: one for one in draws_by_kind_with_fortunes(log_of(table), draws_of_rules_and_clock(log_of(table)))
    }
    assert told["die"].times == sum(entry < gone for entry in thrown)
    assert len(told["first"].chosen) == 1
