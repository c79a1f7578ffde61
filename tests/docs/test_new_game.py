"""The package that docs/new-game.md builds is a game: found once installed, and played by mail to the end."""

from __future__ import annotations

import importlib
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem import create_app, games
from pbem.games import all_games, broken_games, find_game, folder_of, found_games, look_for_games
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match
from pbem.kit.play import Sample
from pbem.kit.texts import LANGS
from pbem.render import pictures
from pbem.web.docs import rules_of
from tests.docs.building import ROOT, install, write
from tests.table import House, open_house
from tests.web.cast import choose, press

PAGE = ROOT / "docs" / "new-game.md"
LAWS = re.compile(r"## Check it.*?```python\n(.*?)```", re.DOTALL)
PAGES = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")


def look_again() -> None:
    """Discovers the games again, as in a new process."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "nim"]:
        del sys.modules[name]
    look_for_games.cache_clear()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The package as the page writes it."""
    return write(PAGE, tmp_path / "source")


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for installed packages, where games are discovered during the test."""
    folder = tmp_path / "target"
    folder.mkdir()
    with monkeypatch.context() as patched:
        patched.syspath_prepend(folder)
        look_again()
        yield folder
    look_again()


@pytest.fixture
def nim(source: Path, target: Path) -> None:
    """The game of the page is installed."""
    install(source, target)
    look_again()


@pytest.fixture
def house(nim: None, sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    yield from open_house(sqlite_url, tmp_path)


def test_the_game_has_at_most_155_lines_of_python(source: Path) -> None:
    lines = [line for path in source.rglob("*.py") for line in path.read_text().splitlines() if line.strip()]
    assert 100 < len(lines) <= 155


@pytest.mark.usefixtures("nim")
def test_the_installed_game_is_found_and_obeys_the_laws() -> None:
    game = find_game("nim")
    assert game is not None
    assert [*all_games()][-1] == "nim"
    assert len(all_games()) == 1 + len([*Path(games.__path__[0]).glob("*/__init__.py")])
    sample = Sample()
    for n in range(20):
        sample.add(check_match(game, 2, game.meta.options(), n.to_bytes(32, "big"))[0])
        check_fallbacks(game, 2, game.meta.options(), n.to_bytes(32, "big"))
        check_luck(game, 2, game.meta.options(), n.to_bytes(32, "big"))
    assert sample.missing(game) == []
    (laws,) = LAWS.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(laws, str(PAGE), "exec"), {})


@pytest.mark.usefixtures("nim")
def test_its_texts_and_symbols_are_those_of_its_own_package() -> None:
    assert [name for name in PAGES if not (folder_of("nim") / name).is_file()] == []
    game = find_game("nim")
    assert 'id="stick"' in pictures.symbols(game, '<use href="#stick"/>')


@pytest.mark.usefixtures("nim")
def test_its_refusals_lead_to_their_rules_without_figures() -> None:
    game = find_game("nim")
    assert game is not None
    assert not game.figures
    for lang in LANGS:
        body = rules_of("nim", lang).body
        assert {refusal.rule for refusal in game.meta.refusals.values()} <= set(re.findall(r'id="([\w.]+)"', body))


def link_to(house: House, name: str, purpose: str) -> str:
    """Returns the path of the newest link of this purpose in the mails to this address."""
    house.drain()
    texts = [mail.get_body(("plain",)) for mail in house.mail.to(f"{name.lower()}@example.org")]
    found = [re.findall(rf"/{purpose}/[^\s?#/]+(?=[\s?#])", body.get_content()) for body in texts if body]
    return str([link for links in found for link in links][-1])


def test_the_game_is_played_by_mail_to_the_end(house: House) -> None:
    client = create_app(site=house.site).test_client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en"
    match_id, rng = house.begin(2, "nim"), random.Random(7)
    house.mail.clear()
    for _ in range(15):
        house.drain()
        asked = [ask.seat for ask in house.asks(match_id)]
        if not asked:
            break
        name = ("Alice", "Bob")[asked[0]]
        answer = press(client, choose(client, link_to(house, name, "play"), rng.choice))
        assert answer.status_code == 303
    assert house.asks(match_id) == []
    house.drain()
    last = house.mail.to("bob@example.org")[-1]
    plain = last.get_body(("plain",))
    assert plain is not None
    assert "the last stick is taken" in plain.get_content()
    assert {part.get_content_type() for part in last.walk()} >= {"text/plain", "text/html", "image/png"}
    for path in ("/games/nim", "/rules/nim?lang=fr", "/rules/nim?lang=en", "/docs/api/notation/nim?lang=en"):
        assert client.get(path).status_code == 200


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("nim/__init__.py", "from nim import", "from nim.missing import", "the game 'nim' of pbem-nim 1.0 cannot be"),
        (
            "nim/__init__.py",
            "GAME = assemble(",
            "GAME, _ = 1, assemble(",
            "the game 'nim' of pbem-nim 1.0 is no game: it lacks",
        ),
        ("nim/__init__.py", 'slug="nim"', 'slug="mis"', "the game 'nim' of pbem-nim 1.0 calls itself 'mis'"),
        ("pyproject.toml", "nim = ", "hogen = ", "the game 'hogen' of pbem-nim 1.0 calls itself 'nim'"),
    ],
)
def test_a_broken_game_is_named_with_its_package(
    source: Path, target: Path, name: str, before: str, after: str, said: str
) -> None:
    text = (source / name).read_text()
    assert before in text
    (source / name).write_text(text.replace(before, after))
    install(source, target)
    look_again()
    assert [one.said.startswith(said) for one in broken_games()] == [True]
    assert "nim" not in all_games()


def test_a_game_without_its_rules_is_broken(source: Path, target: Path) -> None:
    (source / "nim" / "RULES.fr.md").unlink()
    install(source, target)
    look_again()
    assert [one.said for one in broken_games()] == ["the game 'nim' of pbem-nim 1.0 has no RULES.fr.md beside its code"]


def test_a_package_that_takes_the_name_of_our_game_is_named_and_ours_stays(source: Path, target: Path) -> None:
    (source / "pyproject.toml").write_text((source / "pyproject.toml").read_text().replace("nim = ", "hogen = "))
    init = source / "nim" / "__init__.py"
    init.write_text(init.read_text().replace('slug="nim"', 'slug="hogen"'))
    install(source, target)
    look_again()
    assert [one.said for one in broken_games()] == ["the game 'hogen' of pbem-nim 1.0 has the name of the one of pbem"]
    assert found_games()["hogen"].origin == "pbem"
