"""The bots of Niigata. Each decides from its own fold alone.

What laying a tile brings, cell by cell: the ponds it closes, and what it makes of those that stay open.

What a tile does goes by the ponds around the cell alone, not by where they are. So each case is worked out once, and
then looked up: a bot asks for hundreds of them at every decision.

How likely each seat is to win at the beginning of a round, without playing on.

    python -m tests.games.niigata.fitted_estimate --matches 300

plays matches of `greedy` with two to six players and prints the numbers below under which their winners are likeliest.
docs/bots.md compares what is estimated with what happened in other matches.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from math import fsum, sqrt
from typing import NamedTuple

from pbem.games.niigata.facts import PASS, Claim, Place, Take
from pbem.games.niigata.facts_state import State, tiles_matching_dice
from pbem.games.niigata.facts_tiles import FACES, ROTATIONS, SAME, Animals, Tile
from pbem.games.niigata.rules_ponds import (
    BORDER,
    NOTHING,
    Pond,
    Ponds,
    cells_in_reading_order,
    join_ponds,
    scores,
    worth_of_pond,
)
from pbem.kit.bots import chances_by_expected_points
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

_BITS = 32


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the tile or cell that closes or prepares most, and spends breeders while they last."""
    return _choose_best_move(view.fold, seat, lambda cells: cells)


def quick(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns what `greedy` would, had it looked at every other cell or so: which ones is drawn each time."""
    return _choose_best_move(view.fold, seat, lambda cells: _half_of_cells_by_lot(cells, chance))


def _choose_best_move(fold: State, seat: int, look_at: Callable[[Sequence[str]], Sequence[str]]) -> Move:
    if fold.phase == "claim":
        return _choose_claim(fold, seat)
    return _best_move_with_tile(fold, seat, look_at(cells_in_reading_order(fold.frontier)))


def _half_of_cells_by_lot(cells: Sequence[str], chance: Chance) -> Sequence[str]:
    """Returns about half of the cells, at least one."""
    some: list[str] = []
    for start in range(0, len(cells), _BITS):
        drawn = chance.below(1 << _BITS)
        some += [cell for at, cell in enumerate(cells[start : start + _BITS]) if drawn >> at & 1]
    return some or cells


def _choose_claim(fold: State, seat: int) -> Move:
    points = {name: worth_of_pond(fold.ponds[name].animals).points for name in fold.free}
    best = max(fold.free, key=points.__getitem__)
    return Claim(best) if points[best] >= least_gain_for_breeder(fold, seat) else PASS


def least_gain_for_breeder(fold: State, seat: int) -> int:
    """Returns the fewest points for which to spend a breeder: the more tiles to come per breeder, the more points.

    A breeder is spent once and for all, and a pond of six points is not rare while ponds are still growing. If no
    more tiles than breeders are left, any point is better than an unused breeder.
    """
    to_lay = len(fold.stock) / (2 * fold.seats) + len(fold.hands[seat])
    chances = to_lay / max(1, fold.breeders[seat])
    return 6 if chances > 3 else 5 if chances > 1.5 else 4 if chances > 1 else 1


def _best_move_with_tile(fold: State, seat: int, cells: Sequence[str]) -> Move:
    """Returns the tile to take or to lay that brings most on these cells."""
    if fold.phase == "place":
        return max(_best_places_of_tiles(fold, seat, fold.hands[seat], cells), key=lambda found: found[0])[1]
    if fold.phase != "pick":
        raise ValueError("the seat is asked nothing")
    good = tiles_matching_dice(fold)
    wanted = [tile for tile in fold.display if tile in good]
    if len(wanted) < 2:
        return Take(wanted[0]) if wanted else PASS
    return Take(max(_best_places_of_tiles(fold, seat, wanted, cells), key=lambda found: found[0])[1].tile)


def best_place(fold: State, seat: int, tile: Tile) -> tuple[float, Place]:
    """Returns the best place for a tile, and its value."""
    return next(iter(_best_places_of_tiles(fold, seat, (tile,), cells_in_reading_order(fold.frontier))))


def _best_places_of_tiles(
    fold: State, seat: int, tiles: Iterable[Tile], cells: Sequence[str]
) -> Iterable[tuple[float, Place]]:
    """Yields the best place for each tile among these cells, with its value."""
    around = [*surroundings_of_cells(fold, cells)]
    has_breeder, others = bool(fold.breeders[seat]), sum(fold.breeders) > fold.breeders[seat]
    here = sorted((worth_of_pond(fold.ponds[name].animals).points for name in fold.free), reverse=True)
    first = here[0] if here else 0
    for tile in tiles:
        best, good = None, -1000.0
        for corner in around:
            for outlook in outlooks_of_tile(tile, corner.sides, corner.same):
                value = outlook.growth
                closed = outlook.best
                high, low = (closed, max(first, outlook.second)) if closed > first else (first, closed)
                if has_breeder:
                    value += high - (0.5 * low if others else 0)
                elif others:
                    value -= 0.5 * high
                if value > good:
                    best, good = (corner, outlook), value
        assert best is not None, "there is always an empty cell beside a tile"
        corner, outlook = best
        yield good, Place(tile, corner.cell, SAME[tile][(outlook.rotation + corner.turn) % 4])


# --- outlooks ------------------------------------------------------------------------------------------------

Seen = str | tuple[Animals, int]
"""What a side of an empty cell shows: NOTHING, BORDER, or the animals and mouths of a pond."""


class Corner(NamedTuple):
    """An empty cell and what surrounds it; `turn` is how often it was turned so that equal ones look alike."""

    cell: str
    turn: int
    sides: tuple[Seen, ...]
    same: tuple[int, ...]
    """For each side the first one that shows the same; it tells one pond on two sides from two ponds."""


class Outlook(NamedTuple):
    """What a tile in this rotation brings: the points of the best ponds it closes, 0 if none, and growth."""

    best: int
    second: int
    growth: float
    rotation: int


_ALONE = (0, 1, 1, 1)


def surroundings_of_cells(fold: State, cells: Collection[str]) -> Iterator[Corner]:
    """Yields these empty cells with what surrounds them."""
    seen: dict[str, Seen] = {name: (pond.animals, pond.open) for name, pond in fold.ponds.items() if pond.open}
    seen[NOTHING], seen[BORDER] = NOTHING, BORDER
    frontier = fold.frontier
    for cell in cells:
        facing = frontier[cell]
        if facing.count(NOTHING) == 3:
            north, east, south, west = facing
            only = north or east or south or west
            yield Corner(cell, facing.index(only), (seen[only], NOTHING, NOTHING, NOTHING), _ALONE)
        else:
            yield Corner(cell, 0, tuple(map(seen.__getitem__, facing)), tuple(map(facing.index, facing)))


@lru_cache(maxsize=1 << 15)
def outlooks_of_tile(tile: Tile, sides: tuple[Seen, ...], same: tuple[int, ...]) -> tuple[Outlook, ...]:
    """Returns what the tile brings between such sides: a rotation is left out if another brings no less of anything."""
    ponds: Ponds = {}
    facing = []
    for side, first in zip(sides, same, strict=True):
        if isinstance(side, str):
            facing.append(side)
        else:
            name = f"pond {first}"
            ponds[name] = Pond((name,), *side)
            facing.append(name)
    found: list[Outlook] = []
    for rotation in ROTATIONS[tile]:
        touched, names = join_ponds(ponds, tuple(facing), "0", FACES[tile][rotation])
        closed = sorted(
            (worth_of_pond(pond.animals).points for pond in touched.values() if not pond.open), reverse=True
        )
        after = [promise_of_pond(pond) for pond in touched.values() if pond.open]
        before = [-promise_of_pond(ponds[name]) for name in {*touched, *names} & ponds.keys()]
        best, second = (*closed, 0, 0)[:2]
        one = Outlook(best, second, fsum([*after, *before]), rotation)
        if not any(_is_outlook_no_worse(other, one) for other in found):
            found = [*(other for other in found if not _is_outlook_no_worse(one, other)), one]
    return tuple(found)


def _is_outlook_no_worse(one: Outlook, other: Outlook) -> bool:
    return one.growth >= other.growth and one.best >= other.best and one.second >= other.second


def promise_of_pond(pond: Pond) -> float:
    """Returns what an open pond may bring: the fewer its mouths, the surer."""
    points, mouths = worth_of_pond(pond.animals).points, pond.open
    return 0.3 * points / mouths if mouths < 4 else 0.05 * points


# --- the estimate --------------------------------------------------------------------------------------------


class Terms(NamedTuple):
    """The numbers of the formula, for any number of players."""

    each: float
    """This many points a breeder brings that has all the time it needs."""
    crowd: float
    """This many rounds a breeder waits for each that its seat has left, before it has brought half of that."""
    spread: float
    """How uncertain one breeder a seat makes the points at the end."""
    least: float
    """The uncertainty of the rest, in breeders."""


FITTED = Terms(each=6.5, crowd=0.65, spread=1.45, least=0.1)


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win at the beginning of a round; None within one, and after the end."""
    if state.phase != "pick" or state.step:
        return None
    return chances_to_win(scores(state), state.breeders, rounds_left(state))


def rounds_left(state: State) -> float:
    """Returns how many rounds there will be, the one that begins included."""
    return len(state.stock) / (2 * state.seats) + 1


def chances_to_win(
    points: Sequence[int], breeders: Sequence[int], rounds: float, terms: Terms = FITTED
) -> tuple[float, ...]:  # fmt: skip
    """Returns each seat's chance to end with most points, of these points and breeders: a logistic model.

    >>> [round(chance, 2) for chance in chances_to_win((9, 5, 5), (1, 1, 2), 4)]
    [0.45, 0.04, 0.51]
    """
    expected = [
        n + terms.each * left * rounds / (rounds + terms.crowd * left) for n, left in zip(points, breeders, strict=True)
    ]
    spread = terms.spread * sqrt(terms.least + sum(breeders) / len(breeders))
    return chances_by_expected_points(expected, spread)
