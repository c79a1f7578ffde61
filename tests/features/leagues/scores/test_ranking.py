"""Standings: points first, then against each other, then the strength of opponents; who is level shares the place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.features.leagues.scores.ranking import DRAW, Table, next_divisions_by_rank, points_of_places, rank_entrants


def table_with_places(seats: tuple[int, ...], places: tuple[int, ...]) -> Table:
    return Table(seats, points_of_places(places), places)


@st.composite
def seasons(draw: st.DrawFn) -> tuple[list[int], list[Table]]:
    """Draws entrants and tables of theirs."""
    entrants = [*range(draw(st.integers(2, 7)))]
    tables = []
    for _ in range(draw(st.integers(0, 6))):
        seats = tuple(draw(st.lists(st.sampled_from(entrants), min_size=2, max_size=4, unique=True)))
        places = tuple(draw(st.lists(st.integers(1, 4), min_size=len(seats), max_size=len(seats))))
        tables.append(table_with_places(seats, places))
    return entrants, tables


@pytest.mark.long
@given(seasons())
def test_the_points_of_a_table_are_always_half_its_seats(season: tuple[list[int], list[Table]]) -> None:
    entrants, tables = season
    lines = rank_entrants(entrants, tables)
    assert sum(line.points for line in lines) == sum(Fraction(len(one.seats), 2) for one in tables)


@pytest.mark.long
@given(seasons(), st.randoms())
def test_places_do_not_depend_on_the_order_of_entrants_and_tables(
    season: tuple[list[int], list[Table]], luck: Any
) -> None:  # fmt: skip
    entrants, tables = season
    places = {line.entrant: line.place for line in rank_entrants(entrants, tables)}
    mixed, turned = entrants[:], tables[:]
    luck.shuffle(mixed)
    luck.shuffle(turned)
    assert {line.entrant: line.place for line in rank_entrants(mixed, turned)} == places


@pytest.mark.long
@given(seasons())
def test_points_decide_the_order_and_a_place_is_one_more_than_those_ahead(
    season: tuple[list[int], list[Table]],
) -> None:
    lines = rank_entrants(*season)
    for line in lines:
        ahead = [
            one
            for one in lines
            if (one.points, one.against, one.opponents) > (line.points, line.against, line.opponents)
        ]
        assert line.place == 1 + len(ahead)
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)


def test_ties_on_points_are_broken_by_points_against_each_other() -> None:
    tables = [
        table_with_places((1, 0), (1, 2)),
        table_with_places((0, 2), (1, 2)),
        table_with_places((2, 3), (1, 2)),
        table_with_places((1, 3), (2, 1)),
    ]
    assert {line.entrant: line.points for line in rank_entrants(range(4), tables)} == dict.fromkeys(range(4), 1)
    pair = [
        table_with_places((1, 0), (1, 2)),
        table_with_places((0, 2), (1, 2)),
        table_with_places((0, 3), (1, 2)),
        table_with_places((1, 2), (1, 2)),
        table_with_places((1, 3), (2, 1)),
    ]
    order = [(line.entrant, line.place) for line in rank_entrants([0, 1, 2, 3], pair)]
    assert order[:2] == [(1, 1), (0, 2)], "both have 2 points, and 1 has beaten 0"


def test_further_ties_are_broken_by_the_strength_of_opponents() -> None:
    tables = [table_with_places((0, 2), (1, 2)), table_with_places((1, 3), (1, 2)), table_with_places((2, 3), (1, 2))]
    order = [(line.entrant, line.place) for line in rank_entrants([1, 0, 2, 3], tables)]
    assert order[:2] == [(0, 1), (2, 2)], "0, 1 and 2 have a point each; the opponents of 0 and 2 were better"


def test_entrants_tied_in_everything_share_the_place() -> None:
    assert [line.place for line in rank_entrants([0, 1, 2], [table_with_places((0, 1), (1, 1))])] == [1, 1, 3]


def test_a_match_counted_as_a_draw_gives_half_each_and_breaks_no_tie() -> None:
    lines = rank_entrants([0, 1], [Table((0, 1), (DRAW, DRAW), over=False)])
    assert [(line.points, line.against, line.played) for line in lines] == [(DRAW, Fraction(0), 0)] * 2


def test_nobody_moves_beyond_the_first_and_the_last_division() -> None:
    assert next_divisions_by_rank(1, 1, 5, 2, 2) == [1] * 5
    assert next_divisions_by_rank(1, 2, 3, 2, 2) == [1, 1, 2], "not more than half of a division"
