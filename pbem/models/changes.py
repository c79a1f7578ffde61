"""Addresses that players have asked to change."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import NO, Utc


class AddressChange(SQLModel, table=True):
    """A change of a player's address: made once both mailboxes have confirmed it, before `until`."""

    __tablename__ = "address_changes"
    # Ids are never reused: the links in the mails contain them.
    __table_args__ = {"sqlite_autoincrement": True}

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="players.id", index=True)
    address: str = Field(max_length=254)
    canonical: str = Field(max_length=254, index=True)
    first: bool = Field(default=False, sa_column_kwargs=NO)
    """True if a guest asked for it: they have no old mailbox, so the new one alone agrees."""
    at: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc)
    old_ok_at: datetime | None = Field(default=None, sa_type=Utc)
    new_ok_at: datetime | None = Field(default=None, sa_type=Utc)
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=12)
    """done, taken (somebody else has the address), or withdrawn; without any of these it lapses at `until`"""
