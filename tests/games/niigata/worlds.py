"""Other full logs of a match of Niigata that nobody can distinguish from the true one.

Only the order of the stock below the revealed tiles, and which tiles were put away, are hidden. Neither ever
becomes known in the match, so any order of those tiles is another world for every viewer alike.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pbem.games.niigata.facts import Claim, LaidOut, Pass, Place, Take, Thrown
from pbem.games.niigata.facts_tiles import NAMES
from pbem.kit.chance import SeedChance
from pbem.kit.contract import Move, Viewer
from pbem.kit.replay import AnyEntry


def worlds(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    """Up to `limit` other logs with the same redacted form for this viewer, each one the rules could produce."""
    laid_out: LaidOut = entries[0].event
    shown = sum(len(e.event.display) for e in entries if isinstance(e.event, Thrown))
    hidden = (*laid_out.stock[shown:], *laid_out.removed)
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    left = len(laid_out.stock) - shown
    for _ in range(limit if len(hidden) > 1 else 0):
        other = luck.shuffled(hidden)
        while other == hidden:
            other = luck.shuffled(hidden)
        event = replace(laid_out, stock=(*laid_out.stock[:shown], *other[:left]), removed=other[left:])
        yield [replace(entries[0], event=event), *entries[1:]]


BLIND_MOVES = ("Take",)
"""Moves after which no tile is turned up: the last placement of a round, and passes, may bring a new display."""

TRIES: tuple[Move, ...] = (
    Pass(),
    *(Take(tile) for tile in NAMES[::7]),
    *(Place(tile, cell, 1) for tile in NAMES[::13] for cell in ("0", "1N", "2W1S", "9E9S")),
    *(Claim(pond) for pond in ("0.N", "0.S", "1N.E", "9W.W")),
)
"""Moves that somebody might try, legal or not."""
