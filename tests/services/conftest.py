"""A house on each kind of database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pbem.environment import Smtp
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import House, open_house


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house whose clock moves only by hand, once on SQLite and once on PostgreSQL."""
    yield from open_house(database_url, tmp_path)


@pytest.fixture
def house_with_caps(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house that sends mail, with a low cap."""
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    yield from open_house(database_url, tmp_path, smtp=relay, matches_per_address_day=2)


@pytest.fixture
def house_that_holds(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house that holds turn mails for a minute."""
    yield from open_house(database_url, tmp_path, mail_hold_s=60)


@pytest.fixture
def impatient_house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house that waits a fifth of a second for a lock."""
    yield from open_house(database_url, tmp_path, lock_wait_s=0.2)


@pytest.fixture
def make_house(database_url: str, tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Opens houses with settings of their own."""
    with ExitStack() as open_ones:
        yield lambda **settings: open_ones.enter_context(contextmanager(open_house)(database_url, tmp_path, **settings))
