"""How finished matches ended, seat by seat, the ratings that follow from it, and what is left of their rows.

matches ─< results >─ players ─< ratings
"""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, ZERO, Utc


class Result(SQLModel, table=True):
    """How one seat of a finished match ended. The row stays when its player is erased: results stay by seat."""

    __tablename__ = "results"
    __table_args__ = (
        Index("ix_results_player", "player_id", "game", "ended_at"),
        Index("ix_results_ended", "game", "ended_at"),
    )

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    game: str = Field(max_length=40)
    player_id: int | None = Field(default=None, foreign_key="players.id")
    """Who had the seat at the end, or resigned from it; None: a bot, or somebody who was erased."""
    bot: str | None = Field(default=None, max_length=40)
    place: int
    """1 for the winners, and so on; seats that share a place are level. Resigned seats share the last one."""
    score: int | None = None
    """The points of the game, if it keeps any."""
    resigned: bool = Field(default=False, sa_column_kwargs=NO)
    answers: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many turns a person of this seat answered themselves, their mail read; see `services.log.waits`."""
    median_s: int | None = None
    """The median of the seconds from the mail to the first answer of a turn; None: there were none."""
    rated: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether the match changed its player's rating."""
    ended_at: datetime = Field(sa_type=Utc)


class Rating(SQLModel, table=True):
    """A player's rating in a game: Plackett-Luce, a normal distribution of strength."""

    __tablename__ = "ratings"

    player_id: int = Field(primary_key=True, foreign_key="players.id")
    game: str = Field(primary_key=True, max_length=40)
    mu: float
    """The mean; 25 at first."""
    sigma: float
    """The standard deviation; 25/3 at first."""
    matches: int
    at: datetime = Field(sa_type=Utc)
    """When the last match that changed it ended."""


class ArchiveRow(SQLModel, table=True):
    """The log and the asks of a match that is over, in place of their rows; see `pbem.services.log.archive`."""

    __tablename__ = "archives"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    form: int
    """How `packed` is written: an archive is never written again, so all forms there ever were must be readable."""
    waits: str = Field(sa_type=Text)
    """How long the owners of the seats took to answer, as JSON: for each seat the seconds of each of their turns."""
    packed: bytes = Field(sa_type=LargeBinary)
