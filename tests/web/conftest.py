"""A site with pages, on a clock that moves only by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.services.site import Site
from tests.api.cast import NOON, Begun, Entropy, open_site_of
from tests.harness.compiled import hand_on_compiled, take_over_compiled
from tests.harness.servers import copy_sqlite
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import MovedClock
from tests.web.cast import Web
from tests.web.everywhere import Everywhere, play_everywhere


@pytest.fixture
def clock() -> MovedClock:
    """The site's clock."""
    return MovedClock(NOON)


@pytest.fixture
def make_web(sqlite_url: str, tmp_path: Path, clock: MovedClock) -> Iterator[Callable[..., Web]]:
    """Makes the pages of a site with some settings changed."""
    made: list[Site] = []

    def make(**settings: Any) -> Web:
        made.append(open_site_of(tmp_path, clock, Entropy(), **{"database_url": sqlite_url} | settings))
        take_over_compiled(made[-1].engine, made[-1].config.lock_wait_s)
        return Web(made[-1])

    yield make
    for site in made:
        hand_on_compiled(site.engine, site.config.lock_wait_s)


@pytest.fixture
def web(make_web: Callable[..., Web]) -> Web:
    """The pages of a site without matches."""
    return make_web()


@pytest.fixture(scope="session")
def new_match(sqlite_migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """A match of three that has just begun."""
    return Begun.on(sqlite_migrated, tmp_path_factory.mktemp("begun"), lambda site: Web(site).start())


@pytest.fixture(scope="session")
def everywhere(sqlite_migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everywhere]:
    """A site with matches in every phase, for tests that only look."""
    data = tmp_path_factory.mktemp("everywhere")
    copy_sqlite(sqlite_migrated, data / "pbem.db")
    web = Web(open_site_of(data, MovedClock(NOON), Entropy()))
    made = play_everywhere(web)
    yield made
    assert web.everything() == made.rows
    web.site.engine.dispose()


@pytest.fixture
def hogen(web: Web, new_match: Begun) -> str:
    """A match of three that has just begun: everybody chooses an ally."""
    return new_match.lay(web.site)
