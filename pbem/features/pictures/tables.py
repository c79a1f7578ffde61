"""Pictures of replays that a worker draws: a GIF of a stretch, a PNG of a step, or the boards of a saved page."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field, SQLModel

from pbem.models.types import ZERO, Utc, partial_index


class ReplayPicture(SQLModel, table=True):
    """A picture that somebody has asked for, drawn frame by frame; deleted at `until`.

    `seen` is a hash of what the viewer sees up to its last step. Once they would see something else, the picture is
    not shown any more.
    """

    __tablename__ = "replay_pictures"
    __table_args__ = (
        partial_index("ix_replay_pictures_due", "turn_at", where="done_at IS NULL"),
        Index("ix_replay_pictures_match", "match_id", "seat"),
    )

    id: str = Field(primary_key=True, max_length=32)
    dedupe: str = Field(max_length=64, unique=True)
    """A hash of all that the picture depends on: the same request again finds the same picture."""
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: int | None = None
    """The seat whose holder asked for it; None: a spectator."""
    eyes: str = Field(max_length=4)
    """Through whose eyes the match is seen, as addresses write it: a seat's number, none or all"""
    lang: str = Field(max_length=2)
    theme: str = Field(max_length=5)
    """light or dark"""
    kind: str = Field(max_length=3)
    """gif, png, or htm for the boards of a saved page"""
    frame_ms: int
    """How long each frame stands."""
    first_n: int
    last_n: int
    """It shows the steps of the entries from `first_n` to `last_n`."""
    seen: str = Field(max_length=64)
    total: int
    drawn: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many of its `total` frames are in `data`."""
    size: int = Field(default=0, sa_column_kwargs=ZERO)
    """The size of `data` in bytes."""
    created_at: datetime = Field(sa_type=Utc)
    turn_at: datetime = Field(sa_type=Utc)
    """When its last frames were drawn: the one that has waited longest is next."""
    claimed_until: datetime | None = Field(default=None, sa_type=Utc)
    attempts: int = Field(default=0, sa_column_kwargs=ZERO)
    """How often it was claimed since its last frame."""
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=10)
    """made; or not: stale (the viewer would see something else by now), large, failed"""
    until: datetime = Field(sa_type=Utc, index=True)
    """When it is deleted."""
    data: bytes | None = Field(default=None, sa_type=LargeBinary)
    """The file as far as it is drawn. The last column: what stands behind a large value is slow to read."""
