"""Rows of the clocks: votes on a fallback, holidays, heartbeats, outages, and tasks that fail."""

from datetime import date, datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import Utc

NAME_MOST, ERROR_MOST = 64, 80
"""How many characters the name of a moment has, and are kept of that of an exception's class."""


class VoteRow(SQLModel, table=True):
    """A vote to let the clock move for a late seat, in the stretch of asks that `key` began."""

    __tablename__ = "votes"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    key: str = Field(primary_key=True, max_length=64)
    seat: int = Field(primary_key=True)
    voter: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Utc)


class Vacation(SQLModel, table=True):
    """Days, in the player's own time zone, on which their clock stands still."""

    __tablename__ = "vacations"

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="players.id", index=True)
    first: date
    last: date


class Heartbeat(SQLModel, table=True):
    """The last heartbeat of the sweep and of the web: a long gap means that the service was down.

    Also holds other moments by name, which are no heartbeats (see `heartbeats.silent_heartbeats`): since when an alarm
    is raised or a secret is used, and when the machine was started.
    """

    __tablename__ = "pulse"

    name: str = Field(primary_key=True, max_length=NAME_MOST)
    at: datetime = Field(sa_type=Utc)


class Outage(SQLModel, table=True):
    """A period in which the service was down; deadlines are moved by its length."""

    __tablename__ = "outages"

    id: int | None = Field(default=None, primary_key=True)
    since: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc)
    noted_at: datetime = Field(sa_type=Utc)
    """When it was recorded: the host may note one by hand days later."""
    done: bool = False
    """Whether the deadlines of all matches of that time have been moved."""


class TaskFailure(SQLModel, table=True):
    """A task whose last run has failed, or its last runs: see `pbem.services.monitoring.failures`."""

    __tablename__ = "task_failures"

    task: str = Field(primary_key=True, max_length=64)
    error: str = Field(max_length=ERROR_MOST)
    """The class of the last exception."""
    since: datetime = Field(sa_type=Utc)
    last_at: datetime = Field(sa_type=Utc)
    runs: int
    """How many runs in a row have failed."""
