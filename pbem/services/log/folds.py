"""What everybody knew after some entries of a log, kept beside it in rows of `folds`.

A row holds it for the entries up to its number `n`, packed (`pbem.kit.folds`). Two rows of a match are kept: the lines
that a page shows need an earlier fold, a move needs the latest.

A row is made of entries that never change, so it is always right, unless something before it is taken back later: then
the log says so after it (see `store`). If one cannot be read the log is folded, so any row may be deleted at any time;
the next move keeps another. It is neither shown nor exported, nor written into any log line.
"""

from collections.abc import Sequence
from typing import Any

import structlog

from pbem.kit.contract import AnyGame
from pbem.kit.folds import Folds, KeptFolds, Unreadable, pack_folds, unpack_folds
from pbem.kit.replay import AnyEntry, Undone
from pbem.services import statements
from pbem.services.statements import Written

EVERY = 64
"""A row is written when an append passes a multiple of this."""

log = structlog.get_logger()


def unpack_kept_row_or_log(match_id: str, game: AnyGame, seats: int, row: Sequence[Any]) -> KeptFolds | int | None:
    """Returns what this row, its number and its bytes, holds; another fold version; None, and logs it, if damaged."""
    try:
        return unpack_folds(game, row[0], seats, row[1])
    except Unreadable:
        log_unreadable_folds(match_id)
        return None


def log_unreadable_folds(match_id: str) -> None:
    """Logs that a row of the match cannot be read, and not what is in it."""
    log.warning("folds.unreadable", match=match_id)


def statements_to_keep(match_id: str, game: AnyGame, n: int, folds: Folds) -> list[Written]:
    """Returns the statements that keep these folds after entry `n`, and forget all rows but that and the one before."""
    return [
        Written(statements.KEEP_FOLDS, {"match_id": match_id, "n": n, "body": pack_folds(game, folds)}),
        Written(statements.FORGET_FOLDS, {"of_match": match_id, "kept_n": n}),
    ]


def is_other_row_missing(n: int, version: int) -> bool:
    """True if the earlier of the rows of a match, after entry `n`, is as late as the other one should be."""
    return version >= 2 * EVERY and n // EVERY == version // EVERY


def entry_numbers_to_keep_folds_at(log: Sequence[AnyEntry]) -> list[int]:
    """Returns after which entries folds of this log are kept, the earlier one first: two at most.

    Moves keep them where they pass a multiple of EVERY: there a decision ends, and all before it still counts.
    """
    ends, to = dict[int, int](), len(log)
    for entry, later in zip(reversed(log), (None, *reversed(log)), strict=False):
        if entry.n <= to and (later is None or later.key != entry.key):
            ends[entry.n // EVERY] = entry.n
        if isinstance(entry.event, Undone):
            to = min(to, entry.event.to)
    latest = sorted(ends.values())[-2:]
    return latest if len(log) >= 2 * EVERY else [n for n in latest if n >= EVERY]
