"""Rows of the clocks: votes on a fallback, holidays, the last signs of life, and times in which nobody looked."""

from datetime import date, datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import Utc


class VoteRow(SQLModel, table=True):
    """Somebody is for letting the clock play for a late seat, in the stretch of questions that `key` began."""

    __tablename__ = "votes"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    key: str = Field(primary_key=True, max_length=64)
    seat: int = Field(primary_key=True)
    voter: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Utc)


class Vacation(SQLModel, table=True):
    """Days, in his own zone, on which a player's clock stands still."""

    __tablename__ = "vacations"

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="players.id", index=True)
    first: date
    last: date


class Pulse(SQLModel, table=True):
    """When the sweep, and the web, last came by: a long silence means that the service slept.

    And since when the alarm stands, which is no pulse: see `heartbeats.stopped`.
    """

    __tablename__ = "pulse"

    name: str = Field(primary_key=True, max_length=10)
    at: datetime = Field(sa_type=Utc)


class Outage(SQLModel, table=True):
    """A time in which no clock was looked after, and for which deadlines move."""

    __tablename__ = "outages"

    id: int | None = Field(default=None, primary_key=True)
    since: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc)
    done: bool = False
    """Whether all matches of that time have moved their deadlines."""
