"""Draws the pictures of replays that are due, some frames at a time, in any number of workers.

Frames are drawn from the replay as its viewer may see it now, for a moment only, so that mails and clocks get their
turn; then the worker is woken for the next ones.
"""

import time
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import Row, select

from pbem.errors import Busy, GameUnavailable, Problem
from pbem.features.pictures.boards import Boards
from pbem.features.pictures.pictures import FACTS, LARGE, LARGEST, MADE, STALE, digest_of_replay, parse_eyes
from pbem.features.pictures.tables import ReplayPicture
from pbem.features.slices import Slice, Slices
from pbem.models.tables import table
from pbem.render.pictures import error_kind_and_place
from pbem.services.site import Site
from pbem.services.views import match_views, replays
from pbem.services.views.replays import MatchReplay

RUN_S = 2.0
"""The seconds after which a worker begins no other frame."""

log = structlog.get_logger()

_t = table(ReplayPicture)


def draw_frames_of_next_picture(site: Site) -> int:
    """Draws frames of the picture that has waited longest; returns their number. Safe to run twice at once."""
    return PICTURES.work_on_next_row(site, _draw_frames_unless_stale)


def _log_failure(row: Row[Any], error: Exception) -> None:
    # Without the traceback, which may quote the board, with names and hands.
    log.error("picture.failed", picture=row.id, kind=row.kind, fault=error_kind_and_place(error))


PICTURES = Slices(
    _t, "id", FACTS, ("drawn",), timedelta(minutes=2), empty={"data": None, "size": 0}, counter="pictures",
    labels=("kind",), report=_log_failure,
)  # fmt: skip


def _draw_frames_unless_stale(site: Site, row: Row[Any]) -> Slice:
    """Draws frames, unless nobody may watch any more or the match was never begun again."""
    try:
        return _draw_slice(site, row)
    except (Busy, GameUnavailable):
        raise
    except Problem:
        return Slice(result=STALE)


def _draw_slice(site: Site, row: Row[Any]) -> Slice:
    """Draws frames for a moment, at least one. Raises Problem if the picture may not be seen any more."""
    from pbem.features.pictures import gif  # where nobody asks for a picture, Pillow is not loaded
    from pbem.features.pictures.reels import Reel

    until = time.monotonic() + RUN_S
    seen = replays.read_replay(site, row.match_id, row.seat, row.lang, parse_eyes(row.eyes))
    if digest_of_replay(seen.names, seen.entries, row.last_n) != row.seen:
        return Slice(result=STALE)
    if row.kind == "htm":
        return _add_boards(site, row, seen, until)
    reel = Reel(seen, [step for step in seen.steps if row.first_n <= step.entry <= row.last_n], row.theme)
    if row.kind == "png":
        return _slice_to_store(row, reel.png_of_first_step(), 1, MADE)
    data = _data_drawn_earlier(site, row) or reel.gif_head()
    at = row.drawn
    while at < row.total and len(data) <= LARGEST:
        if at > row.drawn and (time.monotonic() > until or site.stopping()):
            return _slice_to_store(row, data, at - row.drawn)
        data += reel.gif_frame(data, at, row.frame_ms)
        at += 1
    return _slice_to_store(row, data + gif.TAIL, at - row.drawn, MADE)


def _add_boards(site: Site, row: Row[Any], seen: MatchReplay, until: float) -> Slice:
    """Draws boards of a saved page for a moment, at least one; what completes the page counts as the last one."""
    boards = Boards(_data_drawn_earlier(site, row))
    for at in range(row.drawn, row.total - 1):
        if at > row.drawn and (time.monotonic() > until or site.stopping()):
            return _slice_to_store(row, boards.data_for_next_run(), at - row.drawn)
        boards.add(seen.picture(seen.steps[at]))
    if row.drawn < row.total - 1 and time.monotonic() > until:
        return _slice_to_store(row, boards.data_for_next_run(), row.total - 1 - row.drawn)
    log = match_views.read_log(site, row.match_id, row.seat)
    return _slice_to_store(row, boards.data_of_saved_page(log), row.total - row.drawn, MADE)


def _slice_to_store(row: Row[Any], data: bytes, frames: int, result: str | None = None) -> Slice:
    if len(data) > LARGEST:
        return Slice(result=LARGE)
    return Slice(frames, {"data": data, "size": len(data), "drawn": row.drawn + frames}, result)


def _data_drawn_earlier(site: Site, row: Row[Any]) -> bytes:
    if not row.drawn:
        return b""
    with site.reading() as session:
        return session.execute(select(_t.c.data).where(_t.c.id == row.id)).scalar() or b""
