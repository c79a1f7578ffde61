"""Idempotent requests."""

from datetime import datetime

from sqlalchemy import Text
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
