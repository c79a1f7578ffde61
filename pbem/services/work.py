"""The context of a use case: a session, and the caches of its process.

A function that only reads or writes rows takes a Session. One that takes a Reading also uses the caches, and one that
takes a Work also leaves something to be done after the commit.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session

from pbem.services.counters import Mark
from pbem.services.state_cache import Head, StateCache
from pbem.services.view_cache import Known, ViewCache


class Reading(Session):
    """A session with access to this process's caches of matches."""

    def __init__(self, connection: Connection, states: StateCache, views: ViewCache[Known] | None) -> None:
        # The session ends with the transaction, so expiring each row would be wasted work.
        super().__init__(connection, expire_on_commit=False)
        self.states = states
        self.views = views
        """None in a transaction that writes: what is rolled back must not be shown later."""
        self.holidays: dict[str, Any] = {}
        """The holidays of a match's seats, where they were read with it: see `player_calendars`."""
        self.logs: dict[str, Sequence[Any]] = {}
        """The logs of matches that were read in full, where nothing can be added to them: see `store.load_log`."""
        self.people: Sequence[Any] = ()
        """The seats of its match with their players. It keeps them alive: a session forgets unreferenced rows."""

    def head(self, match_id: str, version: int, fold: int) -> Head | None:
        """Returns the state of the match at exactly this version, computed by this fold; None if it is not cached."""
        return self.states.find(match_id, version, fold)


class Work(Reading):
    """The transaction of a use case that writes, and what is done if and when it commits."""

    def __init__(self, connection: Connection, states: StateCache) -> None:
        super().__init__(connection, states, None)
        self.wakes = False
        self.marks: list[Mark] = []
        self.made: Head | None = None

    def wake(self) -> None:
        """Wakes the workers after the commit."""
        self.wakes = True

    def count(self, name: str, *labels: str, seconds: float | None = None) -> None:
        """Counts an event, or how long it took, after the commit."""
        self.marks.append(Mark(name, labels, seconds))

    def keep_head(self, head: Head) -> None:
        """Caches the state of a match after the commit; within this transaction it is available at once."""
        self.made = head

    def head(self, match_id: str, version: int, fold: int) -> Head | None:
        """Returns the state as changed by this transaction, or from the cache; None if it is in neither."""
        if self.made is not None and self.made.at(match_id, version, fold):
            return self.made
        return super().head(match_id, version, fold)
