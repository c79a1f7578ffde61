"""What checkpoints add to the clock, metrics, `/readyz` and `pbem doctor`: whether the last one is too old."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from pbem.features.checkpoints.tables import CheckpointRow
from pbem.models.tables import Match, table
from pbem.services.findings import Due, Finding, grade_figure
from pbem.services.hooks import Hooks, Moments, Overdue

LATE_S = 2 * 86_400
"""From what age of the last checkpoint on something must be wrong."""


def age_of_last_checkpoint_s(connection: Connection, now: datetime) -> float:
    """Returns the age of the last checkpoint in seconds.

    Before the first one it is the age of the oldest running match, which should be in one by now; 0.0 without any.
    """
    c, m = table(CheckpointRow), table(Match)
    last = select(c.c.begun_at).where(c.c.note.is_not(None)).order_by(c.c.number.desc()).limit(1)
    at = connection.execute(last).scalar()
    if at is None:
        at = connection.execute(select(func.min(m.c.started_at)).where(m.c.status == "running")).scalar()
    return max(0.0, (now - at).total_seconds()) if at is not None else 0.0


def due(connection: Connection, now: datetime) -> Due:
    """Returns whether the last checkpoint is too old, and for how long it has been."""
    late_s = age_of_last_checkpoint_s(connection, now) - LATE_S
    return Due(int(late_s > 0), max(0.0, late_s))


def check(connection: Connection, now: datetime) -> Finding:
    """Checks that the heads of all logs were signed lately."""
    found = age_of_last_checkpoint_s(connection, now)
    hours = int(found // 3600)
    said = f"the last one is {hours} {'hour' if hours == 1 else 'hours'} old" if found else "none is due"
    todo = "Are a worker and beat running? The worker's log says what fails, if the task `checkpoint` does."
    return grade_figure("checkpoint", found, LATE_S, float("inf"), said, todo)


HOOKS = Hooks(
    moments=Moments(happened={"checkpoints": ("begun_at",), "cosigned": ("at",)}),
    overdue={"checkpoint": Overdue(due, degrades=True, check=check)},
)
