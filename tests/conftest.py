"""Fixtures that every test may ask for: databases and a broker, fresh for each test, and a browser."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.chromium import browser as browser
from tests.servers import PostgresServer, copy_sqlite, postgres_server, redis_server


def pytest_collection_finish() -> None:
    """Takes what was imported and collected out of the garbage collector's sight.

    Each application that a test makes lets it look at everything; thousands of tests are made of objects that stay.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL for this pytest process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_postgres(postgres: PostgresServer) -> str:
    """The name of a database that has the tables and no rows, to be copied, never opened."""
    from pbem.models.engine import migrate

    name = postgres.create()
    migrate(postgres.url(name))
    postgres.freeze(name)
    return name


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file that has the tables and no rows, to be copied, never opened."""
    from pbem.models.engine import migrate

    path = tmp_path_factory.mktemp("migrated") / "pbem.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def postgres_url(postgres: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    """A PostgreSQL database of this test alone, with the tables and no rows."""
    name = postgres.create(migrated_postgres)
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def blank_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database of this test alone, without any table."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> str:
    """A SQLite database of this test alone, with the tables and no rows."""
    copy_sqlite(migrated_sqlite, tmp_path / "pbem.db")
    return f"sqlite:///{tmp_path / 'pbem.db'}"


@pytest.fixture
def blank_sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'blank.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database with the tables and no rows; the test runs once on each kind."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    return str(request.getfixturevalue(name))


@pytest.fixture(params=["sqlite", "postgresql"])
def blank_database_url(request: pytest.FixtureRequest) -> str:
    """A database without any table; the test runs once on each kind."""
    name = "blank_sqlite_url" if request.param == "sqlite" else "blank_postgres_url"
    return str(request.getfixturevalue(name))


@pytest.fixture(scope="session")
def redis_address() -> Iterator[str]:
    """The unix:// address of a running Redis for this pytest process; ask for `redis_url` instead."""
    with redis_server() as url:
        yield url


@pytest.fixture
def redis_url(redis_address: str) -> Iterator[str]:
    """The unix:// address of a Redis without any key; `Config.broker_url` spells it for Celery."""
    yield redis_address
    with redis.Redis.from_url(redis_address) as client:
        client.flushall()
