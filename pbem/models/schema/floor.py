"""Which programs may still write to a database that a newer one has migrated."""

from sqlmodel import Field, SQLModel


class SchemaFloor(SQLModel, table=True):
    """The one row names the oldest revision whose programs may write here: an older process must take no move.

    Written by the migrations (`migrations/env.py`) alone, and never lowered.
    """

    __tablename__ = "schema_floor"

    revision: str = Field(primary_key=True, max_length=32)
