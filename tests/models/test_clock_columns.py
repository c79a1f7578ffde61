"""A database with running matches gets the clocks' columns: questions keep their deadlines, and nobody loses time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alembic import command
from sqlalchemy import text
from sqlmodel import Session, col, select

from pbem.models.clocks import Pulse
from pbem.models.engine import alembic_config, make_engine, migrate
from pbem.models.tables import AskRow

AT = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
TURN, WINDOW = timedelta(days=3), timedelta(hours=2)
MATCH = """INSERT INTO matches (id, game, options, status, version, seed, seed_sha256, turn_s, window_s, spectators,
    created_at) VALUES ('a', 'hogen', '{}', 'running', 1, :seed, '0', 259200, 7200, :yes, :at)"""
SEAT = "INSERT INTO seats (match_id, seat, name, status, epoch, muted) VALUES ('a', :seat, 'Alice', 'accepted', 0, :no)"
ASK = """INSERT INTO asks (match_id, key, seat, turn, kind, origin, opened_at, opened_n, deadline)
    VALUES ('a', :key, :seat, 't0', 'act', :origin, :opened, 1, :until)"""
MAIL = """INSERT INTO outbox (dedupe, kind, match_id, seat, key, created_at, due_at, attempts, done_at, result)
    VALUES (:key, 'turn', 'a', :seat, :key, :at, :at, 0, :done, :result)"""
ENTRY = "INSERT INTO entries (match_id, n, at, by, event) VALUES ('a', 1, :at, '{}', '{}')"
VALUES: Mapping[str, Any] = {"at": AT, "yes": True, "no": False, "seed": b"0"}


def stored(value: Any, sqlite: bool) -> Any:
    """The value as the driver takes it."""
    return f"{value:%Y-%m-%d %H:%M:%S.%f}" if sqlite and isinstance(value, datetime) else value


class Before:
    """A database of an older version with a running match of one question a seat."""

    def __init__(self, url: str, version: str) -> None:
        command.upgrade(alembic_config(url), version)
        self.url, self.engine, self.seats = url, make_engine(url), 0
        self.add(MATCH)

    def add(self, statement: str, **values: Any) -> None:
        """Inserts a row."""
        known = {**VALUES, **values}
        sqlite = self.engine.dialect.name == "sqlite"
        with self.engine.begin() as connection:
            named = {name: stored(value, sqlite) for name, value in known.items() if f":{name}" in statement}
            connection.execute(text(statement), named)

    def ask(self, result: str | None, *, given: timedelta = TURN, opened: datetime = AT) -> int:
        """A question whose mail has this result, or waits; gives its seat."""
        seat, self.seats = self.seats, self.seats + 1
        key, done = f"t0.act{seat}", None if result is None else AT
        self.add(SEAT, seat=seat)
        self.add(ASK, seat=seat, key=key, origin=key, opened=opened, until=opened + given)
        self.add(MAIL, seat=seat, key=key, done=done, result=result)
        return seat

    def after(self) -> list[AskRow]:
        """The questions after the upgrade, by seat."""
        self.engine.dispose()
        migrate(self.url)
        with Session(self.engine) as session:
            rows = session.exec(select(AskRow).where(col(AskRow.closed_at).is_(None)).order_by(col(AskRow.seat))).all()
            session.expunge_all()
        self.engine.dispose()
        return list(rows)


@pytest.fixture(params=["0001", "0002"])
def before(blank_database_url: str, request: pytest.FixtureRequest) -> Before:
    """A database of a version without these columns."""
    return Before(blank_database_url, request.param)


def test_an_open_question_keeps_its_deadline_and_gets_a_grace(before: Before) -> None:
    before.ask("sent")
    before.ask("muted")
    for ask in before.after():
        assert (ask.deadline, ask.mailed_at, ask.vote_since) == (AT + TURN, AT, None)
        assert (ask.allowed_s, ask.acts_at) == (259_200, AT + TURN + timedelta(hours=6))


def test_where_the_mail_has_not_left_the_clock_waits_for_it(before: Before) -> None:
    before.ask(None)
    before.ask("digest")
    before.ask("sent")
    assert [(ask.mailed_at, ask.acts_at) for ask in before.after()] == [
        (None, None), (None, None), (AT, AT + TURN + timedelta(hours=6)),
    ]  # fmt: skip


def test_a_question_outside_ones_turn_has_the_shorter_time(before: Before) -> None:
    before.ask("sent", given=WINDOW + timedelta(seconds=90))
    (ask,) = before.after()
    assert (ask.allowed_s, ask.acts_at) == (7200, ask.deadline + timedelta(minutes=12))


def test_a_question_that_goes_on_with_a_stretch_was_given_the_time_of_its_first(before: Before) -> None:
    seat = before.ask("sent")
    before.add("UPDATE asks SET closed_at = :at")
    later = AT + TURN - timedelta(hours=1)
    before.add(ASK, seat=seat, key="t0.act9", origin="t0.act0", opened=later, until=AT + TURN)
    (ask,) = before.after()
    assert (ask.key, ask.allowed_s) == ("t0.act9", 259_200)


@pytest.mark.parametrize("entry", [AT - timedelta(hours=1), AT + timedelta(hours=1)])
def test_the_service_is_known_to_have_lived_until_the_last_mail_or_move(before: Before, entry: datetime) -> None:
    before.ask("sent")
    before.add(ENTRY, at=entry)
    before.after()
    with Session(before.engine) as session:
        assert session.get_one(Pulse, "sweep").at == max(AT, entry)
    before.engine.dispose()


def test_an_empty_database_has_had_no_life(before: Before) -> None:
    before.after()
    with Session(before.engine) as session:
        assert session.get(Pulse, "sweep") is None
    before.engine.dispose()


def test_seats_begin_without_misses(before: Before) -> None:
    before.ask("sent")
    before.after()
    with before.engine.connect() as connection:
        seats = connection.execute(text("SELECT misses, absent, resigned FROM seats"))
        assert [tuple(map(bool, row)) for row in seats] == [(False, False, False)]
    before.engine.dispose()
