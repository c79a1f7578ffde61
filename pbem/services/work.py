"""What a use case works in: a session, and what its process keeps in memory beside the database.

A function that only reads or writes rows takes a Session. One that takes a Reading looks into what this process keeps,
and one that takes a Work also leaves something to be done when the transaction has committed.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session

from pbem.services.counters import Mark
from pbem.services.state_cache import Head, StateCache
from pbem.services.view_cache import ViewCache


class Reading(Session):
    """A session that finds what its process keeps of matches."""

    def __init__(self, connection: Connection, states: StateCache, views: ViewCache | None) -> None:
        # The session ends with the transaction: expiring each row would be wasted work.
        super().__init__(connection, expire_on_commit=False)
        self.states = states
        self.views = views
        """None where something is written: what is rolled back must not be shown later."""
        self.people: Sequence[Any] = ()
        """The people of its match: a session forgets the rows that nobody holds, and would read them again."""

    def head(self, match_id: str, version: int, fold: int) -> Head | None:
        """The state of the match at exactly this version, made by this fold, if it is known here."""
        return self.states.find(match_id, version, fold)


class Work(Reading):
    """The transaction of a use case that writes, and what is done when, and only if, it commits."""

    def __init__(self, connection: Connection, states: StateCache) -> None:
        super().__init__(connection, states, None)
        self.rings = False
        self.marks: list[Mark] = []
        self.made: Head | None = None

    def ring(self) -> None:
        """Wakes the workers after the commit."""
        self.rings = True

    def count(self, name: str, *labels: str, seconds: float | None = None) -> None:
        """Counts one more of these after the commit, or how long it took."""
        self.marks.append(Mark(name, labels, seconds))

    def keep_head(self, head: Head) -> None:
        """Keeps the state of a match for this process after the commit; here it is found at once."""
        self.made = head

    def head(self, match_id: str, version: int, fold: int) -> Head | None:
        """The state as this transaction has made it, or as the process knows it."""
        if self.made is not None and self.made.at(match_id, version, fold):
            return self.made
        return super().head(match_id, version, fold)
