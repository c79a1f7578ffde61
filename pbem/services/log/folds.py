"""What everybody knew after some entries of a log, kept beside it; the only module that opens these rows.

A row of `folds` holds it for the entries up to its number `n`, packed: the fold version of the game, the full state,
and what each viewer knew, each in its own JSON, so that a page decodes a single one. Two rows of a match are kept: the
lines that a page shows need an earlier fold, a move needs the latest.

A row is made of entries that never change, so it is always right, unless something before it is taken back later: then
the log says so after it (see `store`). If one cannot be read the log is folded, so any row may be deleted at any time.
It is neither shown nor exported, nor written into any log line.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Viewer
from pbem.kit.folds import Folds, Presence, forgets
from pbem.services import statements
from pbem.services.statements import Written

EVERY = 64
"""A row is written when an append passes a multiple of this."""

log = structlog.get_logger()


class _Body(msgspec.Struct, array_like=True, frozen=True):
    """What a row holds. The states are JSON: the full one, those of spectators and seats, and these faded, if any."""

    version: int
    turns: list[str]
    full: bytes
    seen: list[bytes]
    faded: list[bytes]
    there: Presence


_decoder = msgspec.msgpack.Decoder(_Body)


class Unreadable(Exception):
    """A kept fold is not of the shape that its game says. Nothing of it is in the message."""


@dataclass(frozen=True)
class KeptFolds:
    """What everybody knew after entry `n`, of which each fold is decoded on its own."""

    n: int
    game: AnyGame
    _body: _Body

    @property
    def turns(self) -> Sequence[str]:
        """The turns that had begun; empty in a game in which nothing fades."""
        return self._body.turns

    @property
    def there(self) -> Presence:
        """Who was at the table."""
        return self._body.there

    def own(self, viewer: Viewer, *, faded: bool) -> Any:
        """Returns what the viewer knew, with everything faded or nothing. Raises Unreadable."""
        several = self._body.faded if faded and self._body.faded else self._body.seen
        return self._decode(several[0 if viewer is None else viewer + 1])

    def full(self) -> Any:
        """Returns the state, for the rules and for matches in which nothing is secret any more. Raises Unreadable."""
        return self._decode(self._body.full)

    def everyone(self) -> Folds:
        """Returns all of them, for a writer that goes on from there. Raises Unreadable."""
        body = self._body
        seen = tuple(map(self._decode, body.seen))
        faded = tuple(map(self._decode, body.faded)) or seen
        return Folds(self.full(), seen, faded, frozenset(body.turns), body.there)

    def _decode(self, state: bytes) -> Any:
        try:
            return codec_for(self.game).state(state)
        except msgspec.MsgspecError:
            raise Unreadable from None


def open_row(match_id: str, game: AnyGame, seats: int, row: Sequence[Any]) -> KeptFolds | None:
    """Returns what this row, its number and its bytes, holds; None if another fold version made it or it is damaged."""
    n, packed = row
    try:
        body = _decoder.decode(zlib.decompress(packed))
    except (zlib.error, msgspec.MsgspecError):
        note_unreadable(match_id)
        return None
    known = len(body.seen) == seats + 1 and len(body.faded) == (seats + 1 if forgets(game) else 0)
    return KeptFolds(n, game, body) if body.version == game.meta.fold and known else None


def note_unreadable(match_id: str) -> None:
    """Logs that a row of the match cannot be read, and not what is in it."""
    log.warning("folds.unreadable", match=match_id)


def keep(match_id: str, game: AnyGame, n: int, folds: Folds) -> list[Written]:
    """Returns the statements that keep these folds after entry `n`, and forget all rows but that and the one before."""
    seen = [encode(one) for one in folds.seen]
    faded = [encode(one) for one in folds.faded] if forgets(game) else []
    body = _Body(game.meta.fold, sorted(folds.turns), encode(folds.full), seen, faded, folds.there)
    packed = zlib.compress(msgspec.msgpack.encode(body), 1)
    return [
        Written(statements.KEEP_FOLDS, {"match_id": match_id, "n": n, "body": packed}),
        Written(statements.FORGET_FOLDS, {"of_match": match_id, "kept_n": n}),
    ]
