"""Column types, and the values of a new column in existing rows."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Index, TypeDecorator, false, text
from sqlmodel import SQLModel

SQLModel.model_config["defer_build"] = True
"""Tables validate nothing, so pydantic's validators are not built at the start; what asks for one has it."""

ZERO: dict[str, Any] = {"server_default": text("0")}
NO: dict[str, Any] = {"server_default": false()}


class Utc(TypeDecorator[datetime]):
    """An aware UTC datetime: SQLite returns naive ones, so the zone is added here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a naive datetime cannot be stored")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or value.tzinfo is UTC:
            return value
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """Returns an index of those rows alone for which this condition holds."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))
