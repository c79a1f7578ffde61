"""Every game has the same files, so that whoever knows one finds their way in all."""

import importlib.util
from pathlib import Path

import pytest

from pbem.games import all_games

NAMES = {"__init__", "facts", "history", "rules", "notation", "words", "story", "prompts", "describe", "board"}
NAMES |= {"bots", "meta"}
PARTED = ("facts", "rules", "board", "bots")
"""What may have parts: `rules_course` beside `rules`."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")


def folder_of(slug: str) -> Path:
    """The folder of a game of ours."""
    spec = importlib.util.find_spec(f"pbem.games.{slug.replace('-', '_')}")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.mark.parametrize("slug", [*all_games()])
def test_a_game_has_the_files_that_all_games_have(slug: str) -> None:
    names = {path.stem for path in folder_of(slug).glob("*.py")}
    assert names >= NAMES
    assert [name for name in names - NAMES if name.partition("_")[0] not in PARTED] == []


@pytest.mark.parametrize("slug", [*all_games()])
def test_a_game_has_its_texts_and_its_symbols(slug: str) -> None:
    assert [name for name in TEXTS if not (folder_of(slug) / name).is_file()] == []
