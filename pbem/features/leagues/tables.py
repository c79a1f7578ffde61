"""Leagues and their seasons.

leagues ─< seasons ─< entrants           who plays, in which division
   │          └─────< season_matches >── matches
   └─ webhooks ─< webhook_season_marks   up to which result a league's webhook has been notified of a season
"""

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, Index, Text
from sqlmodel import Field, SQLModel

from pbem.features.webhooks.tables import ABOUT
from pbem.models.types import NO, ZERO, Utc, partial_index


class League(SQLModel, table=True):
    """A competition in one game that is played in seasons. `terms` are the rules of its next season."""

    __tablename__ = "leagues"

    id: str = Field(primary_key=True, max_length=32)
    name: str = Field(max_length=60)
    game: str = Field(max_length=40)
    owner_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Its organiser; None once they were erased: then it ends with its running season."""
    circle_id: str | None = Field(default=None, foreign_key="circles.id", max_length=32, index=True)
    """Only members of this circle may enter; None: everybody."""
    listed: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether it stands in the site's list; otherwise only who has its address finds it."""
    terms: str = Field(sa_type=Text)
    """As JSON; see `pbem.features.leagues.terms`."""
    created_at: datetime = Field(sa_type=Utc)
    ended_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its organiser ended it: no further season begins."""


class Season(SQLModel, table=True):
    """A season: it begins and ends on its date, whatever has been played by then."""

    __tablename__ = "seasons"
    __table_args__ = (
        Index("ix_seasons_league", "league_id", "number", unique=True),
        partial_index("ix_seasons_due", "due_at", where="closed_at IS NULL"),
    )

    id: str = Field(primary_key=True, max_length=32)
    league_id: str = Field(foreign_key="leagues.id", max_length=32)
    number: int
    """1 for the first one."""
    terms: str = Field(sa_type=Text)
    """The rules as they were stated before its start, as JSON."""
    status: str = Field(max_length=12)
    """open (players may enter), starting (its matches are being made), running, closed, cancelled (too few entered)"""
    starts_at: datetime = Field(sa_type=Utc)
    ends_at: datetime = Field(sa_type=Utc)
    due_at: datetime = Field(sa_type=Utc)
    """When something is to be done for it next: to start it, to make more of its matches, to close it."""
    closed_at: datetime | None = Field(default=None, sa_type=Utc)
    results: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many results are in its feed: the number of the last one."""
    created_at: datetime = Field(sa_type=Utc)


class Entrant(SQLModel, table=True):
    """Who plays in a season: a player, or a bot. The row stays without a name when its player is erased."""

    __tablename__ = "entrants"
    __table_args__ = (
        partial_index("ix_entrants_player", "season_id", "player_id", unique=True, where="player_id IS NOT NULL"),
        Index("ix_entrants_division", "season_id", "division"),
    )  # fmt: skip

    id: int = Field(default=None, primary_key=True)
    season_id: str = Field(foreign_key="seasons.id", max_length=32)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    bot: str | None = Field(default=None, max_length=40)
    name: str = Field(max_length=24)
    status: str = Field(max_length=10)
    """entered, withdrawn (before the start), or erased"""
    filler: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether it is a bot that only filled up a table when the season began: it is not in the next one."""
    division: int | None = None
    """1 is the highest; None before the start."""
    points: float | None = None
    """What it has in the end; None before the season is closed."""
    place: int | None = None
    """In its division, in the end; entrants that no tie-break separates share one."""
    moves_to: int | None = None
    """The division of the next season; None before the season is closed."""
    at: datetime = Field(sa_type=Utc)


class SeasonMatch(SQLModel, table=True):
    """A match of a season. `seats` holds the entrants in seat order, so results stay when a player is erased."""

    __tablename__ = "season_matches"
    __table_args__ = (
        Index("ix_season_matches_season", "season_id", "division"),
        Index("ix_season_matches_result", "season_id", "result_no", unique=True),
        partial_index("ix_season_matches_untold", "match_id", where="tallied AND result_no IS NULL"),
    )

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    season_id: str = Field(foreign_key="seasons.id", max_length=32)
    division: int
    round: int
    """Which one of its entrants' matches it is, from 1."""
    seats: str = Field(sa_type=Text)
    """The ids of the entrants in seat order, as a JSON list."""
    tallied: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether its result is written. Until then nobody looks whether it can be told."""
    result_no: int | None = None
    """The number of its result in the season's feed, from 1; None: it is not public yet."""


class SeasonCursor(SQLModel, table=True):
    """The cursor of a league's webhook in a season: it has been notified of this many results, and of the status."""

    __tablename__ = "webhook_season_marks"

    webhook_id: int = Field(primary_key=True, foreign_key="webhooks.id")
    season_id: str = Field(primary_key=True, foreign_key="seasons.id", max_length=32)
    results: int
    status: str = Field(max_length=12)


# What a webhook is about is a league: its owner organises it, and it sees what spectators see.
SQLModel.metadata.tables["webhooks"].append_constraint(ForeignKeyConstraint([ABOUT], ["leagues.id"]))
