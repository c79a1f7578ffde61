"""What is kept of a match: folds that are written down and read again go on as if they had not been."""

from typing import Any

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame
from pbem.kit.secrecy import redact
from pbem.testing.records import record


def check_folds(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Writes every fold of a random match down after each event, and goes on from what is read. Raises LawBroken."""
    table, codec = record(game, seats, options, seed).table, codec_for(game)
    for viewer in table.viewers:
        fold: Any = None
        for entry in table.entries:
            fold = game.evolve(fold, redact(entry.event, viewer))
            read = codec.state(encode(fold))
            if read != fold:
                raise table.broken(f"the fold of {viewer} after {entry.event} reads back as something else: {read}")
            fold = read
        if fold != table.folds[viewer]:
            raise table.broken(f"the fold of {viewer} goes on otherwise once it was written down")
