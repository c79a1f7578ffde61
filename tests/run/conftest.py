"""A web server that tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.servers import PostgresServer, copy_sqlite
from tests.run.webs import MODES, Web, run_web

MODES_IN_TURN = [pytest.param(mode, marks=() if mode == "production" else pytest.mark.long) for mode in MODES]


@pytest.fixture(scope="package", params=MODES_IN_TURN)
def mode(request: pytest.FixtureRequest) -> str:
    """The mode of the web; each test runs in both, in the long run.

    They share the server and differ in what stands behind it; how the embedded one is run, every run tests elsewhere.
    """
    return str(request.param)


@pytest.fixture(scope="package")
def database(mode: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database with the tables, of the kind that the mode uses."""
    if mode == "embedded":
        path = tmp_path_factory.mktemp("served") / "pbem.db"
        copy_sqlite(request.getfixturevalue("sqlite_migrated"), path)
        yield f"sqlite:///{path}"
    else:
        postgres: PostgresServer = request.getfixturevalue("postgres")
        name = postgres.create(request.getfixturevalue("postgres_migrated"))
        yield postgres.url(name).replace("postgresql+psycopg:", "postgresql:")
        postgres.drop(name)


@pytest.fixture(scope="session")
def redis_apart(redis_address: str) -> str:
    """A Redis database that other tests do not read: a web counts into it until it ends."""
    return f"{redis_address}?db=1"


@pytest.fixture(scope="package")
def web(mode: str, database: str, redis_apart: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web of the mode, in one process."""
    with run_web(mode, tmp_path_factory.mktemp(mode), database, redis_apart) as started:
        yield started


@pytest.fixture
def patient(web: Web) -> Web:
    """The web with no time limits: it works in time although slow clients are connected."""
    web.get("/test/limits?seconds=3600")
    return web


@pytest.fixture
def impatient(web: Web) -> Web:
    """The web with time limits of half a second."""
    web.get("/test/limits?seconds=0.5")
    return web


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which test and web leave each other notes."""
    return tmp_path
