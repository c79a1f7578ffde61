"""What tests of rebuilding share."""

from __future__ import annotations

from sqlalchemy import text

from tests.table import House


def rename(house: House, match_id: str, *seats: int) -> None:
    """Changes the key of the open questions, as if other rules had opened them."""
    with house.site.writing() as session:
        for seat in seats:
            for renamed in (
                "asks SET key = 'old.' || key, origin = 'old.' || origin WHERE closed_at IS NULL AND",
                "outbox SET key = 'old.' || key, dedupe = 'old.' || dedupe WHERE key NOT LIKE 'old.%' AND",
            ):
                this = text(f"UPDATE {renamed} match_id = :m AND seat = :s")
                session.connection().execute(this, {"m": match_id, "s": seat})
