"""Analyses of finished matches that a worker makes, position by position: one a match, kept as long as it."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field, SQLModel

from pbem.models.types import ZERO, Utc, partial_index


class AnalysisRow(SQLModel, table=True):
    """The analysis of a match, or as much as there is of it. It holds no name, and nothing that its log does not."""

    __tablename__ = "analyses"
    __table_args__ = (partial_index("ix_analyses_due", "turn_at", where="done_at IS NULL"),)

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    version: int
    """That of the analysis (`pbem.features.analysis.course`): another one starts over."""
    done: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many of its `total` positions are in `data`."""
    total: int = Field(default=0, sa_column_kwargs=ZERO)
    """0 until a worker has looked at the match."""
    created_at: datetime = Field(sa_type=Utc)
    turn_at: datetime = Field(sa_type=Utc)
    """When its last positions were worked out: the one that has waited longest is next."""
    claimed_until: datetime | None = Field(default=None, sa_type=Utc)
    attempts: int = Field(default=0, sa_column_kwargs=ZERO)
    """How often it was claimed since its last position."""
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=10)
    """made or failed"""
    data: bytes | None = Field(default=None, sa_type=LargeBinary)
    """Compressed JSON. The last column: what stands behind a large value is slow to read."""
