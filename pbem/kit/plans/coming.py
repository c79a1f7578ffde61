"""What could come next, as one seat can foresee it from its own fold."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from pbem.kit.contract import AnyGame, Ask, Event, Move


class Coming(msgspec.Struct, frozen=True):
    """What could come next.

    own      the viewer is asked, and chooses among `moves`
    other    another is asked, and all that they may answer is public: the viewer supposes one of `moves`
    fact     one of these `facts` comes: by luck, by itself, or because another answers
    unknown  nobody can say from what the viewer knows
    over     nothing: the match would be over
    """

    kind: Literal["own", "other", "fact", "unknown", "over"]
    ask: Ask | None = None
    moves: Sequence[Move] = ()
    facts: tuple[Event, ...] = ()


def what_comes(game: AnyGame, fold: Any, viewer: int, since: Sequence[Event]) -> Coming:
    """Returns what could come next. `fold` is the viewer's own after the facts `since` those that really happened."""
    facts = game.supposable(fold, viewer, since)
    if facts is None:
        return Coming("unknown")
    if facts:
        return Coming("fact", facts=tuple(facts))
    asks = game.pending(fold)
    own = next((ask for ask in asks if ask.seat == viewer), None)
    if own is not None:
        return Coming("own", own, game.legal(fold, viewer))
    if len(asks) == 1 and game.meta.asks[asks[0].kind].public:
        return Coming("other", asks[0], game.legal(fold, asks[0].seat))
    return Coming("unknown" if game.outcome(fold) is None else "over")
