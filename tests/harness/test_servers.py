"""The servers that tests rely on are real, separate for each test, and gone afterwards."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import redis
import sqlalchemy

from tests.harness.cases import cases
from tests.harness.servers import PostgresServer, copy_sqlite, redis_server
from tests.processes import command_lines


def test_a_copy_of_a_frozen_database_has_its_rows_and_keeps_its_own(postgres: PostgresServer) -> None:
    origin = postgres.create()
    still_open = postgres.connect(origin)
    still_open.execute("CREATE TABLE seat (name text)")
    still_open.execute("INSERT INTO seat VALUES ('Alice')")
    postgres.freeze(origin)

    first, second = postgres.create(origin), postgres.create(origin)
    with postgres.connect(first) as connection:
        connection.execute("INSERT INTO seat VALUES ('Bob')")
        assert connection.execute("SELECT name FROM seat").fetchall() == [("Alice",), ("Bob",)]
    with postgres.connect(second) as connection:
        assert connection.execute("SELECT name FROM seat").fetchall() == [("Alice",)]
    for name in (first, second, origin):
        postgres.drop(name)


def test_a_database_is_dropped_although_somebody_is_connected(postgres: PostgresServer) -> None:
    name = postgres.create()
    connection = postgres.connect(name)
    postgres.drop(name)
    with postgres.connect("postgres") as other:
        found = other.execute("SELECT count(*) FROM pg_database WHERE datname = %s", [name]).fetchone()
    connection.close()
    assert found == (0,)


@pytest.fixture
def template(postgres: PostgresServer) -> str:
    """A database with a row, a sequence and an empty table."""
    name = postgres.create()
    with postgres.connect(name) as connection:
        connection.execute("CREATE TABLE version (it text)")
        connection.execute("INSERT INTO version VALUES ('0001')")
        connection.execute("CREATE TABLE seat (id serial PRIMARY KEY, name text)")
        connection.execute("CREATE TABLE move (seat int REFERENCES seat)")
    postgres.freeze(name)
    return name


def test_a_returned_test_database_is_lent_again_in_its_first_state(postgres: PostgresServer, template: str) -> None:
    first = postgres.lend(template)
    left_open = psycopg.connect(f"postgresql://postgres@/{first.name}?host={postgres.folder}")
    with postgres.connect(first.name) as connection:
        connection.execute("INSERT INTO seat (name) VALUES ('Alice')")
        connection.execute("INSERT INTO move VALUES (1)")
        left_open.execute("SELECT * FROM seat FOR UPDATE")
        postgres.take_back(first)
        with pytest.raises(psycopg.OperationalError):
            left_open.execute("SELECT 1")
        again = postgres.lend(template)
        assert again.name == first.name
        connection.execute("INSERT INTO seat (name) VALUES ('Bob')")  # somebody idle may stay
        assert connection.execute("SELECT * FROM seat").fetchall() == [(1, "Bob")]
        assert connection.execute("SELECT * FROM version").fetchall() == [("0001",)]
        assert connection.execute("SELECT * FROM move").fetchall() == []
    postgres.take_back(again)


@cases(
    "change",
    [
        "CREATE TABLE more (it int)", "ALTER TABLE seat ADD COLUMN more int", "CREATE INDEX more ON move (seat)",
        "DROP TABLE move", "ALTER TABLE move DROP CONSTRAINT move_seat_fkey", "UPDATE version SET it = '0002'",
    ],
)  # fmt: skip
def test_a_returned_test_database_that_was_changed_is_not_lent_again(
    postgres: PostgresServer, template: str, change: LiteralString
) -> None:
    lent = postgres.lend(template)
    with postgres.connect(lent.name) as connection:
        connection.execute(change)
    postgres.take_back(lent)
    again = postgres.lend(template)
    assert again.name != lent.name
    postgres.take_back(again)


def test_redis_keeps_a_key_within_a_test(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left", "behind")
        assert client.get("left") == b"behind"


def test_redis_is_empty_at_the_next_test(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0


def test_a_sqlite_copy_has_what_still_stands_in_the_write_ahead_log(tmp_path: Path) -> None:
    source = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    source.execute("PRAGMA journal_mode = WAL")
    source.execute("CREATE TABLE seat (name text)")
    source.execute("INSERT INTO seat VALUES ('Alice')")
    copy_sqlite(tmp_path / "a.db", tmp_path / "b.db")
    copied = sqlite3.connect(tmp_path / "b.db")
    assert copied.execute("SELECT name FROM seat").fetchall() == [("Alice",)]
    source.close()
    copied.close()


def test_a_test_gets_the_tables_without_rows(database_url: str) -> None:
    engine = sqlalchemy.create_engine(database_url)
    written_by_migrations = {"alembic_version", "schema_floor"}
    tables = set(sqlalchemy.inspect(engine).get_table_names()) - written_by_migrations
    assert tables
    with engine.connect() as connection:
        for name in tables:
            assert connection.execute(sqlalchemy.text(f'SELECT count(*) FROM "{name}"')).scalar() == 0
    engine.dispose()


def test_what_a_killed_run_left_behind_is_removed_by_the_next() -> None:
    killed = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal\n"
            "from tests.harness.servers import redis_server\n"
            "with redis_server() as url:\n"
            "    print(url.removeprefix('unix://'), flush=True); signal.pause()",
        ],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killed.stdout is not None
    sock = Path(killed.stdout.readline().strip())
    assert sock.parent.exists()
    killed.kill()
    killed.wait()
    killed.stdout.close()
    with redis_server():
        assert not sock.parent.exists()


def test_servers_leave_no_process_and_no_folder() -> None:
    program = (
        "from tests.harness.servers import postgres_server, redis_server\n"
        "with postgres_server() as p, redis_server() as r:\n"
        "    print(p.folder, r.removeprefix('unix://'))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    folder, sock = done.stdout.split()
    assert not Path(folder).exists()
    assert not Path(sock).parent.exists()
    listing = command_lines()
    assert folder not in listing
    assert sock not in listing
