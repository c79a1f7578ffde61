"""The bots of Niigata. Each decides from its own fold alone."""

from pbem.games.niigata.facts import Claim, Place, State, Take
from pbem.games.niigata.facts_tiles import FACES, ROTATIONS, Tile
from pbem.games.niigata.rules import PASS, takeable
from pbem.games.niigata.rules_ponds import in_order, join, worth
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the tile or cell that closes or prepares most, and spends breeders while they last."""
    fold: State = view.fold
    if fold.phase == "pick":
        wanted = [tile for tile in fold.display if tile in takeable(fold)]
        return Take(max(wanted, key=lambda tile: best_place(fold, seat, tile)[0])) if wanted else PASS
    if fold.phase == "place":
        return max((best_place(fold, seat, tile) for tile in fold.hands[seat]), key=lambda found: found[0])[1]
    if fold.phase == "claim":
        best = max(fold.free, key=lambda name: worth(fold.ponds[name].animals).points)
        return Claim(best) if worth(fold.ponds[best].animals).points >= least(fold, seat) else PASS
    raise ValueError("the seat is asked nothing")


def least(fold: State, seat: int) -> int:
    """Returns the fewest points for which to spend a breeder: the more tiles to come per breeder, the more points.

    A breeder is spent once and for all, and a pond of six points is not rare while ponds are still growing. If no
    more tiles than breeders are left, any point is better than an unused breeder.
    """
    to_lay = len(fold.stock) / (2 * fold.seats) + len(fold.hands[seat])
    chances = to_lay / max(1, fold.breeders[seat])
    return 6 if chances > 3 else 5 if chances > 1.5 else 4 if chances > 1 else 1


def best_place(fold: State, seat: int, tile: Tile) -> tuple[float, Place]:
    """Returns the best place for a tile, and its value."""
    best: tuple[float, Place] | None = None
    here = max((worth(fold.ponds[name].animals).points for name in fold.free), default=0)
    for cell in in_order(fold.frontier):
        for rotation in ROTATIONS[tile]:
            good = value(fold, seat, tile, cell, rotation, here)
            if best is None or good > best[0]:
                best = good, Place(tile, cell, rotation)
    assert best is not None, "there is always an empty cell beside a tile"
    return best


def value(fold: State, seat: int, tile: Tile, cell: str, rotation: int, here: int) -> float:
    """Returns the value of a placement: the pond the seat can claim, less what the others can, plus growing ponds."""
    ponds, names = join(fold.ponds, fold.frontier[cell], cell, FACES[tile][rotation])
    gain, growth = [here], 0.0
    for pond in ponds.values():
        points = worth(pond.animals).points
        if not pond.open:
            gain.append(points)
        else:
            growth += _promise(points, pond.open)
    # Sorted: a sum of floats depends on its order, and a set's order on the process; all processes must agree.
    for name in sorted({*ponds, *names} & fold.ponds.keys()):
        before = fold.ponds[name]
        growth -= _promise(worth(before.animals).points, before.open)
    gain.sort()
    has_breeder = bool(fold.breeders[seat])
    others = sum(fold.breeders) > fold.breeders[seat]
    left = gain[-2] if has_breeder and len(gain) > 1 else (0 if has_breeder else gain[-1])
    return (gain[-1] if has_breeder else 0) - (0.5 * left if others else 0) + growth


def _promise(points: int, mouths: int) -> float:
    """Returns what an open pond may bring: the fewer its mouths, the surer."""
    return 0.3 * points / mouths if mouths < 4 else 0.05 * points
