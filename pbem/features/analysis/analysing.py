"""Works out the analyses that are due, some positions at a time, in any number of workers.

A slice is worked on for a moment only, so that bots that think get their turn; then the worker is woken again.
"""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
import structlog
from sqlalchemy import Row

from pbem.errors import Busy, GameUnavailable
from pbem.features.analysis.analyses import FAILED, MADE, Findings, pack, unpack
from pbem.features.analysis.tables import AnalysisRow
from pbem.kit.analysis import Course, course_of, moment_of, turning_points, version_for
from pbem.kit.logs.fortunes import fortunes_of
from pbem.models.tables import table
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.site import Site
from pbem.services.slices import TRIES, Slices
from pbem.services.views import match_views

RUN_S = 3.0
"""The seconds after which a worker begins no other position."""
ANY_SEAT = 0
"""A match that is over shows all of its log to each of its seats; no one else sees what is worked out here."""

log = structlog.get_logger()

_ROWS = table(AnalysisRow)
_ANALYSES = Slices(_ROWS, "match_id", [*_ROWS.c], ("done", "version"), timedelta(minutes=3))


def analyse(site: Site) -> int:
    """Works out positions of the analysis that has waited longest; returns their number. Safe to run twice at once."""
    row = _ANALYSES.claim(site)
    if row is None:
        return 0
    if row.attempts > TRIES:
        _store(site, row, {"result": FAILED, "done_at": site.now(), "data": None})
        return 0
    try:
        piece = _work_out(site, row)
    except Busy:
        _ANALYSES.give_back(site, row)
        raise
    except GameUnavailable:
        _ANALYSES.give_back(site, row, timedelta(seconds=GAME_RETRY_S))
        return 0
    except Exception:
        log.exception("analysis.failed", match=row.match_id)  # a fault of ours: it would fail again
        piece = None
    if piece is None:
        _store(site, row, {"result": FAILED, "done_at": site.now(), "data": None})
        return 0
    stored = _store(site, row, piece.values(site))
    if not site.stopping() and is_due(site):
        site.wake()
    return piece.new if stored else 0


def is_due(site: Site) -> bool:
    """Returns whether there is an analysis to work on that nobody is working on."""
    return _ANALYSES.is_due(site)


@dataclass(frozen=True)
class _Piece:
    """What there is after a run, of so many positions, `new` of which are from this run."""

    findings: Findings
    new: int
    total: int
    version: int

    def values(self, site: Site) -> dict[str, Any]:
        """Returns the columns of the row."""
        done, now = len(self.findings.moments), site.now()
        ended = {"done_at": now, "result": MADE} if done == self.total else {}
        data = {"version": self.version, "done": done, "total": self.total, "data": pack(self.findings)}
        return {**data, "attempts": 0, "turn_at": now, **ended}


def _work_out(site: Site, row: Row[Any]) -> _Piece:
    """Works out positions for a moment, at least one. Raises Busy."""
    until = time.monotonic() + RUN_S
    course = _course(site, row.match_id)
    version = version_for(course.log.game)
    moments = [*unpack(row.data).moments] if row.version == version else []
    new, total = 0, len(course.positions)
    while len(moments) < total and not (new and (time.monotonic() > until or site.stopping())):
        moments.append(moment_of(course, len(moments)))
        new += 1
    found = Findings(tuple(moments))
    if len(moments) == total:
        drawn = tuple(fortunes_of(course.log, course.draws))
        found = msgspec.structs.replace(found, turning_points=turning_points(moments), drawn=drawn)
    return _Piece(found, new, total, version)


def _course(site: Site, match_id: str) -> Course:
    """Returns the course of the match; the next run of this process finds it in the cache."""
    key = ("course", match_id)
    found: Course | None = site.results.find(key)
    if found is None:
        found = course_of(match_views.read_log(site, match_id, ANY_SEAT))
        site.results.keep(key, found)
    return found


def _store(site: Site, row: Row[Any], values: dict[str, Any]) -> bool:
    """Stores these columns and ends the claim, unless another worker has been faster; returns True if it has done."""
    with site.writing() as work:
        stored = _ANALYSES.store(work, row, values)
        if stored and values.get("result") is not None:
            work.count("analyses", values["result"])
    return stored
