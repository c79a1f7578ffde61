"""A log that was played at random, and one whose questions other rules have put."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from pbem.games import find_game
from pbem.kit.codec import encode
from pbem.kit.logs import chain
from pbem.kit.play import Table, random_decisions
from pbem.services.log.archive import Stored
from tests.table import House

BEGUN = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
FIRST = "0" * 64


def a_log(slug: str = "allegeance", most: int = 40) -> tuple[bytes, list[Stored]]:
    """The key and the first entries of a match of random moves, some of which answer questions of a window."""
    game = find_game(slug)
    assert game is not None
    table = Table(game, min(game.meta.seats), game.meta.options(), bytes(31) + b"7")
    for _ in zip(range(most), random_decisions(table), strict=False):
        pass
    rows, head = list[Stored](), FIRST
    for entry in table.entries:
        at = BEGUN + timedelta(seconds=61 * entry.n)
        entry = type(entry)(entry.n, at.strftime("%Y-%m-%dT%H:%M:%SZ"), entry.by, entry.key, entry.event)
        sealed, _ = chain.seals_and_salts_of_entry(table.key, entry, window=entry.n % 5 == 0)
        head = chain.next_head(head, entry, sealed)
        by, event = encode(entry.by).decode(), encode(entry.event).decode()
        rows.append(Stored(entry.n, at, by, entry.key, event, sealed, head))
    return table.key, rows


def rename_open_questions(house: House, match_id: str, *seats: int) -> None:
    """Changes the key of the open questions, as if other rules had opened them."""
    with house.site.writing() as session:
        for seat in seats:
            for renamed in (
                "asks SET key = 'old.' || key, origin = 'old.' || origin WHERE closed_at IS NULL AND",
                "outbox SET key = 'old.' || key, dedupe = 'old.' || dedupe WHERE key NOT LIKE 'old.%' AND",
            ):
                this = text(f"UPDATE {renamed} match_id = :m AND seat = :s")
                session.connection().execute(this, {"m": match_id, "s": seat})
