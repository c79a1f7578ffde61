"""A site with pages, on a clock that moves only by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.config import Config
from pbem.services.site import Site, open_site
from tests.api.cast import NOON, entropy
from tests.table import MovedClock
from tests.web.cast import Web


@pytest.fixture
def clock() -> MovedClock:
    """The site's clock."""
    return MovedClock(NOON)


@pytest.fixture
def make_web(sqlite_url: str, tmp_path: Path, clock: MovedClock) -> Iterator[Callable[..., Web]]:
    """Makes the pages of a site with some settings changed."""
    made: list[Site] = []

    def make(**settings: Any) -> Web:
        known: dict[str, Any] = {
            "mode": "embedded",
            "data": tmp_path,
            "database_url": sqlite_url,
            "secret": "s" * 48,
            "lock_wait_s": 0.1,
        }
        made.append(open_site(Config(**known | settings), now=clock, entropy=entropy()))
        return Web(made[-1])

    yield make
    for site in made:
        site.engine.dispose()


@pytest.fixture
def web(make_web: Callable[..., Web]) -> Web:
    """The pages of a site without matches."""
    return make_web()


@pytest.fixture
def hogen(web: Web) -> str:
    """A match of three that has just begun: everybody chooses an ally."""
    return web.start()
