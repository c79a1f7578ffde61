"""Webhooks, a cursor into each match for each of them, and the calls that are due.

players ─< webhooks ─< webhook_marks    up to which entry a webhook has been notified of a match
              └──────< deliveries       calls; rows hold ids, the payload is built when the call is made
"""

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, ZERO, Utc

UNDONE = text("done_at IS NULL")


class Webhook(SQLModel, table=True):
    """An address that is called when something happens. Its secret is derived from `salt` and `epoch`, not stored."""

    __tablename__ = "webhooks"
    # No number comes twice: the secret is made of it.
    __table_args__ = {"sqlite_autoincrement": True}

    id: int | None = Field(default=None, primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Whose it is; None: the host's, which sees what spectators see."""
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    """The one match it is about; None: all of its player, or all that have spectators."""
    url: str = Field(max_length=500)
    kinds: str = Field(max_length=40)
    """What it is told, separated by spaces: your_turn, moved, over"""
    preset: str = Field(default="standard", max_length=10)
    """standard, discord or slack: in which form"""
    language: str = Field(default="fr", max_length=2)
    salt: str = Field(default="", max_length=32, sa_column_kwargs={"server_default": ""})
    """Random, and no secret: a number may be given to another webhook when this one is gone, its secret may not."""
    epoch: int = Field(default=0, sa_column_kwargs=ZERO)
    """Raised to make another secret."""
    created_at: datetime = Field(sa_type=Utc)
    failing_since: datetime | None = Field(default=None, sa_type=Utc)
    """When the first call failed after which none has arrived."""
    wait_until: datetime | None = Field(default=None, sa_type=Utc)
    """After a failure: before this nothing new is told it."""
    busy_until: datetime | None = Field(default=None, sa_type=Utc)
    """It is being called: nobody else calls it before this, unless the call ends."""
    disabled_at: datetime | None = Field(default=None, sa_type=Utc)
    why: str | None = Field(default=None, max_length=20)
    """Why it is disabled: failed (for a day), gone (it said so: 410), or host"""


class HookMark(SQLModel, table=True):
    """A webhook's cursor in a match: it has been notified up to entry `n`, and perhaps of the end."""

    __tablename__ = "webhook_marks"

    webhook_id: int = Field(primary_key=True, foreign_key="webhooks.id")
    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    n: int
    over: bool = Field(default=False, sa_column_kwargs=NO)


class Delivery(SQLModel, table=True):
    """A call that is to be made, or was."""

    __tablename__ = "deliveries"
    # No number comes twice: the receiver tells a call that is repeated by it.
    __table_args__ = (
        Index("ix_deliveries_due", "due_at", sqlite_where=UNDONE, postgresql_where=UNDONE),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    webhook_id: int = Field(foreign_key="webhooks.id", index=True)
    dedupe: str = Field(max_length=160, unique=True)
    kind: str = Field(max_length=10)
    """your_turn, moved, over, or ping (somebody tries it out)"""
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    seat: int | None = None
    key: str | None = Field(default=None, max_length=64)
    """Which seat is asked what, where it is about a question."""
    after_n: int = Field(default=0, sa_column_kwargs=ZERO)
    n: int = Field(default=0, sa_column_kwargs=ZERO)
    """It tells the entries after `after_n` up to `n`."""
    created_at: datetime = Field(sa_type=Utc)
    due_at: datetime = Field(sa_type=Utc)
    attempts: int = Field(default=0, sa_column_kwargs=ZERO)
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=12)
    """delivered; not: stale (there is nothing to tell any more), dropped (its webhook was disabled, or for a day we
    could not say it), gone (410)"""
    status: int | None = None
    """What the server answered last; None where there was no answer."""
    error: str | None = Field(default=None, max_length=12)
    """Why there was no answer: address, connect, tls, timeout or answer"""
