"""A table of Hogen behind the whole application. The clock moves only by hand, luck is the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.config import Config
from pbem.services.site import Site, open_site
from tests.api.cast import NOON, Api, Caller, Table, entropy
from tests.table import MovedClock


@pytest.fixture
def clock() -> MovedClock:
    """The site's clock."""
    return MovedClock(NOON)


@pytest.fixture
def make_site(sqlite_url: str, tmp_path: Path, clock: MovedClock) -> Iterator[Callable[..., Site]]:
    """Makes a site with some settings changed."""
    made = []

    def make(**settings: Any) -> Site:
        known: dict[str, Any] = {
            "mode": "embedded",
            "data": tmp_path,
            "database_url": sqlite_url,
            "secret": "s" * 48,
            "lock_wait_s": 0.1,
        }
        made.append(open_site(Config(**known | settings), now=clock, entropy=entropy()))
        return made[-1]

    yield make
    for site in made:
        site.engine.dispose()


@pytest.fixture
def rest(make_site: Callable[..., Site]) -> Api:
    """The API of a site without matches."""
    return Api(make_site())


@pytest.fixture
def hogen(rest: Api) -> Table:
    """A match of three that has just begun: everybody chooses an ally."""
    return Table(rest, rest.start())


@pytest.fixture
def dave(rest: Api) -> Caller:
    """Somebody who is seated at another table."""
    elsewhere = rest.start(("Dave", "Bob", "Carol"))
    return rest.caller(rest.token("play", elsewhere, 0))
