"""Statements that libpq sends at once are one transaction, whatever becomes of what is prepared on the connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Session

from pbem.errors import Busy, Unavailable
from pbem.models.at_once import AtOnce
from pbem.models.clocks import Heartbeat
from pbem.models.engine import autocommit_connection, make_engine, reading_session, writing_session
from pbem.models.prepared import UNMET, Prepared, Unmet

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
PAIR = AtOnce(
    Prepared(text("INSERT INTO pulse (name, at) VALUES (:name, :at)")),
    Prepared(text("UPDATE pulse SET at = :later WHERE name = :name AND at = :at")),
)
FAILING = AtOnce(
    Prepared(text("INSERT INTO pulse (name, at) VALUES (:name, :at)")),
    Prepared(text("SELECT CAST(:said || '' AS integer)")),
)


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    """An engine with a single connection at a time."""
    engine = make_engine(postgres_url, lock_wait_s=0.2)
    yield engine
    engine.dispose()


def beat(engine: Engine, name: str) -> int:
    """Writes a heartbeat an hour after noon; returns the process of the server that has done it."""
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    with autocommit_connection(engine) as connection:
        driver: Any = connection.connection.driver_connection
        PAIR.send(
            connection, {"name": name, "at": tokyo}, {"name": name, "at": NOON, "later": NOON + timedelta(hours=1)}
        )
        return int(driver.info.backend_pid)


def beats(engine: Engine) -> dict[str, datetime]:
    with reading_session(engine, Session) as session:
        return {
            one: session.get_one(Heartbeat, one).at
            for one in session.execute(text("SELECT name FROM pulse WHERE name <> 'schema'")).scalars()
        }


def test_statements_sent_in_one_batch_are_executed_in_their_order(engine: Engine) -> None:
    said: list[tuple[str, Any]] = []
    event.listen(engine, "before_cursor_execute", lambda *args: said.append(args[2:4]))
    beat(engine, "it's 100 %")
    assert [statement.partition(" ")[0] for statement, _ in said] == ["INSERT", "UPDATE"]
    assert said[0][1]["name"] == "it's 100 %"
    assert beats(engine)["it's 100 %"] == NOON + timedelta(hours=1)


def test_text_is_stored_intact_under_another_client_encoding(
    engine: Engine, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    latin = make_engine(postgres_url)
    beat(latin, "Élise")
    latin.dispose()
    monkeypatch.undo()
    assert beats(engine).keys() == {"Élise"}


@pytest.mark.parametrize(
    ("said", "error"), [(UNMET, Unmet), ("pbem", DataError), ("1\0", ValueError)], ids=["unmet", "wrong", "nul"]
)
def test_a_failing_statement_of_a_batch_writes_nothing_and_the_next_works(
    engine: Engine, said: str, error: type[Exception]
) -> None:
    beat(engine, "first")
    with pytest.raises(error) as failed, autocommit_connection(engine) as connection:
        FAILING.send(connection, {"name": "second", "at": NOON}, {"said": said})
    assert "second" not in str(failed.value)
    assert beats(engine).keys() == {"first"}
    with pytest.raises(IntegrityError):
        beat(engine, "first")
    beat(engine, "second")
    assert beats(engine).keys() == {"first", "second"}


def test_a_batch_is_prepared_again_after_a_rollback_has_dropped_all(engine: Engine) -> None:
    servers = {beat(engine, "first"), beat(engine, "second")}
    prepared = text("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'pbem%'")
    with reading_session(engine, Session) as session:
        assert session.execute(prepared).scalar_one() == 2
    with suppress(ZeroDivisionError), writing_session(engine, Session) as session:
        session.execute(text("SELECT 1"))
        raise ZeroDivisionError
    with reading_session(engine, Session) as session:
        assert session.execute(prepared).scalar_one() == 0
    servers.add(beat(engine, "third"))
    assert (len(servers), set(beats(engine))) == (1, {"first", "second", "third"})


def test_a_lock_that_is_not_free_in_time_raises_busy(engine: Engine) -> None:
    with engine.connect() as other:
        other.execute(text("LOCK TABLE pulse IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(Busy):
            beat(engine, "late")


def test_a_lost_server_raises_unavailable(engine: Engine) -> None:
    beat(engine, "first")

    def go_on() -> None:
        with autocommit_connection(engine) as connection:
            driver: Any = connection.connection.driver_connection
            with engine.connect() as killer:
                killer.execute(text(f"SELECT pg_terminate_backend({driver.info.backend_pid}, 5000)"))
            PAIR.send(connection, {"name": "lost", "at": NOON}, {"name": "lost", "at": NOON, "later": NOON})

    with pytest.raises(Unavailable):
        go_on()
    beat(engine, "second")
    assert beats(engine).keys() == {"first", "second"}
