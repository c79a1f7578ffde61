"""Works out the analyses that are due, some positions at a time, in any number of workers.

1. Claim the one that has waited longest by a conditional UPDATE with a lease: several grow in turn.
2. Work out its next positions, for a moment, so that bots that think get their turn; then wake the worker again.
3. Store them if it is still as far as it was found: of two workers with the same analysis one stores its positions,
   which are the same ones, and after a crash the next one goes on where it ends.
"""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
import structlog
from sqlalchemy import Row, bindparam, or_, select, update

from pbem.errors import Busy
from pbem.kit.analysis.positions import Course, course_of
from pbem.kit.analysis.report import VERSION, moment_of, turning_points
from pbem.kit.logs.fortunes import fortunes_of
from pbem.models.analyses import AnalysisRow
from pbem.models.tables import table
from pbem.services.analysis.analyses import FAILED, MADE, Findings, pack, unpack
from pbem.services.site import Site
from pbem.services.views import match_views

RUN_S = 3.0
"""The seconds after which a worker begins no other position."""
LEASE = timedelta(minutes=3)
TRIES = 3
"""How often an analysis is claimed without any position before it is given up: its worker has died each time."""
ANY_SEAT = 0
"""A match that is over shows all of its log to each of its seats; no one else sees what is worked out here."""

log = structlog.get_logger()

_t = table(AnalysisRow)
_now = bindparam("now", type_=_t.c.turn_at.type)
_due = (_t.c.done_at.is_(None), or_(_t.c.claimed_until.is_(None), _t.c.claimed_until < _now))
_OLDEST = select(_t.c.match_id).where(*_due).order_by(_t.c.turn_at, _t.c.match_id).limit(1)
_TAKE = (
    update(_t)
    .where(_t.c.match_id == _OLDEST.with_for_update(skip_locked=True).scalar_subquery(), *_due)
    .values(claimed_until=bindparam("lease", type_=_t.c.claimed_until.type), attempts=_t.c.attempts + 1)
    .returning(*_t.c)
)


def analyse(site: Site) -> int:
    """Works out positions of the analysis that has waited longest; returns their number. Safe to run twice at once."""
    row = _claim(site)
    if row is None:
        return 0
    if row.attempts > TRIES:
        _store(site, row, {"result": FAILED, "done_at": site.now(), "data": None})
        return 0
    try:
        piece = _work_out(site, row)
    except Busy:
        _give_back(site, row)
        raise
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


def _claim(site: Site) -> Row[Any] | None:
    if not is_due(site):  # most ticks find nothing and need no write lock
        return None
    now = site.now()
    with site.writing() as work:
        return work.connection().execute(_TAKE, {"now": now, "lease": now + LEASE}).first()


def is_due(site: Site) -> bool:
    """Returns whether there is an analysis to work on that nobody is working on."""
    with site.one_statement() as connection:
        return connection.execute(_OLDEST, {"now": site.now()}).first() is not None


@dataclass(frozen=True)
class _Piece:
    """What there is after a run, of so many positions, `new` of which are from this run."""

    findings: Findings
    new: int
    total: int

    def values(self, site: Site) -> dict[str, Any]:
        """Returns the columns of the row."""
        done, now = len(self.findings.moments), site.now()
        ended = {"done_at": now, "result": MADE} if done == self.total else {}
        data = {"version": VERSION, "done": done, "total": self.total, "data": pack(self.findings)}
        return {**data, "attempts": 0, "turn_at": now, **ended}


def _work_out(site: Site, row: Row[Any]) -> _Piece:
    """Works out positions for a moment, at least one. Raises Busy."""
    until = time.monotonic() + RUN_S
    course = _course(site, row.match_id)
    moments = [*unpack(row.data).moments] if row.version == VERSION else []
    new, total = 0, len(course.positions)
    while len(moments) < total and not (new and (time.monotonic() > until or site.stopping())):
        moments.append(moment_of(course, len(moments)))
        new += 1
    found = Findings(tuple(moments))
    if len(moments) == total:
        drawn = tuple(fortunes_of(course.log, course.draws))
        found = msgspec.structs.replace(found, turning_points=turning_points(moments), drawn=drawn)
    return _Piece(found, new, total)


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
    as_found = (
        _t.c.match_id == row.match_id, _t.c.done_at.is_(None), _t.c.done == row.done,
        _t.c.version == row.version, _t.c.created_at == row.created_at,
    )  # fmt: skip
    with site.writing() as work:
        changed = update(_t).where(*as_found).values(claimed_until=None, **values)
        stored = bool(work.connection().execute(changed).rowcount)
        if stored and values.get("result") is not None:
            work.count("analyses", values["result"])
    return stored


def _give_back(site: Site, row: Row[Any]) -> None:
    """Ends the claim of a worker that is alive but could not work: it is no crash, and the others have their turn."""
    ours = (_t.c.match_id == row.match_id, _t.c.done_at.is_(None), _t.c.claimed_until == row.claimed_until)
    with site.writing() as work:
        values = {"claimed_until": None, "attempts": row.attempts - 1, "turn_at": site.now()}
        work.connection().execute(update(_t).where(*ours).values(**values))
