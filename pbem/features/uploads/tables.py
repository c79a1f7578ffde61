"""Uploaded logs.

players ─< imported_logs    of one that nobody in particular has uploaded, the player is NULL
"""

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field, SQLModel

from pbem.models.types import Utc


class UploadedLogRow(SQLModel, table=True):
    """A portable log that was uploaded; anyone who knows its id may look at it."""

    __tablename__ = "imported_logs"
    __table_args__ = (Index("ix_imported_logs_size", "player_id", "size"),)

    id: str = Field(primary_key=True, max_length=32)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Who has uploaded it, if they were signed in."""
    game: str = Field(max_length=40)
    document: bytes = Field(sa_type=LargeBinary)
    """Its canonical JSON, compressed by zlib."""
    size: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The size of `document` in bytes."""
    at: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc, index=True)
    """When it is deleted."""
