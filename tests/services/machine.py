"""A machine whose clock is set by hand."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Engine, text

from pbem.models.engine import autocommit_connection, make_engine
from pbem.services.database_time import DatabaseTime
from tests.table import START


@dataclass
class Machine:
    """A machine whose clock can be set, and whose processes share a count of the time since its start."""

    wall: datetime = START
    since_start_s: float = 1000.0
    off: timedelta = timedelta()
    engines: dict[DatabaseTime, Engine] = field(default_factory=dict)

    def process(self, url: str) -> DatabaseTime:
        """Returns the time as a new process on this machine tells it."""
        engine = make_engine(url)
        now = DatabaseTime(engine, lambda: self.wall + self.off, lambda: self.since_start_s)
        self.engines[now] = engine
        return now

    def use(self, now: DatabaseTime) -> None:
        """Lets the process whose time this is use a connection."""
        with autocommit_connection(self.engines[now]) as connection:
            connection.execute(text("SELECT 1"))

    def go_on(self, **time: float) -> None:
        """Lets time pass."""
        self.wall += timedelta(**time)
        self.since_start_s += timedelta(**time).total_seconds()

    def restart(self, **time: float) -> None:
        """Starts the machine again after it was off for so long."""
        self.go_on(**time)
        self.since_start_s = 20.0
