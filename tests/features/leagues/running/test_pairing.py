"""Pairing: everybody plays, meets the others as evenly as possible, and sits on each seat as often as on any other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.features.leagues.running.pairing import division_sizes, pair_division, table_sizes

ALLOWED = st.sampled_from([(2,), (2, 3, 4), (3, 4), (3, 4, 5), (2, 3, 4, 5, 6), (4,)])


@st.composite
def divisions(draw: st.DrawFn) -> tuple[int, int, tuple[int, ...], int]:
    """Draws a division, the seats wished for, those allowed, and a number of rounds."""
    allowed = draw(ALLOWED)
    entrants = draw(st.integers(min(allowed), 16))
    return entrants, draw(st.sampled_from(allowed)), allowed, draw(st.integers(1, 6))


@pytest.mark.long
@given(divisions())
@settings(max_examples=60)
def test_each_round_seats_everybody_once_at_tables_that_the_game_allows(
    drawn: tuple[int, int, tuple[int, ...], int],
) -> None:
    entrants, wish, allowed, rounds = drawn
    tables = pair_division(*drawn)
    for number in range(1, rounds + 1):
        seated = [one for round, seats in tables if round == number for one in seats]
        assert len(seated) == len({*seated})
        assert {*seated} <= {*range(entrants)}
        assert len(seated) == sum(table_sizes(entrants, wish, allowed)) > 0
    assert {len(seats) for _, seats in tables} <= {*allowed}


@pytest.mark.long
@given(divisions())
@settings(max_examples=60)
def test_byes_in_a_pairing_rotate_over_all_entrants(drawn: tuple[int, int, tuple[int, ...], int]) -> None:
    played = Counter(one for _, seats in pair_division(*drawn) for one in seats)
    counts = [played[one] for one in range(drawn[0])]
    assert max(counts) - min(counts) <= 1


@given(divisions())
@settings(max_examples=60)
def test_with_equal_tables_each_players_seat_counts_differ_by_at_most_one(
    drawn: tuple[int, int, tuple[int, ...], int],
) -> None:
    tables = pair_division(*drawn)
    if len({len(seats) for _, seats in tables}) > 1:
        return
    had = Counter((one, seat) for _, seats in tables for seat, one in enumerate(seats))
    for one in range(drawn[0]):
        counts = [had[one, seat] for seat in range(len(tables[0][1]))]
        assert max(counts) - min(counts) <= 1


def test_at_tables_of_two_everybody_meets_everybody_before_a_repeat() -> None:
    for entrants in (2, 5, 8, 13):
        rounds = entrants - 1 if entrants % 2 == 0 else entrants
        met = Counter(frozenset(seats) for _, seats in pair_division(entrants, 2, (2,), rounds))
        assert {*met.values()} == {1}
        assert len(met) == entrants * (entrants - 1) // 2


def test_pairing_at_larger_tables_spreads_meetings_evenly() -> None:
    tables = pair_division(9, 3, (3,), 4)
    met = Counter(frozenset(two) for _, seats in tables for two in combinations(seats, 2))
    assert max(met.values()) <= 2
    assert len(met) >= 27, "of 36 pairs; four rounds of the first arrangement would give 9"


def test_the_same_input_gives_the_same_pairing() -> None:
    pair_division.cache_clear()
    once = pair_division(11, 3, (3, 4), 3)
    pair_division.cache_clear()
    assert pair_division(11, 3, (3, 4), 3) == once


def test_a_number_of_entrants_that_does_not_fit_gives_byes_or_small_tables() -> None:
    assert table_sizes(10, 3, (3, 4)) == (4, 3, 3)
    assert table_sizes(5, 3, (3, 4)) == (4,)
    assert table_sizes(1, 2, (2,)) == ()


@given(st.integers(0, 200), st.integers(2, 20), st.integers(2, 4))
def test_divisions_hold_every_entrant_and_differ_by_at_most_one_in_size(entrants: int, size: int, least: int) -> None:
    sizes = division_sizes(entrants, size, least)
    assert sum(sizes) == entrants
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert len(sizes) <= 1 or min(sizes) >= least
