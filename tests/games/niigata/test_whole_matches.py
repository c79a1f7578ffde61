"""Whole matches, checked by a second implementation of the rules: the map by flooding, the order by walking round."""

from collections.abc import Iterator

import pytest

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import Claimed, Ended, LaidOut, Passed, PickingEnded, Placed, Taken, Thrown
from pbem.games.niigata.facts_state import NiigataOptions, State
from pbem.games.niigata.facts_tiles import PRINTED, cell_name, reading_order_key
from pbem.kit.contract import Event
from pbem.kit.play import Table, random_decisions
from tests.transcripts import seed_of

STEPS = {"N": (0, -1, "S"), "E": (1, 0, "W"), "S": (0, 1, "N"), "W": (-1, 0, "E")}
Edge = tuple[int, int, str]
"""A side of a cell: x, y, side."""

CASES = [(seats, picking, n) for seats in GAME.meta.seats for picking in ("turns", "grab") for n in range(2)]


def table_of(seats: int, picking: str, number: int) -> Table:
    """A random match that is over."""
    table = Table(GAME, seats, NiigataOptions(picking), seed_of("whole", seats, number))  # type: ignore[arg-type]
    for _ in random_decisions(table):
        pass
    return table


def events_of(table: Table) -> list[Event]:
    return [entry.event for entry in table.entries]


# --- the map -----------------------------------------------------------------------------------------------


def shores(state: State) -> dict[Edge, tuple[Edge, str]]:
    """Each side of each tile that shows water: the piece it belongs to, by its first side, and what lives there."""
    found: dict[Edge, tuple[Edge, str]] = {}
    for cell, laid in state.laid.items():
        y, x = reading_order_key(cell)
        edges, animals = PRINTED[laid.tile]
        turned = {side: edges[(at - laid.rotation) % 4] for at, side in enumerate("NESW")}
        for side, letter in turned.items():
            if letter != ".":
                first = next(s for s in "NESW" if turned[s] == letter)
                found[x, y, side] = (x, y, first), animals["abcd".index(letter)]
    return found


def ponds_of(state: State) -> dict[frozenset[str], tuple[str, int]]:
    """Each pond by its pieces: its animals in the order of the letters, and its sides that face an empty cell."""
    water = shores(state)
    todo, ponds = {piece for piece, _ in water.values()}, {}
    while todo:
        pond, reached, open_sides = set[Edge](), [min(todo)], 0
        while reached:
            piece = reached.pop()
            if piece in pond:
                continue
            pond.add(piece)
            for (x, y, side), (of, _) in water.items():
                if of != piece:
                    continue
                dx, dy, back = STEPS[side]
                if cell_name(x + dx, y + dy) not in state.laid:
                    open_sides += 1
                elif (x + dx, y + dy, back) in water:
                    reached.append(water[x + dx, y + dy, back][0])
        living = dict(water.values())
        names = frozenset(f"{cell_name(x, y)}.{side}" for x, y, side in pond)
        ponds[names] = "".join(sorted("".join(living[piece] for piece in pond))), open_sides
        todo -= pond
    return ponds


@pytest.mark.long
@pytest.mark.parametrize(("seats", "picking", "number"), CASES)
def test_the_ponds_equal_those_found_by_flood_filling_the_map(seats: int, picking: str, number: int) -> None:
    state: State | None = None
    for at, event in enumerate(events_of(table_of(seats, picking, number))):
        state = GAME.evolve(state, event)
        if at % 12 and not isinstance(event, Ended):
            continue
        kept = {
            frozenset(pond.pieces): (
                "".join(sorted("".join(k * n for k, n in zip("RWYE", pond.animals, strict=True)))),
                pond.open,
            )
            for pond in state.ponds.values()
        }
        assert kept == ponds_of(state)
        beside = {
            cell_name(x + dx, y + dy) for y, x in map(reading_order_key, state.laid) for dx, dy, _ in STEPS.values()
        } - state.laid.keys()
        assert set(state.frontier) == beside


# --- the points --------------------------------------------------------------------------------------------


def count_carps(animals: str) -> str:
    """The carps of a pond that count, after its waders have eaten."""
    carps = [letter * animals.count(letter) for letter in "RWY"]
    for _ in range(animals.count("E")):
        carps.remove(max(carps, key=len))
        carps = carps or [""]
    return max(carps, key=len)


@pytest.mark.long
@pytest.mark.parametrize(("seats", "picking", "number"), CASES)
def test_points_and_winners_equal_those_counted_on_the_final_map(seats: int, picking: str, number: int) -> None:
    table = table_of(seats, picking, number)
    state, carps = table.state, [""] * seats
    ponds = {name: animals for names, (animals, _) in ponds_of(state).items() for name in names}
    for event in events_of(table):
        if isinstance(event, Claimed):
            carps[event.seat] += count_carps(ponds[event.pond])
    wasted = [w.seat for e in events_of(table) if isinstance(e, PickingEnded) for w in e.wasted]
    scores = [sum({"R": 3, "W": 2, "Y": 1}[c] for c in carps[s]) - wasted.count(s) for s in range(seats)]
    assert list(state.scores) == scores
    ranks = [(scores[s], *(carps[s].count(c) for c in "RWY")) for s in range(seats)]
    assert list(state.winners) == [s for s in range(seats) if ranks[s] == max(ranks)]


# --- the order ---------------------------------------------------------------------------------------------


def rounds_of(events: list[Event]) -> Iterator[list[Event]]:
    """The events of each round, its throw first."""
    starts = [at for at, event in enumerate(events) if isinstance(event, Thrown)]
    for start, beyond in zip(starts, [*starts[1:], len(events)], strict=True):
        yield events[start:beyond]


@pytest.mark.long
@pytest.mark.parametrize(("seats", "picking", "number"), CASES)
def test_in_random_matches_dice_picks_and_tiles_follow_the_rules(seats: int, picking: str, number: int) -> None:
    events = events_of(table_of(seats, picking, number))
    laid_out = events[0]
    assert isinstance(laid_out, LaidOut)
    stock = list(laid_out.stock)
    for number_of_round, events_of_round in enumerate(rounds_of(events)):
        thrown = events_of_round[0]
        assert isinstance(thrown, Thrown)
        assert thrown.seat == (laid_out.thrower + number_of_round) % seats
        assert list(thrown.display) == stock[: 2 * seats]
        del stock[: 2 * seats]
        end = next(at for at, event in enumerate(events_of_round) if isinstance(event, PickingEnded))
        hands = tiles_picked(events_of_round[1:end], thrown.seat, seats, in_turn=picking == "turns")
        ended = events_of_round[end]
        assert isinstance(ended, PickingEnded)
        taken = [tile for hand in hands for tile in hand]
        assert sorted([*taken, *ended.discarded]) == sorted(thrown.display)
        for waste in ended.wasted:
            hands[waste.seat].remove(waste.tile)
        check_tiles(events_of_round[end + 1 :], hands, thrown.seat, seats)
    last = events[-1]
    assert isinstance(last, Ended)
    if last.reason == "stock":
        assert not stock
    else:
        assert isinstance(events[-2], Claimed)


def tiles_picked(events: list[Event], thrower: int, seats: int, in_turn: bool) -> list[list[str]]:
    """The tiles that each seat has taken; checks whose turn it was."""
    hands: list[list[str]] = [[] for _ in range(seats)]
    may = [(thrower + 1 + step) % seats for step in range(seats)] * 2
    for event in events:
        assert isinstance(event, Taken | Passed)
        if in_turn:
            assert event.seat == may[0]
        assert event.seat in may
        if isinstance(event, Taken):
            hands[event.seat].append(event.tile)
            may.remove(event.seat)
        else:
            may = [seat for seat in may if seat != event.seat]
    return hands


def check_tiles(events: list[Event], hands: list[list[str]], thrower: int, seats: int) -> None:
    """Checks when each tile came and from whom, and that only a seat that has just laid a tile places a breeder."""
    order = [seat for lap in (1, 2) for step in range(seats) if len(hands[seat := (thrower + step) % seats]) >= lap]
    before: int | None = None
    for event in events:
        match event:
            case Placed(seat, tile):
                assert seat == order.pop(0)
                hands[seat].remove(tile)
                before = seat
            case Claimed(seat) | Passed(seat):
                assert seat == before
                before = None
            case Ended(reason):
                assert reason == "breeders" or not order
                return
    assert not order
