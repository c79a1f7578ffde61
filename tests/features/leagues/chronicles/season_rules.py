"""The rules of a season as pure computation: who meets whom, what places are worth, and the order of a division."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pbem.features.leagues.running.pairing import division_sizes, pair_division, table_sizes
from pbem.features.leagues.scores.ranking import (
    DRAW,
    Table,
    next_divisions_by_rank,
    places_by_scores,
    points_at_duplicate_tables,
    points_of_places,
    rank_entrants,
    worth_of_place_against,
)
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    del house

    def say(title: str, said: Any) -> None:
        told.do(title, lambda: _plain(said))

    for part in (_sizes, _pairs, _points, _order):
        part(say)


def _plain(said: Any) -> Any:
    """Returns the value with fractions as text."""
    if isinstance(said, Fraction):
        return str(said)
    return [_plain(one) for one in said] if isinstance(said, list | tuple) else said


Say = Callable[[str, Any], object]


def _sizes(say: Say) -> None:
    for size, least in [(8, 2), (4, 3), (2, 2), (3, 0)]:
        found = [" ".join(map(str, division_sizes(number, size, least))) or "-" for number in range(20)]
        say(f"divisions of {size}, none below {least}", found)
    for wish, allowed in [(2, (2,)), (3, (3, 4, 5)), (4, (2, 3, 4)), (5, (3, 5)), (3, (2, 3, 4))]:
        found = [" ".join(map(str, table_sizes(number, wish, allowed))) or "-" for number in range(17)]
        say(f"tables of {wish}, where {allowed} are allowed", found)


def _pairs(say: Say) -> None:
    for drawn in [
        (1, 2, (2,), 2), (2, 2, (2,), 3), (5, 2, (2,), 6), (6, 2, (2,), 6), (7, 3, (3, 4), 4), (9, 3, (3,), 5),
        (8, 4, (4,), 4), (10, 4, (4,), 5), (11, 3, (3, 4, 5), 4), (6, 3, (3,), 7), (5, 4, (4,), 6),
        (12, 4, (2, 3, 4), 6),
    ]:  # fmt: skip
        rounds: dict[int, list[str]] = {}
        for number, seats in pair_division(*drawn):
            rounds.setdefault(number, []).append(" ".join(map(str, seats)))
        said = [f"{number}: {', '.join(tables)}" for number, tables in rounds.items()]
        say(f"{drawn[0]} at tables of {drawn[1]} of {drawn[2]}, {drawn[3]} rounds", said)


def _points(say: Say) -> None:
    for places in [(1,), (1, 2), (1, 1), (2, 1, 3), (1, 2, 2), (4, 1, 2, 2), (3, 3, 1, 1)]:
        say(f"places {places}", points_of_places(places))
    say(
        "against another",
        [worth_of_place_against(1, 2), worth_of_place_against(2, 1), worth_of_place_against(3, 3), DRAW],
    )
    for scores in [(5,), (7, 9, 7), (1, 2, 3, 4), (-1, -1, 0)]:
        say(f"scores {scores}", places_by_scores(scores))
    deals = [
        [[7, 3]], [[7, 3], [5, 3]], [[7, 3], [5, 3], [5, 9]], [[1, 1, 2], [1, 2, 2], [1, 3, 1], [1, 0, 1]],
    ]  # fmt: skip
    for tables in deals:
        say(f"tables of a deal {tables}", list(points_at_duplicate_tables(tables)))


def _order(say: Say) -> None:
    def table(seats: tuple[int, ...], places: tuple[int, ...], over: bool = True) -> Table:
        return Table(seats, points_of_places(places), places, over)

    draw = Table((1, 2), (DRAW, DRAW), over=False)
    seasons: list[tuple[str, list[int], list[Table], dict[int, Fraction] | None]] = [
        ("nobody has played", [3, 1, 2], [], None),
        ("one match", [1, 2, 3], [table((2, 1), (1, 2))], None),
        ("a bye", [1, 2, 3], [table((2, 1), (1, 2))], {3: DRAW}),
        ("a circle of three", [1, 2, 3], [table((1, 2), (1, 2)), table((2, 3), (1, 2)), table((3, 1), (1, 2))], None),
        (
            "level on points, and one has beaten the other", [0, 1, 2, 3],
            [table((1, 0), (1, 2)), table((0, 2), (1, 2)), table((0, 3), (1, 2)), table((1, 2), (1, 2)),
             table((1, 3), (2, 1))], None,
        ),
        (
            "level there, too: those with better opponents first", [1, 0, 2, 3],
            [table((0, 2), (1, 2)), table((1, 3), (1, 2)), table((2, 3), (1, 2))], None,
        ),
        ("a match that counts as a draw", [1, 2], [draw], None),
        ("one that counts as it stands", [1, 2], [table((1, 2), (2, 1), over=False), draw], None),
        (
            "tables of three and four", [0, 1, 2, 3, 4],
            [table((0, 1, 2), (1, 2, 2)), table((4, 3, 2, 1), (1, 2, 3, 3)), table((3, 0, 4), (2, 1, 3))], None,
        ),
    ]  # fmt: skip
    for title, entrants, tables, extra in seasons:
        lines = rank_entrants(entrants, tables, extra)
        said = [
            f"{one.place}. {one.entrant}: {one.points} points, {one.against} against, {one.opponents} opponents,"
            f" {one.played} played"
            for one in lines
        ]
        say(title, said)
    for given in [(1, 1, 5, 2, 2), (1, 2, 3, 2, 2), (2, 3, 6, 1, 2), (3, 3, 5, 3, 1), (2, 3, 5, 3, 3), (2, 3, 1, 1, 1)]:
        say(f"moves of {given}", next_divisions_by_rank(*given))
