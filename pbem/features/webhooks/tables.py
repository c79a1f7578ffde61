"""Webhooks, a cursor into each match for each of them, and the calls that are due.

players ─< webhooks ─< webhook_marks         up to which entry a webhook has been notified of a match
              └──────< deliveries            calls; rows hold ids, the payload is built when the call is made
"""

from datetime import datetime

from sqlalchemy import Column, Index
from sqlmodel import AutoString, Field, SQLModel

from pbem.models.types import NO, ZERO, Utc, partial_index

ABOUT = "league_id"
"""The column of what a webhook is about; it has the name of the first such thing."""


class Webhook(SQLModel, table=True):
    """A URL that is called when something happens. Its secret is derived from `salt` and `epoch`, not stored."""

    __tablename__ = "webhooks"
    # Ids are never reused: deliveries of a deleted webhook must not become another's.
    __table_args__ = {"sqlite_autoincrement": True}

    id: int = Field(default=None, primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Its owner; None: the host, whose webhooks see what spectators see."""
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    """The only match it is about; None: all of its player's matches, or all that have spectators."""
    about: str | None = Field(default=None, sa_column=Column(ABOUT, AutoString(length=32), index=True))
    """What of a feature it is about, in place of matches; see `pbem.features.webhooks.subjects`."""
    url: str = Field(max_length=500)
    kinds: str = Field(max_length=40)
    """The events it is called for, separated by spaces: your_turn, moved, over, or those of what it is about"""
    preset: str = Field(default="standard", max_length=10)
    """The form of a call: standard, discord or slack"""
    language: str = Field(default="fr", max_length=2)
    salt: str = Field(default="", max_length=32, sa_column_kwargs={"server_default": ""})
    """Random, not secret: should another webhook get this number later, it has a different secret."""
    epoch: int = Field(default=0, sa_column_kwargs=ZERO)
    """Incremented to change the secret."""
    created_at: datetime = Field(sa_type=Utc)
    failing_since: datetime | None = Field(default=None, sa_type=Utc)
    """When the first of the calls failed since which none has arrived."""
    wait_until: datetime | None = Field(default=None, sa_type=Utc)
    """After a failure: no new call before this."""
    busy_until: datetime | None = Field(default=None, sa_type=Utc)
    """The lease of the call in progress: nobody else calls it before this, unless the call ends."""
    busy_run: int | None = None
    """The number of the run that has the lease, below that of the site's shards."""
    disabled_at: datetime | None = Field(default=None, sa_type=Utc)
    why: str | None = Field(default=None, max_length=20)
    """Why it is disabled: failed (for a day), gone (it said so: 410), or host"""


class WebhookCursor(SQLModel, table=True):
    """A webhook's cursor in a match: it has been notified up to entry `n`, and perhaps of the end."""

    __tablename__ = "webhook_marks"

    webhook_id: int = Field(primary_key=True, foreign_key="webhooks.id")
    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    n: int
    over: bool = Field(default=False, sa_column_kwargs=NO)


class Delivery(SQLModel, table=True):
    """A call that is to be made, or was."""

    __tablename__ = "deliveries"
    # Ids are never reused: a receiver recognises a repeated call by its id.
    __table_args__ = (
        partial_index("ix_deliveries_due", "due_at", where="done_at IS NULL"),
        Index("ix_deliveries_done", "done_at"),
        {"sqlite_autoincrement": True},
    )

    id: int = Field(default=None, primary_key=True)
    webhook_id: int = Field(foreign_key="webhooks.id", index=True)
    dedupe: str = Field(max_length=160, unique=True)
    kind: str = Field(max_length=10)
    """your_turn, moved, over, one of a feature, or ping (a test call)"""
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    seat: int | None = None
    key: str | None = Field(default=None, max_length=64)
    """The ask that it is about, if it is about one in a match; of a feature, what that says."""
    after_n: int = Field(default=0, sa_column_kwargs=ZERO)
    n: int = Field(default=0, sa_column_kwargs=ZERO)
    """It is about the entries after `after_n`, up to `n`."""
    created_at: datetime = Field(sa_type=Utc)
    due_at: datetime = Field(sa_type=Utc)
    attempts: int = Field(default=0, sa_column_kwargs=ZERO)
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=12)
    """delivered; or not: stale (its subject is no longer current), dropped (its webhook was disabled, or it could not
    be called for a day), gone (410)"""
    status: int | None = None
    """The status of the last answer; None if there was none."""
    error: str | None = Field(default=None, max_length=12)
    """Why there was no answer: address, connect, tls, timeout or answer"""
