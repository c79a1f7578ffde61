"""The figures of the service from its database: what is late, what fails, and how much there is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from pbem.config import Config
from pbem.models.tables import AskRow, table
from pbem.services.findings import Due
from pbem.services.hooks import Gauge, hooks_of, overdue_of
from pbem.services.mail import alarms
from pbem.services.monitoring import backlog
from pbem.services.monitoring.failures import failing_seconds_by_task
from pbem.services.monitoring.probes import probe_connection


@dataclass(frozen=True)
class DatabaseFigures:
    """The current figures from the database; `late` has the mails by kind as `mail:<kind>`."""

    late: Mapping[str, Due]
    matches: Mapping[tuple[str, str], int]
    unrendered: int
    undrawn: int
    bouncing: int
    open_asks: int
    of_features: tuple[Gauge, ...]
    failing: Mapping[str, float]
    """For how many seconds each task that fails again and again has been failing."""


def database_figures(config: Config, now: datetime) -> DatabaseFigures | None:
    """Returns the figures from the database; None if it does not answer."""
    try:
        with probe_connection(config) as connection:
            late = {f"mail:{kind}": due for kind, due in backlog.mails_due_by_kind(connection, now).items()}
            late |= {"asks": backlog.asks_due(connection, now), "bots": backlog.bot_asks_due(connection, now)}
            late["lapses"] = backlog.lapses_due(connection, now)
            late |= {name: one.due(connection, now) for name, one in overdue_of(config.features).items()}
            late |= {"archives": backlog.archives_due(connection, now), "tallies": backlog.tallies_due(connection, now)}
            late.setdefault("mail:turn", Due(0, 0.0))
            gauges = [one for each in hooks_of(config.features) for one in each.gauges(connection, now, config)]
            return DatabaseFigures(
                late, backlog.live_counts_by_game_status(connection),
                backlog.count_mails_unrendered(connection, now).count,
                len(alarms.picture_alarms(connection)), backlog.count_bouncing(connection), count_open_asks(connection),
                tuple(gauges), failing_seconds_by_task(connection, now),
            )  # fmt: skip
    except DBAPIError:
        return None


def count_open_asks(connection: Connection) -> int:
    """Returns the number of open asks."""
    t = table(AskRow)
    return int(connection.execute(select(func.count()).where(t.c.closed_at.is_(None))).scalar_one())
