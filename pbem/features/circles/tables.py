"""Circles: named groups of players who start matches with each other by names.

circles ─< circle_members >─ players
   ├────< circle_matches >── matches     the matches that were started in it
   └────< standing_tables ─< occasions ─< occasion_answers
"""

from datetime import datetime

from sqlalchemy import Index, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, ZERO, Utc, partial_index


class Circle(SQLModel, table=True):
    """A named group of players."""

    __tablename__ = "circles"

    id: str = Field(primary_key=True, max_length=32)
    name: str = Field(max_length=40)
    founder_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Who may rename it, open it, and take somebody's place away; None once they have gone and nobody has followed."""
    open: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether its page is shown to everybody with its address; otherwise to members only."""
    epoch: int = Field(default=0, sa_column_kwargs=ZERO)
    """Incremented to invalidate its invitation link."""
    created_at: datetime = Field(sa_type=Utc)
    dissolved_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its last member left; its matches go on."""


class CircleMember(SQLModel, table=True):
    """Who belongs to a circle, or has belonged to it. The row stays when they leave, so that results keep a place."""

    __tablename__ = "circle_members"
    __table_args__ = (
        partial_index("ix_circle_members_player", "circle_id", "player_id", unique=True, where="player_id IS NOT NULL"),
    )  # fmt: skip

    id: int = Field(default=None, primary_key=True)
    circle_id: str = Field(foreign_key="circles.id", max_length=32)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """None: they were erased."""
    name: str = Field(max_length=24)
    status: str = Field(max_length=10)
    """invited (by mail), member, declined, left"""
    epoch: int = Field(default=0, sa_column_kwargs=ZERO)
    """Incremented to invalidate the links in mails about this membership."""
    muted: bool = Field(default=False, sa_column_kwargs=NO)
    """They get no mails of the circle; its page and its matches go on."""
    listed: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether the page, if it is open, shows their name to people outside the circle."""
    by_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Who invited them by mail; None: they came by the invitation link."""
    at: datetime = Field(sa_type=Utc)
    """Of the last change of status."""


class CircleMatch(SQLModel, table=True):
    """A match that was started in a circle: it counts in its standings."""

    __tablename__ = "circle_matches"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    circle_id: str = Field(foreign_key="circles.id", max_length=32, index=True)
    occasion_id: int | None = Field(default=None, foreign_key="occasions.id", index=True)
    """The occasion of a standing table for which it was made; None: a member started it."""


class StandingTable(SQLModel, table=True):
    """A table of a circle that meets again every week: members say yes beforehand, and those who did play."""

    __tablename__ = "standing_tables"
    __table_args__ = (
        partial_index("ix_standing_tables_next", "next_at", where="stopped_at IS NULL"),
    )  # fmt: skip

    id: int = Field(default=None, primary_key=True)
    circle_id: str = Field(foreign_key="circles.id", max_length=32, index=True)
    by_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    game: str = Field(max_length=40)
    terms: str = Field(sa_type=Text)
    """Options and clock, as JSON; see `starting`."""
    weekday: int
    """The day it starts, 0 (Monday) to 6."""
    hour: int
    """The hour it starts, in `zone`."""
    zone: str = Field(max_length=64)
    next_at: datetime = Field(sa_type=Utc)
    """When something is due for it: to ask for the next occasion, or to start this one."""
    stopped_at: datetime | None = Field(default=None, sa_type=Utc)
    created_at: datetime = Field(sa_type=Utc)


class Occasion(SQLModel, table=True):
    """One week of a standing table."""

    __tablename__ = "occasions"
    __table_args__ = (Index("ix_occasions_table", "standing_id", "starts_at", unique=True),)

    id: int | None = Field(default=None, primary_key=True)
    standing_id: int = Field(foreign_key="standing_tables.id")
    starts_at: datetime = Field(sa_type=Utc)
    """Until then members may say yes or no."""
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its matches were started, or it was found that too few had said yes."""


class OccasionAnswer(SQLModel, table=True):
    """What a member said about one occasion."""

    __tablename__ = "occasion_answers"

    occasion_id: int = Field(primary_key=True, foreign_key="occasions.id")
    member_id: int = Field(primary_key=True, foreign_key="circle_members.id")
    yes: bool
    at: datetime = Field(sa_type=Utc)
