"""What belongs to accounts beside the player: access tokens, changes of address, quotas, idempotent requests."""

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

from pbem.models.types import NO, Utc, partial_index


class PersonalToken(SQLModel, table=True):
    """An access token that a player made for one of their programs, and its scopes."""

    __tablename__ = "personal_tokens"
    __table_args__ = (
        partial_index("ix_personal_tokens_revoked", "revoked_at", where="revoked_at IS NOT NULL"),
        partial_index("ix_personal_tokens_expires", "expires_at", where="expires_at IS NOT NULL"),
    )

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="players.id", index=True)
    name: str = Field(max_length=60)
    digest: str = Field(max_length=64, unique=True)
    """SHA-256 of the token, in hex: nobody can guess 32 random bytes, so no slow hash is needed."""
    hint: str = Field(max_length=4)
    """The token's last letters, by which its owner recognises it."""
    scopes: str = Field(max_length=40)
    """Some of read, play and create, in this order."""
    created_at: datetime = Field(sa_type=Utc)
    expires_at: datetime | None = Field(default=None, sa_type=Utc)
    used_at: datetime | None = Field(default=None, sa_type=Utc)
    """When it was last used, to within ten minutes."""
    revoked_at: datetime | None = Field(default=None, sa_type=Utc)


class AddressChange(SQLModel, table=True):
    """A change of a player's address: made once both mailboxes have confirmed it, before `until`."""

    __tablename__ = "address_changes"
    # Ids are never reused: the links in the mails contain them.
    __table_args__ = {"sqlite_autoincrement": True}

    id: int = Field(default=None, primary_key=True)
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


class QuotaRow(SQLModel, table=True):
    """The use of one quota in its current window, which ends at `until`. The name contains no address."""

    __tablename__ = "quotas"

    name: str = Field(primary_key=True, max_length=80)
    used: int
    until: datetime = Field(sa_type=Utc, index=True)


class Idempotent(SQLModel, table=True):
    """A completed request with its caller's Idempotency-Key; `digest` is the hash of its content."""

    __tablename__ = "idempotency"

    owner: str = Field(primary_key=True, max_length=64)
    key: str = Field(primary_key=True, max_length=128)
    digest: str = Field(max_length=64)
    answer: str | None = Field(default=None, sa_type=Text)
    """The answer to repeat: ids, never a token or a secret."""
    at: datetime = Field(sa_type=Utc, index=True)
