"""All that is stored."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import SQLModel

from tests.table import House


def all_rows(house: House) -> str:
    """All rows of all tables."""
    with house.site.reading() as session:
        return "\n".join(
            repr(row) for known in SQLModel.metadata.sorted_tables for row in session.execute(select(known)).all()
        )
