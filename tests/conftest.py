"""Fixtures for every test: databases and a broker, fresh for each test, and a browser."""

from __future__ import annotations

from tests.harness.runs.garbage import pytest_collection_finish as pytest_collection_finish  # isort: skip
from tests.harness.runs.garbage import pytest_unconfigure as pytest_unconfigure  # isort: skip

import asyncio
import signal
import socket
from collections.abc import Generator, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import redis
import structlog
from hypothesis import HealthCheck, settings

from pbem.mail import compose
from tests.harness.applications import take_back_applications
from tests.harness.chromium import browser as browser
from tests.harness.chromium import playwright as playwright
from tests.harness.lock_order import LockOrder
from tests.harness.runs.collecting import in_order
from tests.harness.runs.collecting import pytest_make_collect_report as pytest_make_collect_report
from tests.harness.runs.repeating import mark_races
from tests.harness.runs.repeating import pytest_addoption as pytest_addoption
from tests.harness.runs.repeating import pytest_generate_tests as pytest_generate_tests
from tests.harness.runs.reporting import pytest_configure as pytest_configure
from tests.harness.runs.selection import leave_to_the_long_run
from tests.harness.runs.selection import pytest_pycollect_makeitem as pytest_pycollect_makeitem
from tests.harness.servers import PostgresServer, copy_sqlite, postgres_server, redis_server

# The duration of an example depends on the machine, not on the code under test.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")

# A shell starts what runs in the background with Ctrl-C ignored; what tests start here would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Looks for docstring examples only in files that have some: the search visits every function.

    Pytest has one class for a file of tests, Module, and a subclass of it for a file of examples.
    """
    found = yield
    return found if b">>> " in file_path.read_bytes() else [one for one in found if type(one) is pytest.Module]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts the tests in order, marks those that show a race and those for the long run; begins with the longest ones.

    The tests of the chaos run wait for most of a minute each. As the last ones they would keep a single process busy.
    Browser tests share a browser and long matches. At the beginning a single process runs them; from the end of a
    queue others would take half of them, and start and play the same again.
    """
    in_order(config, items)
    mark_races(items)
    leave_to_the_long_run(items)
    items.sort(key=lambda item: not item.nodeid.startswith(("tests/chaos/", "tests/browser/")))


@pytest.fixture
def no_lookups(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that looks up a name over the network without answering it itself: it would depend on the network.

    A test that needs names brings its own resolver.
    """
    asked: list[object] = []
    resolve = socket.getaddrinfo

    def forwards(host: str | None, *told: Any, **more: Any) -> Any:
        try:
            ip_address(host or "127.0.0.1")
        except ValueError:
            asked.append(host)
        return resolve(host, *told, **more)

    def backwards(name: str = "") -> Any:
        asked.append(name)
        raise OSError(f"{name!r} was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", forwards)
    for function in ("gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
        monkeypatch.setattr(socket, function, backwards)
    yield
    assert asked == []


@pytest.fixture(autouse=True)
def no_loop_of_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets a test run event loops of its own: a browser's loop counts as running, in its process, all the time."""
    if "playwright" in request.fixturenames:
        yield
        return
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@pytest.fixture(scope="session", autouse=True)
def lock_order() -> Iterator[LockOrder]:
    """Records the order in which all transactions of this pytest process lock rows."""
    order = LockOrder()
    with order.watching():
        yield order


@pytest.fixture(autouse=True)
def check_lock_order(lock_order: LockOrder) -> Iterator[None]:
    """Fails a test in which a transaction has locked rows against the order of `pbem.services.log.locks`."""
    lock_order.wrong()
    yield
    assert lock_order.wrong() == []


@pytest.fixture(scope="session", autouse=True)
def loggers_follow() -> Iterator[None]:
    """Resets the loggers, so that each looks up its configuration again, and writes tracebacks as Python does.

    Each application configures structlog; a logger that was used earlier would keep its old configuration, and
    `capture_logs` would miss its lines. Without a configuration, structlog would colour each traceback, which takes
    a second.
    """
    configure = structlog.configure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structlog, "configure", lambda **told: configure(**{**told, "cache_logger_on_first_use": False}))
        plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])
        yield


@pytest.fixture(scope="session", autouse=True)
def small_pictures() -> Iterator[None]:
    """Draws the pictures of mails an eighth as wide, in a seventh of the time; tests of their look override it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "PICTURE_WIDTH", compose.PICTURE_WIDTH // 8)
        yield


@pytest.fixture(autouse=True)
def applications() -> Iterator[None]:
    """Takes back the shared web applications that the test was given."""
    yield from take_back_applications()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL for this pytest process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_migrated(postgres: PostgresServer) -> str:
    """The name of a database with the tables and no rows, to be copied, never opened."""
    from pbem.models.engine import migrate

    name = postgres.create()
    migrate(postgres.url(name))
    postgres.freeze(name)
    return name


@pytest.fixture(scope="session")
def sqlite_migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the tables and no rows, to be copied, never opened."""
    from pbem.models.engine import migrate

    path = tmp_path_factory.mktemp("migrated") / "pbem.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def postgres_url(postgres: PostgresServer, postgres_migrated: str) -> Iterator[str]:
    """A PostgreSQL database for this test alone, with the tables and no rows."""
    lent = postgres.lend(postgres_migrated)
    yield lent.url
    postgres.take_back(lent)


@pytest.fixture
def blank_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database for this test alone, without any table."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def sqlite_url(sqlite_migrated: Path, tmp_path: Path) -> str:
    """A SQLite database for this test alone, with the tables and no rows."""
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    return f"sqlite:///{tmp_path / 'pbem.db'}"


@pytest.fixture
def blank_sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite file that does not exist yet."""
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
    """The unix:// address of a running Redis for this pytest process; use `redis_url` instead."""
    with redis_server() as url:
        yield url


@pytest.fixture
def redis_url(redis_address: str) -> Iterator[str]:
    """The unix:// address of an empty Redis; `Config.broker_url` spells it for Celery."""
    yield redis_address
    with redis.Redis.from_url(redis_address) as client:
        client.flushall()
