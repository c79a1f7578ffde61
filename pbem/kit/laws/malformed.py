"""Malformed moves: legal moves with one value outside what its type allows, and words that name no move at all.

The codec refuses the former before a game sees them. Built in Python, such a move exists all the same, and a game must
treat it like any other illegal move: it is not `in legal`, and `decide` raises IllegalMove.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import AnyGame, Move

_FAR = 1000

COURTESIES = (
    "thank you", "Thanks!", "merci", "Merci !", "and you", "please", "svp", "hello", "bonjour", "cheers", "the", "-",
    "…",
)  # fmt: skip
"""Words that people write around a move. A pass needs a word that names it."""
ARTICLE = "a"
"""No move by itself; but it may answer the question for a seat, which A is one of."""


def moves_out_of_bounds(game: AnyGame, move: Move) -> Iterator[Move]:
    """Yields the move with one of its values out of bounds, in every way that the game's types refuse.

    >>> from pbem.games.niigata import GAME
    >>> from pbem.games.niigata.facts import Place
    >>> [str(m.rotation) for m in moves_out_of_bounds(GAME, Place("N20", "1E", 0)) if (m.tile, m.cell) == ("N20", "1E")]
    ['-1', '4', '1000']
    """
    codec = codec_for(game)
    for strange in bend(move):
        try:
            codec.move_of(plain(strange))
        except msgspec.ValidationError:
            yield strange


def bend(value: Any) -> Iterator[Any]:
    """Yields the value with one number or word replaced, or with one item missing or repeated."""
    match value:
        case None:
            yield from (-1, _FAR)
        case bool():
            return
        case int():
            yield from (-1, *range(value + 1, value + 5), _FAR)
        case str():
            yield from ("", "?", f"{value}?", f"{value}\n")
        case tuple():
            yield from ((), (*value, *value[:1]), value[1:])
            for at, item in enumerate(value):
                yield from ((*value[:at], other, *value[at + 1 :]) for other in bend(item))
        case msgspec.Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            for name, field in fields.items():
                yield from (type(value)(**{**fields, name: other}) for other in bend(field))
