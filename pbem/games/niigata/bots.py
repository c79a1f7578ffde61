"""Bots that fill seats: each decides from its own fold alone."""

from pbem.games.niigata.facts import Claim, Place, State, Take
from pbem.games.niigata.facts_tiles import FACES, ROTATIONS, Tile
from pbem.games.niigata.rules import PASS, takeable
from pbem.games.niigata.rules_ponds import in_order, join, worth
from pbem.kit.chance import Chance
from pbem.kit.contract import Move


def greedy(fold: State, seat: int, chance: Chance) -> Move:
    """Takes the tile that closes or prepares most, lays it there, and spends breeders as long as they last."""
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
    """The fewest points for which a breeder is spent: the more tiles are to come for each breeder, the more.

    A breeder is spent once and for all, and a pond of six points is not rare while ponds are still growing. With no
    more tiles than breeders to come, any point is better than a breeder left over.
    """
    to_lay = len(fold.stock) / (2 * fold.seats) + len(fold.hands[seat])
    chances = to_lay / max(1, fold.breeders[seat])
    return 6 if chances > 3 else 5 if chances > 1.5 else 4 if chances > 1 else 1


def best_place(fold: State, seat: int, tile: Tile) -> tuple[float, Place]:
    """The best place for a tile and how good it is."""
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
    """How good a placement is: the pond one can claim, less what the others can, and what grows."""
    ponds, names = join(fold.ponds, fold.frontier[cell], cell, FACES[tile][rotation])
    gain, growth = [here], 0.0
    for pond in ponds.values():
        points = worth(pond.animals).points
        if not pond.open:
            gain.append(points)
        else:
            growth += _promise(points, pond.open)
    # Sorted: a sum of floats depends on its order, that of a set on the process, and luck must do the same in each.
    for name in sorted({*ponds, *names} & fold.ponds.keys()):
        before = fold.ponds[name]
        growth -= _promise(worth(before.animals).points, before.open)
    gain.sort()
    mine = bool(fold.breeders[seat])
    others = sum(fold.breeders) > fold.breeders[seat]
    left = gain[-2] if mine and len(gain) > 1 else (0 if mine else gain[-1])
    return (gain[-1] if mine else 0) - (0.5 * left if others else 0) + growth


def _promise(points: int, mouths: int) -> float:
    """What an open pond may bring: the fewer mouths it has, the surer."""
    return 0.3 * points / mouths if mouths < 4 else 0.05 * points
