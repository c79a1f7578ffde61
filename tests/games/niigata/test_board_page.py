"""The map on the page of a seat, as somebody without JavaScript meets it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from pbem import create_app
from pbem.games.niigata.facts_state import State
from tests.harness.servers import copy_sqlite
from tests.table import House, open_house


@pytest.fixture(scope="module")
def house(sqlite_migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A site whose pages these tests only read."""
    folder = tmp_path_factory.mktemp("house")
    copy_sqlite(sqlite_migrated, folder / "pbem.db")
    yield from open_house(f"sqlite:///{folder / 'pbem.db'}", folder)


@pytest.fixture(scope="module")
def seat(house: House) -> tuple[FlaskClient, str, State]:
    """The page of a seat that lays its only tile on a map that is shown in part, and what its player knows."""
    match_id = house.begin(4, "niigata")
    for n in range(200):
        (ask, *_) = house.asks(match_id)
        fold = house.view(match_id, ask.seat).fold
        assert isinstance(fold, State)
        if ask.kind == "place" and len(fold.hands[ask.seat]) == 1 and len(fold.laid) > 20:
            return create_app(site=house.site).test_client(), f"/play/{house.token('play', match_id, ask.seat)}", fold
        house.bot_plays(match_id, ask.seat, n)
    raise AssertionError("nobody lays a single tile on a large map")


def portrait(page: str) -> str:
    """The board of a phone."""
    return str(re.findall(r'<svg class="portrait".*?</svg>', page, re.DOTALL)[0])


def cells(svg: str) -> dict[str, str]:
    """The cells that can be touched, and where that leads."""
    links = re.findall(r'<a href="([^"]*at-([^,"&]+)[^"]*)"', svg)
    return {cell: href.replace("&amp;", "&") for href, cell in links if "turn-" not in href}


def place_of(svg: str) -> str:
    return str(re.findall(r'data-extent="\w+"><g transform="([^"]+)"', svg)[0])


@pytest.mark.long
def test_the_map_opens_on_a_part_stays_and_leaves_other_cells_touchable(
    seat: tuple[FlaskClient, str, State],
) -> None:
    client, path, fold = seat
    first = portrait(client.get(path).text)
    assert 'data-extent="part"' in first
    assert cells(first).keys() == fold.frontier.keys()
    cell, href = next(iter(cells(first).items()))
    second = portrait(client.get(href).text)
    assert cells(second).keys() >= fold.frontier.keys() - {cell}
    others = [href for other, href in cells(second).items() if other != cell]
    places = [place_of(portrait(client.get(href).text)) for href in others]
    assert place_of(second) in places, "only a cell that was out of sight moves the map"


@pytest.mark.long
def test_cells_are_chosen_on_the_map_and_listed_once_more_in_details(seat: tuple[FlaskClient, str, State]) -> None:
    client, path, fold = seat
    page = client.get(path).text
    (listed,) = re.findall(r'<details class="listed">.*?</details>', page, re.DOTALL)
    assert listed.count('class="opt"') == len(fold.frontier)
    todo = page[page.index('data-part="todo"') :].replace(listed, "")
    assert 'class="opt"' not in todo


def test_the_whole_map_link_keeps_its_view_in_all_links_of_the_page(seat: tuple[FlaskClient, str, State]) -> None:
    client, path, fold = seat
    (whole,) = re.findall(r'<a href="([^"]*extent=whole[^"]*)"', portrait(client.get(path).text))
    page = portrait(client.get(whole.replace("&amp;", "&")).text)
    assert 'data-extent="whole"' in page
    assert all("extent=whole" in href for href in cells(page).values())
    cell = next(iter(fold.frontier))
    assert place_of(portrait(client.get(cells(page)[cell]).text)) == place_of(page)
    assert re.findall(r'<a href="[^"]*extent=part[^"]*"', page)


def test_an_unknown_map_extent_in_the_url_is_ignored(seat: tuple[FlaskClient, str, State]) -> None:
    client, path, _ = seat
    assert place_of(portrait(client.get(f"{path}?extent=%3Cb%3E").text)) == place_of(portrait(client.get(path).text))
