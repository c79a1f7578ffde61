"""Draws the pictures of replays that are due, some frames at a time, in any number of workers.

Frames are drawn from the replay as its viewer may see it now, for a moment only, so that mails and clocks get their
turn; then the worker is woken for the next ones.
"""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import Row, select

from pbem.errors import Busy, GameUnavailable, Problem
from pbem.features.pictures import gif
from pbem.features.pictures.boards import Boards
from pbem.features.pictures.pictures import FACTS, FAILED, LARGE, LARGEST, MADE, STALE, digest, read_eyes
from pbem.features.pictures.reels import Reel
from pbem.features.pictures.tables import ReplayPicture
from pbem.features.slices import TRIES, Slices
from pbem.models.tables import table
from pbem.render.pictures import fault_of
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.site import Site
from pbem.services.views import match_views, replays
from pbem.services.views.replays import MatchReplay

RUN_S = 2.0
"""The seconds after which a worker begins no other frame."""

log = structlog.get_logger()

_t = table(ReplayPicture)
_PICTURES = Slices(_t, "id", FACTS, ("drawn",), timedelta(minutes=2))


def draw_frames(site: Site) -> int:
    """Draws frames of the picture that has waited longest; returns their number. Safe to run twice at once."""
    row = claim_picture(site)
    if row is None:
        return 0
    if row.attempts > TRIES:
        _close(site, row, FAILED)
        return 0
    try:
        piece = _draw_or_close(site, row)
        stored = _store(site, row, piece) if piece.data is not None else _close(site, row, piece.result or FAILED)
    except Busy:
        _PICTURES.give_back(site, row)
        raise
    except GameUnavailable:
        _PICTURES.give_back(site, row, timedelta(seconds=GAME_RETRY_S))
        return 0
    if not site.stopping() and _PICTURES.is_due(site):
        site.wake()
    return piece.frames if stored else 0


def claim_picture(site: Site) -> Row[Any] | None:
    """Claims the picture that has waited longest, and returns its row without the data; None if nothing is due."""
    return _PICTURES.claim(site)


@dataclass(frozen=True)
class _Piece:
    """What a run has drawn: the file as far as it is, and how many frames more; or why it ends without."""

    data: bytes | None = None
    frames: int = 0
    result: str | None = None


def _draw_or_close(site: Site, row: Row[Any]) -> _Piece:
    """Draws frames, or says why there will be none. Raises Busy, GameUnavailable."""
    try:
        return _draw(site, row)
    except (Busy, GameUnavailable):
        raise
    except Problem:  # nobody may watch any more, or the match was never begun again
        return _Piece(result=STALE)
    except Exception as error:  # noqa: BLE001 - a fault of ours: it would fail again
        # Without the traceback, which may quote the board, with names and hands.
        log.error("picture.failed", picture=row.id, kind=row.kind, fault=fault_of(error))
        return _Piece(result=FAILED)


def _draw(site: Site, row: Row[Any]) -> _Piece:
    """Draws frames for a moment, at least one. Raises Problem if the picture may not be seen any more."""
    until = time.monotonic() + RUN_S
    seen = replays.read_replay(site, row.match_id, row.seat, row.lang, read_eyes(row.eyes))
    if digest(seen.names, seen.entries, row.last_n) != row.seen:
        return _Piece(result=STALE)
    if row.kind == "htm":
        return _add_boards(site, row, seen, until)
    reel = Reel(seen, [step for step in seen.steps if row.first_n <= step.entry <= row.last_n], row.theme)
    if row.kind == "png":
        return _Piece(reel.png(), 1, MADE)
    data = _earlier_drawing(site, row) or reel.head()
    frames = 0
    for at in range(row.drawn, row.total):
        if frames and (time.monotonic() > until or site.stopping()):
            return _Piece(data, frames)
        data += reel.frame(data, at, row.frame_ms)
        frames += 1
        if len(data) > LARGEST:
            return _Piece(result=LARGE)
    return _Piece(data + gif.TAIL, frames, MADE)


def _add_boards(site: Site, row: Row[Any], seen: MatchReplay, until: float) -> _Piece:
    """Draws boards of a saved page for a moment, at least one; what completes the page counts as the last one."""
    boards = Boards(_earlier_drawing(site, row))
    for at in range(row.drawn, row.total - 1):
        if at > row.drawn and (time.monotonic() > until or site.stopping()):
            return _piece_of(boards.data(), at - row.drawn)
        boards.add(seen.picture(seen.steps[at]))
    if row.drawn < row.total - 1 and time.monotonic() > until:
        return _piece_of(boards.data(), row.total - 1 - row.drawn)
    log = match_views.read_log(site, row.match_id, row.seat)
    return _piece_of(boards.finish(log), row.total - row.drawn, MADE)


def _piece_of(data: bytes, frames: int, result: str | None = None) -> _Piece:
    return _Piece(data, frames, result) if len(data) <= LARGEST else _Piece(result=LARGE)


def _earlier_drawing(site: Site, row: Row[Any]) -> bytes:
    """Returns what earlier runs have drawn."""
    if not row.drawn:
        return b""
    with site.reading() as session:
        return session.execute(select(_t.c.data).where(_t.c.id == row.id)).scalar() or b""


def _store(site: Site, row: Row[Any], piece: _Piece) -> bool:
    """Stores the frames unless another worker has been faster; returns True if they are stored."""
    assert piece.data is not None, "a piece without data is closed"
    now, drawn = site.now(), row.drawn + piece.frames
    values = {"data": piece.data, "size": len(piece.data), "drawn": drawn, "attempts": 0, "turn_at": now}
    values |= {"done_at": now if piece.result else None, "result": piece.result}
    with site.writing() as work:
        stored = _PICTURES.store(work, row, values)
        if stored and piece.result is not None:
            work.count("pictures", row.kind, piece.result)
    return stored


def _close(site: Site, row: Row[Any], result: str) -> bool:
    """Closes the picture without a file; returns True unless another worker has been faster."""
    with site.writing() as work:
        values = {"data": None, "size": 0, "done_at": site.now(), "result": result}
        closed = _PICTURES.store(work, row, values)
        if closed:
            work.count("pictures", row.kind, result)
    return closed
