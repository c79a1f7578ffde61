"""The package that docs/below-the-layer.md builds, for the contract alone, is found once installed, and played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem import games
from pbem.games import all_games, broken_games, find_game, folder_of_game, found_games
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match
from pbem.kit.play import Sample
from pbem.kit.texts import LANGS
from pbem.render import pictures
from pbem.render.markdown import rules_of
from pbem.testing.check import check_game
from tests.docs.building import ROOT, install_package, write_page_files
from tests.docs.installing import look_again, play_to_the_end
from tests.table import House

PAGE = ROOT / "docs" / "below-the-layer.md"
PAGES = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The package as the page writes it."""
    return write_page_files(PAGE, tmp_path / "source")


@pytest.fixture
def nim(source: Path, target: Path) -> None:
    """The game of the page is installed."""
    install_package(source, target)
    look_again(target)


def test_the_pages_example_game_has_at_most_155_lines_of_python(source: Path) -> None:
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
    checks = [*check_game(game, folder_of_game("nim"), 4)]
    assert [fault for check in checks for fault in check.faults] == []


@pytest.mark.usefixtures("nim")
def test_the_example_games_texts_and_symbols_come_from_its_own_package() -> None:
    assert [name for name in PAGES if not (folder_of_game("nim") / name).is_file()] == []
    game = find_game("nim")
    assert 'id="stick"' in pictures.symbol_definitions(game, '<use href="#stick"/>')


@pytest.mark.usefixtures("nim")
def test_the_example_games_refusals_link_to_its_rules() -> None:
    game = find_game("nim")
    assert game is not None
    assert not game.figures
    for lang in LANGS:
        body = rules_of("nim", lang).body
        assert {refusal.rule for refusal in game.meta.refusals.values()} <= set(re.findall(r'id="([\w.]+)"', body))


@pytest.mark.usefixtures("nim")
def test_the_pages_example_game_is_played_to_the_end(house: House) -> None:
    client = play_to_the_end(house, "nim", 2)
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
    install_package(source, target)
    look_again(target)
    assert [one.said.startswith(said) for one in broken_games()] == [True]
    assert "nim" not in all_games()


def test_a_game_without_its_rules_is_broken(source: Path, target: Path) -> None:
    (source / "nim" / "RULES.fr.md").unlink()
    install_package(source, target)
    look_again(target)
    assert [one.said for one in broken_games()] == ["the game 'nim' of pbem-nim 1.0 has no RULES.fr.md beside its code"]


def test_a_package_with_the_slug_of_a_built_in_game_is_reported_not_used(source: Path, target: Path) -> None:
    (source / "pyproject.toml").write_text((source / "pyproject.toml").read_text().replace("nim = ", "hogen = "))
    init = source / "nim" / "__init__.py"
    init.write_text(init.read_text().replace('slug="nim"', 'slug="hogen"'))
    install_package(source, target)
    look_again(target)
    assert [one.said for one in broken_games()] == ["the game 'hogen' of pbem-nim 1.0 has the name of the one of pbem"]
    assert found_games()["hogen"].origin == "pbem"
