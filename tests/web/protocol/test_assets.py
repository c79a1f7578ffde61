"""Static files and what a phone needs to put the site on its home screen."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import render_template_string

from pbem.games import Broken, found_games
from pbem.web.protocol import assets
from tests.games.stage.bot_packages import Offer, look_again
from tests.games.stage.bot_packages import offer as offer
from tests.harness.cases import cases
from tests.web.cast import Web


def links_in_head(page: str) -> dict[str, str]:
    """The addresses in the head of a page, by what they are for."""
    return dict(re.findall(r'<link rel="([^"]+)" href="([^"]+)"', page.partition("</head>")[0]))


@cases("lang, name", [("en", "Board games by email"), ("fr", "Des jeux de société par courriel")])
def test_the_manifest_and_all_its_icons_are_there_and_may_be_kept(web: Web, lang: str, name: str) -> None:
    client = web.client()
    page = client.get(f"/?lang={lang}")
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
    found = links_in_head(page.text)
    told = client.get(found["manifest"])
    assert told.mimetype == "application/manifest+json"
    assert told.json is not None
    assert (told.json["name"], told.json["lang"]) == (name, lang)
    icons = {icon["src"]: icon["sizes"] for icon in told.json["icons"]}
    for path, sizes in (icons | {found["apple-touch-icon"]: "180x180"}).items():
        icon = client.get(path)
        assert "{}x{}".format(*struct.unpack(">II", icon.data[16:24])) == sizes
        assert icon.headers["Cache-Control"] == told.headers["Cache-Control"]
    assert "immutable" in told.headers["Cache-Control"]
    old = client.get(found["manifest"].replace(assets.files_version(), "0" * 16))
    assert "immutable" not in old.headers.get("Cache-Control", "")


def test_the_bar_of_a_phone_has_the_colour_of_the_page() -> None:
    sheets = [(assets.FOLDER / "styles" / name).read_text(encoding="utf-8") for name in ("look.css", "dark.css")]
    assert [re.findall(r"--washi: (#\w+);", css) for css in sheets] == [[assets.PAPER], [assets.NIGHT]]


@pytest.mark.parametrize("changed", ["kit/drawing/svg.py", "web/play/seat_page.py", "templates/web/base.html", "games"])
def test_an_upgrade_gives_every_page_and_drawing_another_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changed: str
) -> None:
    for name in ("kit/drawing/svg.py", "web/play/seat_page.py", "templates/web/base.html"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("old")
    monkeypatch.setattr(assets, "PACKAGE", tmp_path)
    monkeypatch.setattr(assets, "TEMPLATES", tmp_path / "templates")
    of_games = dict(found_games())
    monkeypatch.setattr(assets, "found_games", lambda: of_games)

    def versions() -> tuple[str, ...]:
        assets.software_version.cache_clear()
        return assets.software_version(), assets.drawing_version(), assets.drawing_version(["Alice", "Bob"])

    before = versions()
    assert versions() == before
    broken = Broken("nim", "nim 1.0", "unloadable", "<nim object at 0x7f12>")
    monkeypatch.setattr(assets, "broken_games", lambda: (broken,))
    before = versions()
    broken = broken._replace(said="<nim object at 0x7f34>")
    assert versions() == before, "each process says it in its own words"
    if changed == "games":
        of_games["hogen"] = of_games["hogen"]._replace(origin="hogen 2.0")
    else:
        (tmp_path / changed).write_text("new")
    assert not set(before) & set(versions())
    monkeypatch.undo()
    assets.software_version.cache_clear()


def version_of_new_process() -> str:
    """Returns the version of the software, as a process that begins now finds it."""
    assets.software_version.cache_clear()
    return assets.software_version()


@pytest.fixture
def fresh() -> Iterator[None]:
    """Has the version found again after the test."""
    yield
    assets.software_version.cache_clear()


def test_the_software_version_changes_with_a_bots_code_and_origin(fresh: None, offer: Offer, tmp_path: Path) -> None:
    versions = [version_of_new_process()]
    name = offer()
    versions.append(version_of_new_process())
    module = tmp_path / f"{name}.py"
    module.write_text(module.read_text("utf-8").replace("Wily", "Sly"), "utf-8")
    versions.append(version_of_new_process())
    about = tmp_path / f"{name}-1.0.dist-info" / "METADATA"
    about.write_text(about.read_text("utf-8").replace("1.0", "1.1"), "utf-8")
    look_again()
    versions.append(version_of_new_process())
    assert len({*versions}) == len(versions)


def test_the_software_version_ignores_what_editors_leave_in_a_package(
    fresh: None, offer: Offer, tmp_path: Path
) -> None:
    package = tmp_path / offer()
    del sys.modules[package.name]
    package.with_suffix(".py").rename(package.with_suffix(".old"))
    package.mkdir()
    package.with_suffix(".old").rename(package / "__init__.py")
    look_again()
    before = version_of_new_process()
    os.symlink("me@host.1234:1", package / ".#rules.py")  # as Emacs does while a file is not saved
    (package / ".rules.py.swp").write_text("Vim")
    (package / "rules.py~").write_text("Emacs")
    (package / ".mypy_cache").mkdir()
    (package / ".mypy_cache" / "rules.json").write_text("{}")
    assert version_of_new_process() == before
    os.symlink("nowhere", package / "moves.py")
    assert version_of_new_process() != before


def test_the_software_version_does_not_read_data_of_a_package(fresh: None, offer: Offer, tmp_path: Path) -> None:
    package = tmp_path / offer()
    del sys.modules[package.name]
    package.with_suffix(".py").unlink()
    package.mkdir()
    (package / "__init__.py").write_text("")
    data = package / "weights.bin"

    def version_with(held: bytes, at: int) -> str:
        data.write_bytes(held)
        os.utime(data, (at, at))
        return version_of_new_process()

    look_again()
    before = version_with(b"old", 1)
    assert version_with(b"new", 1) == before
    assert len({before, version_with(b"new", 2), version_with(b"newer", 2)}) == 3


def test_url_for_in_a_template_follows_its_requests_host_and_page(web: Web) -> None:
    def say(call: str, path: str = "/games", host: str = "games.example") -> str:
        with web.app.test_request_context(path, base_url=f"https://{host}"):
            return render_template_string(f"{{{{ {call} }}}}")

    outside = "url_for('start.show_games', _external=True)"
    assert [say(outside, host=host) for host in ("a.example", "b.example")] == [
        "https://a.example/games", "https://b.example/games"
    ]  # fmt: skip
    near = "url_for('.show', circle_id='c')"
    assert [say(near, path) for path in ("/circle/c", "/me/results")] == ["/circle/c", "/me/results?circle_id=c"]
    assert say("url_for('start.show_games', of=['a', 'b'])") == "/games?of=a&amp;of=b"
