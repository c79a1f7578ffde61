"""Alarms that stand in the database: any process may raise or end one, and the one that did logs it.

The rows are among the moments of `Heartbeat`. Names of others there: `heartbeats.SWEEP` and `WEB`, `canary.SENT`,
`RETURNED` and `PASTED`, `judging.SEVERAL`, `storage.SECRET_MARK` and `database_time.MARK`.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, or_, select

from pbem.models.clocks import Heartbeat
from pbem.models.tables import table
from pbem.services.log import outbox
from pbem.services.site import Site, Work

LATE, UNRENDERED, SPENT = "late mail", "unrendered", "site quota"
"""Mails wait too long, or cannot be rendered; the site's quota of mails is spent."""
UNSENT = "unsent"
"""A mail was given up for a fault that is not its reader's; `QUIET` after the last one this is history."""
QUIET = timedelta(days=1)
UNDRAWN = "undrawn:"
"""How the names of those begin that concern the pictures of a game: see `mail.undrawn`."""

_t = table(Heartbeat)


def standing(connection: Connection) -> dict[str, datetime]:
    """Returns the alarms that stand, the oldest first, with the moments since when."""
    ours = or_(_t.c.name.in_((LATE, UNRENDERED, SPENT, UNSENT)), _t.c.name.startswith(UNDRAWN))
    return {row.name: row.at for row in connection.execute(select(_t.c.name, _t.c.at).where(ours).order_by(_t.c.at))}


def raise_alarm(site: Site, name: str, now: datetime) -> bool:
    """Raises the alarm; returns True if it was not raised before, here or by another process."""
    with site.writing() as work:
        return outbox.insert_once(work, Heartbeat, {"name": name, "at": now})


def renew_alarm(site: Site, name: str, now: datetime) -> None:
    """Raises the alarm, or moves it to this moment if it stands."""
    with site.writing() as work:
        renew_within(work, name, now)


def renew_within(work: Work, name: str, now: datetime, others: Collection[str] = ()) -> None:
    """Does the same in an open transaction; ends those of `others` that stand, which it takes the place of."""
    work.connection().execute(delete(_t).where(_t.c.name.in_((name, *others)), _t.c.at <= now))
    outbox.insert_once(work, Heartbeat, {"name": name, "at": now})


def end_alarms(site: Site, names: Collection[str]) -> bool:
    """Ends these alarms; returns True if one of them stood and no other process ended it."""
    with site.writing() as work:
        return work.connection().execute(delete(_t).where(_t.c.name.in_(names))).rowcount > 0
