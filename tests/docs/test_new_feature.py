"""The package that docs/new-feature.md builds is a feature: found once installed, offered, read, and switched off."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar

from pbem import create_app, discovery
from pbem.config import Config
from pbem.discovery import packages_of_features
from pbem.kit.texts import Lang
from pbem.logs import mask_secrets, pattern_of_secrets
from pbem.models.schema import branches
from pbem.models.tables import SeatRow
from pbem.services.play import presence
from pbem.services.tokens import PlayClaim
from tests.docs.building import ROOT, install_package, write_page_files
from tests.table import House, claim_of, open_house

PAGE = ROOT / "docs" / "new-feature.md"
STABLE = ROOT / "docs" / "packages.md"
LINK = re.compile(r'<a href="(/deadlines/([^"?]+)\.ics\?lang=\w+)">([^<]+)</a>')


def forget() -> None:
    """Looks for features again, as a new process does."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "pbem_calendar"]:
        del sys.modules[name]
    for cached in (
        discovery.packages_of_features,
        discovery.faults_of_features,
        discovery.module_of_feature,
        discovery.folder_of_package,
        discovery.modules_in_feature_folders,
        branches.branches,
        pattern_of_secrets,
    ):
        cached.cache_clear()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page, installed."""
    folder = tmp_path_factory.mktemp("calendar")
    install_package(write_page_files(PAGE, folder / "source"), folder / "target")
    return folder / "target"


@pytest.fixture
def house(package: Path, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.syspath_prepend(package)
    forget()
    yield from open_house(sqlite_url, tmp_path, features=tuple(packages_of_features()))
    monkeypatch.undo()
    forget()


@pytest.fixture
def client(house: House) -> Any:
    return create_app(site=house.site).test_client()


def seat_of(house: House, match_id: str, seat: int) -> str:
    """Returns the path of a seat's page."""
    claim = claim_of(house.site, match_id, seat)
    return f"/play/{house.tokens.sign(PlayClaim(match_id, seat, claim.epoch))}"


def calendar_link(client: Any, page: str, lang: str = "en") -> tuple[str, str, str]:
    """Returns the address of the calendar on this page, its token, and what the link says."""
    (found,) = LINK.findall(client.get(f"{page}?lang={lang}").text)
    return found[0].replace("&amp;", "&"), found[1], found[2]


def events_of_calendar(client: Any, address: str) -> list[tuple[str, Any]]:
    """Returns what the calendar says, and when."""
    answer = client.get(address)
    assert (answer.status_code, answer.mimetype) == (200, "text/calendar")
    assert answer.headers["Cache-Control"].startswith("private") or "no-store" in answer.headers["Cache-Control"]
    found = Calendar.from_ical(answer.data)
    return [(str(event["summary"]), event.decoded("dtstart")) for event in found.walk("VEVENT")]


@pytest.mark.parametrize(
    ("lang", "says"), [("en", "The deadlines in your calendar"), ("fr", "Les échéances dans votre agenda")]
)
def test_the_pages_example_feature_serves_a_calendar_of_deadlines(
    house: House, client: Any, lang: Lang, says: str
) -> None:
    match_id = house.begin()
    house.drain()
    address, _, said = calendar_link(client, seat_of(house, match_id, 1), lang)
    assert said == says
    for _ in range(3):
        sheet, asked = house.view(match_id, 1).sheet, house.asks(match_id)
        wanted = [(f"Hogen: {sheet.names[ask.seat]}", ask.deadline) for ask in asked]
        assert events_of_calendar(client, address) == wanted != []
        house.play(match_id, asked[0].seat)
        house.drain()


def test_the_link_of_a_calendar_cannot_play_and_ends_with_that_of_the_seat(house: House, client: Any) -> None:
    match_id = house.begin()
    house.drain()
    page = seat_of(house, match_id, 1)
    address, token, _ = calendar_link(client, page)
    assert mask_secrets(f"GET {address}") == "GET /deadlines/***?lang=en"
    refused = client.get(f"/play/{token}").status_code
    assert refused in (401, 404, 410)
    assert client.get(f"/deadlines/{page.rpartition('/')[2]}.ics").status_code == refused
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    assert events_of_calendar(client, address), "they may go on to watch"
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, 1)).epoch += 1
    assert client.get(address).status_code == refused


def test_the_example_feature_adds_its_section_to_the_help_page(client: Any) -> None:
    for lang, said in (("en", "Deadlines in your calendar"), ("fr", "Les échéances dans votre agenda")):
        assert said in client.get(f"/help?lang={lang}").text


def test_the_example_feature_can_be_switched_off(house: House, client: Any) -> None:
    match_id = house.begin()
    house.drain()
    address, _, _ = calendar_link(client, seat_of(house, match_id, 1))
    others = tuple(name for name in packages_of_features() if name != "calendar")
    off = create_app(site=replace(house.site, config=replace(house.site.config, features=others))).test_client()
    assert off.get(address).status_code == 410
    assert LINK.findall(off.get(seat_of(house, match_id, 1)).text) == []
    assert "calendar" not in off.get("/help?lang=en").text
    assert "calendar" in Config.from_env({"PBEM_SECRET": "s" * 40}, "embedded").features


@pytest.mark.parametrize("name", ["new-feature.md", "new-game.md", "below-the-layer.md"])
def test_the_authors_guides_use_only_names_promised_in_packages_md(name: str) -> None:
    promised = re.findall(r"`(pbem\.[\w.]+)`", STABLE.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / name).read_text("utf-8")
    imports = re.findall(r"^from (pbem\.[\w.]+) import (.+)$", page, re.MULTILINE)
    used = {f"{module}.{one}".rstrip(".") for module, names in imports for one in names.removeprefix("*").split(", ")}
    used |= {one for one in re.findall(r"`(pbem\.[\w.]+)`", page) if not one.startswith("pbem.features")}
    assert used
    for one in used:
        found = any(f"{one}.".startswith(f"{whole}.") or f"{whole}.".startswith(f"{one}.") for whole in promised)
        assert found, f"{one} is not in docs/packages.md"


def test_every_name_promised_in_packages_md_exists() -> None:
    for name in re.findall(r"`(pbem\.[\w.]+)`", STABLE.read_text(encoding="utf-8").partition("## What is stable")[2]):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            module, _, inside = name.rpartition(".")
            assert hasattr(importlib.import_module(module), inside), name
