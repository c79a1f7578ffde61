"""Statements handed to the driver directly have the same results as by SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import wait
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine, bindparam, column, event, insert, literal_column, select, text, update
from sqlalchemy import table as bare
from sqlalchemy.exc import DataError, IntegrityError, OperationalError, ProgrammingError
from sqlmodel import Session

from pbem.errors import Unavailable
from pbem.models.clocks import Heartbeat
from pbem.models.engine import autocommit_connection, make_engine, reading_session, writing_session
from pbem.models.prepared import (
    Change,
    Prepared,
    Unmet,
    batch,
    moment_in_sqlite,
    objects_of_join,
    objects_of_rows,
    pipeline,
)
from pbem.models.tables import Match, Player, SeatRow, table

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
_players, _seats = table(Player), table(SeatRow)
BY_ID = Prepared(select(_players).where(_players.c.id == bindparam("id")))
HEARTBEAT = Prepared(insert(table(Heartbeat)), ("name", "at"))
SITTING = Prepared(
    select(_seats, _players).join(_players, _players.c.id == _seats.c.player_id, isouter=True).order_by(_seats.c.seat)
)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on each kind of database; Alice and a bot sit at a table."""
    engine = make_engine(database_url, lock_wait_s=0.2)
    with writing_session(engine, Session) as session:
        session.add(Player(id=1, address="alice@example.org", canonical="alice@example.org", created_at=NOON))
        session.add(
            Match(id="a", game="hogen", options="{}", status="running", seed=b"", commitment="", turn_s=1, window_s=1,
                  created_at=NOON)
        )  # fmt: skip
        session.flush()
        session.add(SeatRow(match_id="a", seat=0, player_id=1, name="Alice", status="accepted"))
        session.add(SeatRow(match_id="a", seat=1, bot="random", name="Bot", status="accepted"))
    yield engine
    engine.dispose()


def player_by_statement(session: Session, **how: Any) -> Player:
    """Alice, by a prepared statement."""
    found: Player = objects_of_rows(session, Player, BY_ID.flush_and_send(session, {"id": 1}).rows(), **how)[0]
    return found


def test_a_statement_stays_prepared_in_the_next_transaction(postgres_url: str) -> None:
    engine = make_engine(postgres_url)
    with reading_session(engine, Session) as session:
        assert BY_ID.flush_and_send(session, {"id": 1}).rows() == []
    with reading_session(engine, Session) as session:
        prepared = session.connection().exec_driver_sql("SELECT statement FROM pg_prepared_statements").scalars().all()
    engine.dispose()
    assert any("FROM players" in one for one in prepared)


@pytest.mark.on_postgresql
def test_an_untyped_datetime_parameter_is_stored_like_its_column(engine: Engine) -> None:
    """In Python's own form, which is deprecated from 3.12 on, it would not compare with the others."""
    later = NOON.astimezone(ZoneInfo("Asia/Tokyo"))
    with writing_session(engine, Session) as session:
        session.add(Heartbeat(name="typed", at=NOON))
        session.connection().execute(text("INSERT INTO pulse (name, at) VALUES ('plain', :at)"), {"at": later})
        session.flush()
        same = session.execute(text("SELECT count(DISTINCT at) FROM pulse WHERE name IN ('typed', 'plain')"))
        assert same.scalar_one() == 1
        assert session.get_one(Heartbeat, "plain").at == NOON


def test_an_untyped_naive_datetime_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        moment_in_sqlite(NOON.replace(tzinfo=None))


@pytest.mark.on_postgresql
def test_changes_in_a_reading_session_are_never_committed(engine: Engine) -> None:
    """SQLite takes the change and rolls it back; PostgreSQL refuses it."""
    with suppress(Unavailable), reading_session(engine, Session) as session:
        session.connection().exec_driver_sql("UPDATE players SET language = 'en'")
    with reading_session(engine, Session) as session:
        assert player_by_statement(session).language == "fr"


def test_a_row_becomes_the_object_that_the_session_would_have_loaded(engine: Engine) -> None:
    with reading_session(engine, Session) as session:
        alice = player_by_statement(session)
        assert session.get(Player, 1) is alice is player_by_statement(session)
        assert not session.dirty
        values = alice.model_dump()
    with reading_session(engine, Session) as session:
        assert session.get_one(Player, 1).model_dump() == values
        assert values["created_at"] == NOON


@pytest.mark.long
def test_changes_to_an_object_from_a_prepared_row_are_written(engine: Engine) -> None:
    with writing_session(engine, Session) as session:
        player_by_statement(session).epoch = 7
    with reading_session(engine, Session) as session:
        assert session.get_one(Player, 1).epoch == 7


@pytest.mark.on_postgresql
def test_the_session_writes_its_changes_before_a_statement_reads_them(engine: Engine) -> None:
    with writing_session(engine, Session) as session:
        session.get_one(Player, 1).epoch = 7
        assert [row[_index("epoch")] for row in BY_ID.flush_and_send(session, {"id": 1}).rows()] == [7]


def _index(name: str) -> int:
    return [column.name for column in _players.columns].index(name)


@pytest.mark.on_postgresql
def test_a_loaded_object_is_refreshed_by_a_prepared_row_if_asked(engine: Engine) -> None:
    with writing_session(engine, Session) as session:
        alice = player_by_statement(session)
        session.connection().exec_driver_sql("UPDATE players SET epoch = 9")
        assert player_by_statement(session).epoch == 0
        assert player_by_statement(session, refresh=True) is alice
        assert alice.epoch == 9


def test_rows_of_two_models_become_pairs_without_the_one_that_is_not_there(engine: Engine) -> None:
    with reading_session(engine, Session) as session:
        (alice, player), (bot, nobody) = objects_of_join(
            session, (SeatRow, Player), SITTING.flush_and_send(session, {}).rows()
        )
        assert (alice.name, player.address, bot.name, nobody) == ("Alice", "alice@example.org", "Bot", None)


def test_a_pipelines_statements_have_their_results_afterwards(engine: Engine) -> None:
    with writing_session(engine, Session) as session:
        with pipeline(session) as connection:
            written = HEARTBEAT.send(connection, {"name": "a", "at": NOON})
            found = BY_ID.send(connection, {"id": 1})
        assert written.cursor.rowcount == 1
        assert len(found.rows()) == 1


@pytest.mark.long
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_failing_statement_raises_as_sqlalchemy_does_and_rolls_back(engine: Engine, place: str) -> None:
    names = ["a", "a", "b"] if place == "first" else ["b", "a", "a"]

    def write() -> None:
        with writing_session(engine, Session) as session, pipeline(session) as connection:
            for name in names:
                HEARTBEAT.send(connection, {"name": name, "at": NOON})

    with pytest.raises(IntegrityError) as failed:
        write()
    assert "2026" not in str(failed.value), "no value reaches a log"
    with writing_session(engine, Session) as session:
        HEARTBEAT.flush_and_send(session, {"name": "a", "at": NOON})


def test_an_invalid_prepared_statement_raises_its_error(engine: Engine) -> None:
    nonsense = Prepared(select(column("nothing")).select_from(bare("nowhere")))
    with pytest.raises((ProgrammingError, OperationalError)), reading_session(engine, Session) as session:
        nonsense.flush_and_send(session, {}).rows()


BEAT = Change(update(table(Heartbeat)).where(table(Heartbeat).c.name == bindparam("of")).values(at=bindparam("now")))
BY_ZERO, NO_NUMBER = (Prepared(select(literal_column(it))) for it in ("1 / (SELECT 0)", "CAST('x' || 'y' AS integer)"))


@pytest.mark.parametrize("together", [False, True])
def test_an_update_matching_no_row_rolls_back_the_batch(engine: Engine, together: bool) -> None:
    with writing_session(engine, Session) as session:
        HEARTBEAT.flush_and_send(session, {"name": "beat", "at": NOON})
    later = NOON + timedelta(hours=1)
    with ExitStack() as stack:
        stack.enter_context(pytest.raises(Unmet))
        session = stack.enter_context(writing_session(engine, Session))
        connection = stack.enter_context(pipeline(session)) if together else session.connection()
        for name in ("beat", "nobody"):
            BEAT.send(connection, {"of": name, "now": later})
    with reading_session(engine, Session) as session:
        assert session.get_one(Heartbeat, "beat").at == NOON


@pytest.mark.parametrize("fault", [BY_ZERO, NO_NUMBER], ids=["division", "number"])
def test_other_errors_are_not_mistaken_for_an_update_matching_no_row(postgres_url: str, fault: Prepared) -> None:
    engine = make_engine(postgres_url)
    with pytest.raises(DataError), writing_session(engine, Session) as session, pipeline(session) as connection:
        fault.send(connection, {})
    engine.dispose()


@pytest.mark.parametrize("early", [False, True], ids=["told_at_the_end", "told_early"])
@pytest.mark.parametrize("turn_that_fails", range(7))
def test_after_a_failed_autocommit_batch_prepared_statements_still_work(
    postgres_url: str, turn_that_fails: int, early: bool
) -> None:
    """Without a transaction there is no rollback at which the driver forgets what the server has not prepared.

    The server may tell that a statement has failed before the next one is sent, which then raises it.
    """
    engine, backends = make_engine(postgres_url), set[int]()
    for turn in range(turn_that_fails + 2):
        with suppress(DataError), autocommit_connection(engine) as connection, batch(connection):
            driver: Any = connection.connection.driver_connection
            backends.add(driver.info.backend_pid)
            if turn == turn_that_fails:
                BY_ZERO.send(connection, {})
                wait([driver], timeout=20 if early else 0)
            found = BY_ID.send(connection, {"id": 1})
    assert found.rows() == []
    assert len(backends) == 1, "a new connection would have everything planned again"
    engine.dispose()


def test_the_pool_reuses_the_connection_returned_last(postgres_url: str) -> None:
    engine = make_engine(postgres_url)
    with engine.connect(), engine.connect() as given_back_first:
        first = given_back_first.connection.driver_connection
    with engine.connect() as connection:
        assert connection.connection.driver_connection is not first
    engine.dispose()


def test_prepared_statements_trigger_the_engines_event_listeners(engine: Engine) -> None:
    said: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    with reading_session(engine, Session) as session:
        player_by_statement(session)
    assert any("FROM players" in statement for statement in said)


def test_a_server_lost_in_a_batch_raises_unavailable(postgres_url: str) -> None:
    engine, other = make_engine(postgres_url), make_engine(postgres_url)

    def go_on() -> None:
        with writing_session(engine, Session) as session:
            pid = session.connection().exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            with writing_session(other, Session) as killer:
                killer.connection().exec_driver_sql(f"SELECT pg_terminate_backend({pid}, 5000)")
            with pipeline(session) as connection:
                BY_ID.send(connection, {"id": 1})
                HEARTBEAT.send(connection, {"name": "a", "at": NOON})

    with pytest.raises(Unavailable):
        go_on()
    other.dispose()
    with reading_session(engine, Session) as session:
        assert BY_ID.flush_and_send(session, {"id": 1}).rows() == []
    engine.dispose()
