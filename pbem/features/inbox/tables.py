"""Mails that have come in."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, ZERO, Utc, partial_index


class InboxRow(SQLModel, table=True):
    """A mail that has come in, kept before it is acknowledged; read later, by any worker, exactly once."""

    __tablename__ = "inbox"
    __table_args__ = (
        partial_index("ix_inbox_due", "due_at", where="done_at IS NULL"),
        Index("ix_inbox_verdict", "via", "verdict"),  # they are counted at each scrape
    )

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(max_length=64, unique=True)
    """SHA-256 of its recipients and its bytes, in hexadecimal digits: the same delivery again is the same row."""
    message_id: str | None = Field(default=None, max_length=255, index=True)
    """Its Message-ID; None if it has none, or none that can be read."""
    via: str = Field(max_length=10)
    """imap, lmtp, http, or mailbox (the page of this machine)"""
    mail_from: str | None = Field(default=None, max_length=320)
    """The sender in its envelope, "" for the null return path; None: the way it came by has none."""
    recipients: str = Field(default="[]", sa_type=Text)
    """The recipients in its envelope, as a JSON list."""
    size: int
    """The number of its bytes; more than `raw` has if it was too large, and only its head was kept."""
    received_at: datetime = Field(sa_type=Utc, index=True)
    due_at: datetime = Field(sa_type=Utc)
    """When it is read, later than `received_at` after a failure."""
    claimed_until: datetime | None = Field(default=None, sa_type=Utc)
    attempts: int = Field(default=0, sa_column_kwargs=ZERO)
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    verdict: str | None = Field(default=None, max_length=20)
    """What became of it, a word of `pbem.features.inbox.verdicts`; None until it is read."""
    detail: str | None = Field(default=None, sa_type=Text)
    """Why, for the host; it holds nothing of what the mail says."""
    lines: str | None = Field(default=None, sa_type=Text)
    """What became of each line that was read, as JSON for its answer: places, codes and keys, none of its words."""
    answered: bool = Field(default=False, sa_column_kwargs=NO)
    """True if an answer was queued: at most one for a Message-ID, and few an hour for a seat."""
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32, index=True)
    seat: int | None = None
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Whose mail it is, once that is known: it is erased with them."""
    raw: bytes | None = Field(default=None, sa_type=LargeBinary)
    """Its bytes; None once they are erased. The last column: SQLite walks through a large one to what is behind."""
