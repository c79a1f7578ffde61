"""The bots of Niigata. Each decides from its own fold alone."""

from collections.abc import Iterable, Sequence

from pbem.games.niigata.bots_outlooks import corners, outlooks, turned
from pbem.games.niigata.facts import Claim, Place, State, Take
from pbem.games.niigata.facts_tiles import Tile
from pbem.games.niigata.rules import PASS, takeable
from pbem.games.niigata.rules_ponds import in_order, worth
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

_BITS = 32


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the tile or cell that closes or prepares most, and spends breeders while they last."""
    fold: State = view.fold
    return _claim(fold, seat) if fold.phase == "claim" else _best(fold, seat, in_order(fold.frontier))


def quick(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns what `greedy` would, had it looked at every other cell or so: which ones is drawn each time."""
    fold: State = view.fold
    return _claim(fold, seat) if fold.phase == "claim" else _best(fold, seat, _some(in_order(fold.frontier), chance))


def _some(cells: Sequence[str], chance: Chance) -> Sequence[str]:
    """Returns about half of the cells, at least one."""
    some: list[str] = []
    for start in range(0, len(cells), _BITS):
        drawn = chance.below(1 << _BITS)
        some += [cell for at, cell in enumerate(cells[start : start + _BITS]) if drawn >> at & 1]
    return some or cells


def _claim(fold: State, seat: int) -> Move:
    points = {name: worth(fold.ponds[name].animals).points for name in fold.free}
    best = max(fold.free, key=points.__getitem__)
    return Claim(best) if points[best] >= least(fold, seat) else PASS


def least(fold: State, seat: int) -> int:
    """Returns the fewest points for which to spend a breeder: the more tiles to come per breeder, the more points.

    A breeder is spent once and for all, and a pond of six points is not rare while ponds are still growing. If no
    more tiles than breeders are left, any point is better than an unused breeder.
    """
    to_lay = len(fold.stock) / (2 * fold.seats) + len(fold.hands[seat])
    chances = to_lay / max(1, fold.breeders[seat])
    return 6 if chances > 3 else 5 if chances > 1.5 else 4 if chances > 1 else 1


def _best(fold: State, seat: int, cells: Sequence[str]) -> Move:
    """Returns the tile to take or to lay that brings most on these cells."""
    if fold.phase == "place":
        return max(_places(fold, seat, fold.hands[seat], cells), key=lambda found: found[0])[1]
    if fold.phase != "pick":
        raise ValueError("the seat is asked nothing")
    good = takeable(fold)
    wanted = [tile for tile in fold.display if tile in good]
    if len(wanted) < 2:
        return Take(wanted[0]) if wanted else PASS
    return Take(max(_places(fold, seat, wanted, cells), key=lambda found: found[0])[1].tile)


def best_place(fold: State, seat: int, tile: Tile) -> tuple[float, Place]:
    """Returns the best place for a tile, and its value."""
    return next(iter(_places(fold, seat, (tile,), in_order(fold.frontier))))


def _places(fold: State, seat: int, tiles: Iterable[Tile], cells: Sequence[str]) -> Iterable[tuple[float, Place]]:
    """Yields the best place for each tile among these cells, with its value."""
    around = [*corners(fold, cells)]
    has_breeder, others = bool(fold.breeders[seat]), sum(fold.breeders) > fold.breeders[seat]
    here = sorted((worth(fold.ponds[name].animals).points for name in fold.free), reverse=True)
    first = here[0] if here else 0
    for tile in tiles:
        best, good = None, -1000.0
        for corner in around:
            for outlook in outlooks(tile, corner.sides, corner.same):
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
        yield good, Place(tile, best[0].cell, turned(tile, *best))
