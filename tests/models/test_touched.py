"""`matches.touched` rises by itself whenever what all moves of a match depend on changes without a new version."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, delete, insert, select, text, update
from sqlmodel import AutoString

from pbem.models.clocks import Vacation
from pbem.models.engine import make_engine
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.models.types import Utc

MATTERS = {
    "matches": {
        "game", "options", "status", "seed", "commitment", "words", "turn_s", "window_s", "bank_s", "increment_s",
        "untimed", "deal_id", "silent", "undone", "takebacks", "undoing", "archived_at",
    },
    "seats": {"player_id", "bot", "status", "absent", "resigned"},
    "players": {"zone", "weekends_off", "quiet_from", "quiet_to"},
}  # fmt: skip
DOES_NOT = {
    "matches": {
        "id", "version", "touched", "head", "late", "spectators", "organiser_id", "created_at", "lapses_at",
        "started_at", "ended_at", "outcome", "rematch_of", "shifted_for", "nth", "first_names", "ordering",
        "tallied_at", "held_since",
    },
    "seats": {
        "match_id", "seat", "name", "epoch", "muted", "misses", "bank_s", "word", "away_n", "stand_in", "seen",
    },
    "players": {
        "id", "address", "canonical", "language", "verified_at", "epoch", "digest_hour", "pictures", "hints_hidden",
        "bounced_at", "bounced_why", "visited_at", "page_key", "rated", "pace_shown", "absences", "weekly",
        "created_at",
    },
}  # fmt: skip
"""What no move reads, or only of the mover's own seat, where the move compares it itself; or what must not be seen by
how long the move of another takes: orders, what somebody has seen, who stands in for them."""
ROWS: dict[str, Any] = {"matches": table(Match), "seats": table(SeatRow), "players": table(Player)}
COLUMNS = [(name, column) for name in ROWS for column in sorted(MATTERS[name] | DOES_NOT[name])]


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = make_engine(database_url)
    with made.begin() as connection:
        now = datetime(2026, 11, 30, tzinfo=UTC)
        people: dict[str, Any] = {"address": "a@example.org", "canonical": "a@example.org", "created_at": now}
        connection.execute(insert(ROWS["players"]).values(id=1, **people))
        connection.execute(insert(ROWS["players"]).values(id=2, created_at=now, visited_at=now))
        row: dict[str, Any] = {
            "game": "hogen", "options": "{}", "status": "running", "seed": b"0", "commitment": "", "turn_s": 1,
            "window_s": 1, "created_at": now,
        }  # fmt: skip
        for match_id in ("a", "b"):
            connection.execute(insert(ROWS["matches"]).values(id=match_id, **row))
        connection.execute(insert(ROWS["matches"]).values(row | {"id": "c", "status": "over"}))
        connection.execute(text("INSERT INTO deals (id, game, options, seats, seed, commitment, words, created_at) "
                                "VALUES ('d', 'hogen', '{}', 2, '0', '', '', CURRENT_TIMESTAMP)"))  # fmt: skip
        for match_id in ("a", "c"):
            connection.execute(
                insert(ROWS["seats"]).values(match_id=match_id, seat=0, player_id=1, name="A", status="accepted")
            )
    yield made
    made.dispose()


def numbers_by_match(engine: Engine) -> dict[str, int]:
    """The number of each match."""
    with engine.connect() as connection:
        found = connection.execute(select(ROWS["matches"].c.id, ROWS["matches"].c.touched)).all()
        return {row.id: row.touched for row in found}


def other_value(column: Any, value: Any) -> Any:
    """Another value that the column may have."""
    if column.name == "deal_id":
        return "d"
    if column.name in ("player_id", "organiser_id"):
        return 2
    if isinstance(column.type, Utc):
        return datetime(2026, 12, 1, tzinfo=UTC)
    kind = column.type.python_type if not isinstance(column.type, AutoString) else str
    return not value if kind is bool else {int: 7, str: "z", bytes: b"1"}[kind]


def test_each_column_is_listed_as_raising_touched_or_not() -> None:
    for name, of in ROWS.items():
        assert MATTERS[name] | DOES_NOT[name] == {column.name for column in of.columns}
        assert not MATTERS[name] & DOES_NOT[name]


def test_only_the_listed_columns_raise_a_matchs_touched_counter(engine: Engine) -> None:
    for name, column in COLUMNS:
        of = ROWS[name]
        if (name, column) in {("matches", "id"), ("matches", "touched"), ("seats", "match_id"), ("players", "id"),
                              ("players", "address"), ("players", "canonical"), ("players", "visited_at"),
                              ("matches", "rematch_of")}:  # fmt: skip
            continue  # keys, and what a check binds together
        key = of.c.match_id if name == "seats" else of.c.id
        this = key == (1 if name == "players" else "a")
        before = numbers_by_match(engine)
        with engine.begin() as connection:
            value = connection.execute(select(of.c[column]).where(this)).scalar_one()
            connection.execute(update(of).where(this).values({column: other_value(of.c[column], value)}))
        raised = {match_id for match_id, number in numbers_by_match(engine).items() if number != before[match_id]}
        assert raised == ({"a"} if column in MATTERS[name] else set()), (name, column)
        with engine.begin() as connection:
            connection.execute(update(of).where(this).values({column: value}))


def test_a_holiday_raises_touched_in_all_running_matches_of_the_player(engine: Engine) -> None:
    days = table(Vacation)
    changes: list[Any] = [
        insert(days).values(player_id=1, first=date(2026, 12, 1), last=date(2026, 12, 9)),
        update(days).values(last=date(2026, 12, 2)),
        delete(days),
    ]
    for number, change in enumerate(changes, 1):
        with engine.begin() as connection:
            connection.execute(change)
        assert numbers_by_match(engine) == {"a": number, "b": 0, "c": 0}


def test_a_move_does_not_raise_touched(engine: Engine) -> None:
    matches = ROWS["matches"]
    with engine.begin() as connection:
        connection.execute(update(matches).where(matches.c.id == "a").values(version=1, status="over"))
        connection.execute(update(ROWS["seats"]).values(absent=False, status="accepted", seen=4))
    assert numbers_by_match(engine) == {"a": 0, "b": 0, "c": 0}
