"""Personal tokens: players ─< personal_tokens. The token itself is not stored: it is found by its hash."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import Utc


class PersonalToken(SQLModel, table=True):
    """An access token that a player made for one of their programs, and its scopes."""

    __tablename__ = "personal_tokens"

    id: int | None = Field(default=None, primary_key=True)
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
