"""Deals that several tables share.

deals ─< matches    several matches with one seed
"""

from datetime import datetime

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, ZERO, Utc, partial_index


class DealRow(SQLModel, table=True):
    """What several tables share that play the same deal: seed, commitment and lucky words."""

    __tablename__ = "deals"
    __table_args__ = (partial_index("ix_deals_unopened", "created_at", where="opened_at IS NULL"),)

    id: str = Field(primary_key=True, max_length=32)
    """The deal id of the luck of all its tables."""
    game: str = Field(max_length=40)
    options: str = Field(sa_type=Text)
    seats: int
    seed: bytes = Field(sa_type=LargeBinary)
    commitment: str = Field(max_length=64)
    words: str = Field(sa_type=Text)
    """The hashes of the seats' lucky words as JSON: the same at every table."""
    closed: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether no further table can get it: only then can its last table be over."""
    tables_left: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many of its tables are not over yet."""
    created_at: datetime = Field(sa_type=Utc)
    opened_at: datetime | None = Field(default=None, sa_type=Utc)
    """When the last table was over: from then on each of them is an ordinary finished match."""
