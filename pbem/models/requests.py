"""Idempotent requests, and uploaded logs."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import Utc


class Idempotent(SQLModel, table=True):
    """A completed request with its caller's Idempotency-Key; `digest` is the hash of its content."""

    __tablename__ = "idempotency"

    owner: str = Field(primary_key=True, max_length=64)
    key: str = Field(primary_key=True, max_length=128)
    digest: str = Field(max_length=64)
    answer: str | None = Field(default=None, sa_type=Text)
    """The answer to repeat: ids, never a token or a secret."""
    at: datetime = Field(sa_type=Utc, index=True)


class StoredLog(SQLModel, table=True):
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
