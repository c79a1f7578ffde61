"""The analysis of a match that is over, for anyone who may see its whole replay.

    request_analysis    a row, unless there is one
    analyse             a worker claims the one that has waited longest, with a lease, and works on it for a moment;
                        again and again, until it is whole
    read_analysis       how far it is, and all of it in the end

1. Nothing is told of a match that is not over, not even whether somebody has asked.
2. It is made once: from the log alone, with luck that follows from the log, so a second time would give the same.
3. A worker works on it for a moment only, so that bots that think get their turn; then it is woken again.
4. It names nobody and tells nothing that the log does not, so it stays as long as its match, no matter who is erased.
"""

import time
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
import structlog
from sqlalchemy import Connection, Row, func, select, update

from pbem.errors import N_, NotOver, TooMany
from pbem.features.analysis.course import (
    Course,
    Moment,
    TurningPoint,
    analyse_position,
    course_of_finished_match,
    turning_points,
    version_of_analyses,
)
from pbem.features.analysis.tables import AnalysisRow
from pbem.features.slices import FAILED, Slice, Slices
from pbem.kit.codec import encode
from pbem.kit.contract import Viewer
from pbem.kit.logs.fortunes import Drawn, draws_by_kind_with_fortunes
from pbem.models.tables import table
from pbem.services.findings import Due, count_due
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet

OPEN_ALL = 60
"""How many analyses may be unfinished at once."""
STRANGERS_OPEN = 30
"""From this many on, none is taken on for spectators, so that they cannot keep those who played from having theirs."""
RETRY_S = 60
MADE = "made"
"""The result of an analysis; else it is `FAILED`."""

RUN_S = 3.0
"""The seconds after which a worker begins no other position."""
ANY_SEAT = 0
"""A match that is over shows all of its log to each of its seats; no one else sees what is worked out here."""

log = structlog.get_logger()


class Findings(msgspec.Struct, frozen=True):
    """What there is of an analysis: its positions in order, and in the end what follows from all of them.

    `drawn` is how lucky the seats were, as on the page about the luck of the match.
    """

    moments: tuple[Moment, ...] = ()
    turning_points: tuple[TurningPoint, ...] = ()
    drawn: tuple[Drawn, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """How far the analysis of a match is. `findings`: None until it is made.

    `asked`: somebody has asked for it, and it has not failed. `total` is 0 until a worker has looked at the match.
    """

    sheet: Sheet
    version: int
    asked: bool = False
    done: int = 0
    total: int = 0
    failed: bool = False
    findings: Findings | None = None

    @property
    def is_in_progress(self) -> bool:
        """True while it is worked out."""
        return self.asked and self.findings is None


_t = table(AnalysisRow)


def _log_failure(row: Row[Any], error: Exception) -> None:
    log.error("analysis.failed", match=row.match_id, exc_info=error)


ANALYSES = Slices(
    _t, "match_id", [*_t.c], ("done", "version"), timedelta(minutes=3), empty={"data": None}, counter="analyses",
    labels=(), report=_log_failure,
)  # fmt: skip


def request_analysis(site: Site, match_id: str, viewer: Viewer) -> Analysis:
    """Has the match analysed, unless it is or has been; returns how far that is.

    Raises NoMatch, NotOver, and TooMany.
    """
    found = read_analysis(site, match_id, viewer)
    if found.asked:
        return found
    now = site.now()
    fresh = {
        "version": version_of_analyses(found.sheet.game), "done": 0, "total": 0, "created_at": now, "turn_at": now,
        "claimed_until": None, "attempts": 0, "done_at": None, "result": None, "data": None,
    }  # fmt: skip
    with site.writing() as work:
        waiting = select(func.count()).select_from(_t).where(_t.c.done_at.is_(None))
        if work.execute(waiting).scalar_one() >= (STRANGERS_OPEN if viewer is None else OPEN_ALL):
            message = N_("Too many matches are being analysed at the moment. Please try again later.")
            raise TooMany(message, retry_after=RETRY_S)
        if not insert_row_unless_key_exists(work, AnalysisRow, {"match_id": match_id, **fresh}):
            # Of two requests at once the second finds it fresh, and changes nothing.
            work.execute(update(_t).where(_t.c.match_id == match_id, _t.c.result == FAILED).values(**fresh))
        work.wakes = True
    return read_analysis(site, match_id, viewer)


def read_analysis(site: Site, match_id: str, viewer: Viewer) -> Analysis:
    """Returns how far the analysis of the match is. Raises NoMatch, NotOver."""
    sheet = match_views.read_sheet(site, match_id, viewer)
    if sheet.over and sheet.sealed:
        raise NotOver(N_("Other tables play the same deal: this match can be analysed when the last of them is over."))
    if not sheet.over:
        raise NotOver(N_("A match can be analysed once it is over."))
    key = ("analysis", match_id, sheet.version)
    kept: Analysis | None = site.results.find(key)
    if kept is not None:
        return Analysis(sheet, kept.version, True, kept.done, kept.total, findings=kept.findings)
    with site.reading() as session:
        wanted = [_t.c.version, _t.c.done, _t.c.total, _t.c.result]
        row = session.execute(select(*wanted).where(_t.c.match_id == match_id)).first()
        if row is None:
            return Analysis(sheet, version_of_analyses(sheet.game))
        if row.result != MADE:
            return Analysis(sheet, row.version, row.result is None, row.done, row.total, row.result == FAILED)
        data = session.execute(select(_t.c.data).where(_t.c.match_id == match_id)).scalar()
    found = Analysis(sheet, row.version, True, row.done, row.total, findings=unpack_findings(data))
    site.results.keep(key, found)
    return found


def pack_findings(findings: Findings) -> bytes:
    """Returns the findings as a row holds them."""
    return zlib.compress(encode(findings), 9)


def unpack_findings(data: bytes | None) -> Findings:
    """Returns the findings of a row; those of one that has just begun are empty."""
    return msgspec.json.decode(zlib.decompress(data), type=Findings) if data else Findings()


def continue_longest_waiting_analysis(site: Site) -> int:
    """Works out positions of the analysis that has waited longest; returns their number. Safe to run twice at once."""
    return ANALYSES.work_on_next_row(site, _analyse_next_slice)


def _analyse_next_slice(site: Site, row: Row[Any]) -> Slice:
    """Works out positions for a moment, at least one. Raises Busy."""
    until = time.monotonic() + RUN_S
    course = _course_of_match(site, row.match_id)
    version = version_of_analyses(course.log.game)
    moments = [*unpack_findings(row.data).moments] if row.version == version else []
    new, total = 0, len(course.positions)
    while len(moments) < total and not (new and (time.monotonic() > until or site.stopping())):
        moments.append(analyse_position(course, len(moments)))
        new += 1
    found = Findings(tuple(moments))
    if len(moments) == total:
        drawn = tuple(draws_by_kind_with_fortunes(course.log, course.draws))
        found = msgspec.structs.replace(found, turning_points=turning_points(moments), drawn=drawn)
    values = {"version": version, "done": len(moments), "total": total, "data": pack_findings(found)}
    return Slice(new, values, MADE if len(moments) == total else None)


def _course_of_match(site: Site, match_id: str) -> Course:
    """Returns the course of the match; the next run of this process finds it in the cache."""
    key = ("course", match_id)
    found: Course | None = site.results.find(key)
    if found is None:
        found = course_of_finished_match(match_views.read_log(site, match_id, ANY_SEAT))
        site.results.keep(key, found)
    return found


def count_analyses_due(connection: Connection, now: datetime) -> Due:
    """Returns the analyses of matches that are not finished, by when their last positions were worked out."""
    return count_due(connection, now, _t.c.turn_at, _t.c.done_at.is_(None))
