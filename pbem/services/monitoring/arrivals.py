"""Whether mail comes in and is read: how long the oldest has been waiting, and when a canary last came back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from pbem.config import Config
from pbem.models.inbox import InboxRow
from pbem.models.tables import table
from pbem.services.inbox import canary

LATE_S = 600
"""From what age of an unread mail on something must be wrong."""
UNREAD = "unread"


@dataclass(frozen=True)
class Arrivals:
    """The mails that have come in: how many are unread, and for how long the oldest of them has been, in seconds.

    `canary_s` is the age of the last canary's return; None where the site sends none. `kept` counts the mails that are
    kept by the way they came and their verdict, "unread" if they have none yet.
    """

    unread: int
    oldest_s: float
    canary_s: float | None
    kept: Mapping[tuple[str, str], int]

    @property
    def state(self) -> str:
        """Returns "late" (a mail has been unread for too long), "silent" (no canary has come back lately) or "ok"."""
        if self.oldest_s > LATE_S:
            return "late"
        return "silent" if self.canary_s is not None and self.canary_s > canary.LATE.total_seconds() else "ok"


def read_arrivals(connection: Connection, now: datetime, config: Config) -> Arrivals:
    """Returns the figures. Reads every mail that is kept, without its bytes."""
    t = table(InboxRow)
    waiting = select(func.count(), func.min(t.c.received_at)).where(t.c.done_at.is_(None))
    unread, oldest = connection.execute(waiting).one()
    verdict = func.coalesce(t.c.verdict, UNREAD)
    rows = connection.execute(select(t.c.via, verdict, func.count()).group_by(t.c.via, verdict))
    return Arrivals(
        unread,
        max(0.0, (now - oldest).total_seconds()) if oldest is not None else 0.0,
        canary.return_age(connection, now) if canary.is_flying(config) else None,
        {(via, word): count for via, word, count in rows},
    )
