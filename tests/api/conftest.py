"""A table of Hogen behind the whole application. The clock moves only by hand; luck is the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.services.site import Site
from tests.api.cast import NOON, READER, Api, Begun, Caller, Entropy, Table, body_of_match, json_of, open_site_of
from tests.harness.compiled import hand_on_compiled, take_over_compiled
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import MovedClock, play_out


@pytest.fixture
def clock() -> MovedClock:
    """The site's clock."""
    return MovedClock(NOON)


@pytest.fixture
def make_site(sqlite_url: str, tmp_path: Path, clock: MovedClock) -> Iterator[Callable[..., Site]]:
    """Makes a site with some settings changed."""
    made = []

    def make(**settings: Any) -> Site:
        made.append(open_site_of(tmp_path, clock, Entropy(), **{"database_url": sqlite_url} | settings))
        take_over_compiled(made[-1].engine, made[-1].config.lock_wait_s)
        return made[-1]

    yield make
    for site in made:
        hand_on_compiled(site.engine, site.config.lock_wait_s)


@pytest.fixture
def rest(make_site: Callable[..., Site]) -> Api:
    """The API of a site without matches."""
    return Api(make_site())


@pytest.fixture(scope="session")
def new_match(sqlite_migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """A match of three that has just begun."""
    return Begun.on(sqlite_migrated, tmp_path_factory.mktemp("begun"), lambda site: Api(site).start())


@pytest.fixture
def hogen(rest: Api, new_match: Begun) -> Table:
    """A match of three that has just begun: everybody chooses an ally."""
    return Table(rest, new_match.lay(rest.site))


@pytest.fixture
def over(hogen: Table) -> Table:
    """A match that has been played to its end."""
    play_out(hogen.api.site, hogen.id)
    return hogen


@pytest.fixture
def dave(rest: Api) -> Caller:
    """A player who is seated at another table."""
    seats = [*body_of_match(("Dave",))["seats"], {"bot": "random"}, {"bot": "random"}]
    elsewhere = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', elsewhere, 0)}", READER))
    return rest.caller(rest.token("play", elsewhere, 0))
