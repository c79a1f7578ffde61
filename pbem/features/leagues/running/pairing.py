"""Who meets whom in a season, at which table and on which seat.

1. `division_sizes` spreads the entrants evenly over divisions of about the wished size.
2. `table_sizes` says how many sit at each table of a round. Where the number does not fit, some tables have more or
   fewer seats, within what the game allows; where that does not help, entrants have a bye.
3. `pair_division` makes the rounds. Byes go to those with the fewest. Two to a table meet by the circle method;
   more are spread so that those who have met least sit together. Then the seats are dealt out by an edge colouring of
   the graph of entrants and tables (König): if all tables of a division have the same number of seats, nobody sits on
   one seat twice more often than on another.

Entrants are numbers from 0; the caller shuffles who has which. The same input always gives the same result.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, product

SWEEPS = 20
"""How often all exchanges are tried at most; usually none is left after a few."""


def division_sizes(entrants: int, size: int, least: int) -> tuple[int, ...]:
    """Returns the sizes of the divisions, the larger ones first; none has fewer than `least` unless there is only one.

    >>> division_sizes(17, 8, 2)
    (9, 8)
    """
    if entrants == 0:
        return ()
    return _even_group_sizes(entrants, max(1, min(round(entrants / size), entrants // max(1, least))))


def table_sizes(entrants: int, wish: int, allowed: Iterable[int]) -> tuple[int, ...]:
    """Returns how many sit at each table of a round: as few byes as possible, then as near as possible to the wish.

    The numbers of two tables differ by one at most. A player who has no seat then has a bye.

    >>> table_sizes(7, 3, (3, 4, 5))
    (4, 3)
    >>> table_sizes(7, 2, (2,))
    (2, 2, 2)
    """
    open_to = {*allowed}
    for seated in range(entrants, 0, -1):
        found = [made for tables in range(1, seated + 1) if {*(made := _even_group_sizes(seated, tables))} <= open_to]
        if found:
            return min(found, key=lambda made: (max(abs(size - wish) for size in made), len(made)))
    return ()


def _even_group_sizes(people: int, groups: int) -> tuple[int, ...]:
    """Returns the sizes of this many groups, which differ by one at most, the larger ones first."""
    each, more = divmod(people, groups)
    return tuple(each + (group < more) for group in range(groups))


@cache
def pair_division(
    entrants: int, wish: int, allowed: tuple[int, ...], rounds: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Returns the tables of all rounds of a division: of each its round, from 1, and its entrants in seat order.

    An entrant who is at no table of a round has a bye in it.
    """
    sizes = table_sizes(entrants, wish, allowed)
    if not sizes:
        return ()
    if {*sizes} == {2} and len(sizes) * 2 >= entrants - 1:
        made = [_round_for_two_seats(entrants, number) for number in range(rounds)]
    else:
        made = _even_out_meetings([_first_arrangement(entrants, sizes, number) for number in range(rounds)])
    tables = [(number, table) for number, tables in enumerate(made, 1) for table in tables]
    seats = _seat_all([table for _, table in tables], entrants)
    return tuple((number, seated) for (number, _), seated in zip(tables, seats, strict=True))


# --- who meets whom ------------------------------------------------------------------------------------------


Round = list[list[int]]


def _round_for_two_seats(entrants: int, number: int) -> Round:
    """Returns the tables of a round for two: within entrants - 1 rounds (or entrants, if odd) everybody meets all."""
    ring = [*range(entrants), *([] if entrants % 2 == 0 else [entrants])]
    turned = number % (len(ring) - 1)
    order = [ring[0], *ring[1 + turned :], *ring[1 : 1 + turned]]
    half = len(order) // 2
    tables = [[order[at], order[-1 - at]] for at in range(half)]
    return [table for table in tables if entrants not in table]


def _first_arrangement(entrants: int, sizes: Sequence[int], number: int) -> Round:
    """Returns a first arrangement: everybody in order, from another one each round, so that byes go round."""
    byes = entrants - sum(sizes)
    order = [(number * byes + at) % entrants for at in range(entrants)][byes:]
    # Taking every n-th entrant separates those who sat together in the round before.
    step = len(sizes) if number % 2 else 1
    dealt = [order[at] for first in range(step) for at in range(first, len(order), step)]
    tables, taken = [], 0
    for size in sizes:
        tables.append(dealt[taken : taken + size])
        taken += size
    return tables


def _even_out_meetings(rounds: list[Round]) -> list[Round]:
    """Exchanges entrants between the tables of a round as long as that makes their meetings more even."""
    met = Counter(pair for tables in rounds for table in tables for pair in _pairs_at_table(table))
    for _ in range(SWEEPS):
        better = [
            _exchange_if_better(one, other, left, right, met)
            for tables in rounds
            for one, other in combinations(tables, 2)
            for left, right in product(range(len(one)), range(len(other)))
        ]
        if not any(better):
            break
    return rounds


def _exchange_if_better(one: list[int], other: list[int], left: int, right: int, met: Counter[tuple[int, int]]) -> bool:
    """Exchanges two entrants if the sum of the squares of all meetings falls; returns whether it has."""
    a, b = one[left], other[right]
    near_a, near_b = [each for each in one if each != a], [each for each in other if each != b]
    gone = [_pair_in_order(a, each) for each in near_a] + [_pair_in_order(b, each) for each in near_b]
    come = [_pair_in_order(b, each) for each in near_a] + [_pair_in_order(a, each) for each in near_b]
    # No pair is in both: those who part and those who come together are at different tables.
    change = sum(2 * met[pair] + 1 for pair in come) - sum(2 * met[pair] - 1 for pair in gone)
    if change >= 0:
        return False
    met.subtract(gone)
    met.update(come)
    one[left], other[right] = b, a
    return True


def _pairs_at_table(table: Sequence[int]) -> list[tuple[int, int]]:
    return [_pair_in_order(one, other) for one, other in combinations(table, 2)]


def _pair_in_order(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


# --- on which seat -------------------------------------------------------------------------------------------


def _seat_all(tables: Sequence[Sequence[int]], entrants: int) -> list[tuple[int, ...]]:
    """Returns each table in seat order, so that everybody's seats are even."""
    colours = max(len(table) for table in tables)
    played = [0] * entrants
    left: list[list[int]] = []
    for table in tables:
        # An entrant with more matches than seats counts as several, each with one match a seat at most.
        left.append([entrant + entrants * (played[entrant] // colours) for entrant in table])
        for entrant in table:
            played[entrant] += 1
    coloured = _edge_colours_of_tables(left, colours)
    return [
        tuple(entrant for _, entrant in sorted(zip(coloured[number], table, strict=True)))
        for number, table in enumerate(tables)
    ]


def _edge_colours_of_tables(tables: Sequence[Sequence[int]], colours: int) -> list[list[int]]:
    """Returns a colour for each seat of each table, different at each table and for each of its people (König, 1916).

    Each edge gets a free colour; if its two ends have no free one in common, a path of two colours is inverted.
    """
    at_table: list[dict[int, int]] = [{} for _ in tables]
    at_person: dict[int, dict[int, int]] = {}
    for number, table in enumerate(tables):
        for person in table:
            mine, theirs = at_table[number], at_person.setdefault(person, {})
            free = next(one for one in range(colours) if one not in mine)
            if free in theirs:
                spare = next(one for one in range(colours) if one not in theirs)
                _exchange_colours(person, free, spare, at_person, at_table)
            mine[free], theirs[free] = person, number
    return [[next(one for one, who in at_table[number].items() if who == person) for person in table]
            for number, table in enumerate(tables)]  # fmt: skip


def _exchange_colours(
    person: int, first: int, second: int, at_person: dict[int, dict[int, int]], at_table: list[dict[int, int]]
) -> None:
    """Exchanges two colours along the path from this person, who has no `second`: then they have no `first`."""
    path: list[tuple[int, int, int]] = []
    who, other = person, {first: second, second: first}
    while (table := at_person[who].get(first)) is not None:
        path.append((who, table, first))
        follower = at_table[table].get(second)
        if follower is None:
            break
        who = follower
        path.append((who, table, second))
    for who, table, colour in path:
        del at_person[who][colour]
        del at_table[table][colour]
    for who, table, colour in path:
        at_person[who][other[colour]] = table
        at_table[table][other[colour]] = who
