"""Checkpoints: what the site signs once a day about the logs of its matches.

checkpoints ─< checkpoint_leaves    what is signed once a day about the heads of all logs
checkpoint_places                   where a match stands in them
cosigned                            the last checkpoint of each other site that this one has cosigned
"""

from datetime import date, datetime

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import ZERO, Utc


class CheckpointRow(SQLModel, table=True):
    """The checkpoint of a day; while it is being made, where its making has got to."""

    __tablename__ = "checkpoints"

    day: date = Field(primary_key=True)
    number: int = Field(unique=True)
    """Which of the site's checkpoints it is, from 1."""
    begun_at: datetime = Field(sa_type=Utc)
    stage: str = Field(max_length=10)
    """Which matches are read next: running, paused, ended; or none"""
    after: str = Field(sa_type=Text)
    """The last match of that stage that was read; empty before the first."""
    size: int = Field(default=0, sa_column_kwargs=ZERO)
    """The number of its leaves so far."""
    root: bytes | None = Field(default=None, sa_type=LargeBinary)
    """The root of the tree of its leaves; None until all are there."""
    note: str | None = Field(default=None, sa_type=Text)
    """The signed note, with the cosignatures that were added; None until it is made."""


class LeavesRow(SQLModel, table=True):
    """The hashes of consecutive leaves of a day, 32 bytes each, and the root of the tree of these alone."""

    __tablename__ = "checkpoint_leaves"

    day: date = Field(primary_key=True, foreign_key="checkpoints.day")
    chunk: int = Field(primary_key=True)
    root: bytes = Field(sa_type=LargeBinary)
    leaves: bytes = Field(sa_type=LargeBinary)


class PlaceRow(SQLModel, table=True):
    """Where a match stands in the latest checkpoint that has it: the leaf's index, and the entry whose head it holds.

    It has no foreign key, because writing thousands of rows would lock as many matches.
    """

    __tablename__ = "checkpoint_places"

    match_id: str = Field(primary_key=True, max_length=32)
    day: date
    leaf: int
    n: int


class CosignedRow(SQLModel, table=True):
    """The last checkpoint of another site that this site has cosigned."""

    __tablename__ = "cosigned"

    origin: str = Field(primary_key=True, max_length=255)
    number: int
    text: str = Field(sa_type=Text)
    """The text of its note, without signatures."""
    at: datetime = Field(sa_type=Utc)
