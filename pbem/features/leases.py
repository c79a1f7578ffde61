"""Rows of a table that wait to be worked on, each claimed by one of any number of workers."""

from datetime import timedelta
from typing import Any

from sqlalchemy import Column, Row, bindparam, or_, select, update

from pbem.models.prepared import Prepared
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write_condition
from pbem.services.site import Site


class Leases:
    """Claims the row that has been due longest, by a conditional UPDATE with a lease; after a crash the lease expires.

    `since`: the column that says from when on a row is due; `read`: those that a claim returns. The table also has
    `done_at`, `claimed_until` and `attempts`, which counts the claims.
    """

    def __init__(self, key: Column[Any], since: Column[Any], lease: timedelta, *read: Column[Any]) -> None:
        rows, now = key.table, bindparam("now", type_=since.type)
        free = or_(rows.c.claimed_until.is_(None), rows.c.claimed_until < now)
        due = (rows.c.done_at.is_(None), since <= now, free)
        oldest = select(key).where(*due).order_by(since, key).limit(1)
        self._lease, self._oldest = lease, Prepared(oldest)
        # Concurrent workers skip to the next row; on databases without this lock, the condition is enough.
        first = oldest.with_for_update(skip_locked=True).scalar_subquery()
        self._take = (
            update(rows)
            .where(key == first, *due, may_write_condition())
            .values(claimed_until=bindparam("lease", type_=since.type), attempts=rows.c.attempts + 1)
            .returning(*read)
        )

    def has_row_due(self, site: Site) -> bool:
        """Returns whether there is a row to work on that nobody is working on."""
        with site.one_statement() as connection:
            return bool(self._oldest.send(connection, {"now": site.now()}).rows())

    def claim_row_longest_due(self, site: Site) -> Row[Any] | None:
        """Claims the row that has been due longest, and returns it; None if nothing is due. Raises Busy."""
        now = site.now()
        claim = {"now": now, "lease": now + self._lease, "schema": NEWEST_SCHEMA}
        if site.engine.dialect.name != "sqlite":
            with site.one_statement() as connection:
                return connection.execute(self._take, claim).first()
        if not self.has_row_due(site):  # most ticks find nothing and need no write lock
            return None
        with site.writing() as work:
            return work.connection().execute(self._take, claim).first()
