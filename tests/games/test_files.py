"""Every game has the same files, so that a developer who knows one game finds their way in all."""

from pbem.games import all_games, folder_of
from tests.harness.cases import cases

NAMES = {"__init__", "facts", "history", "rules", "notation", "words", "story", "prompts", "describe", "board"}
NAMES |= {"bots", "meta", "figures"}
PARTED = ("facts", "rules", "bots", "estimate")
"""What may have parts: `rules_course` beside `rules`."""
MAY = {"orders", "suppose", "imagined", "estimate"}
"""What a game may do without: orders of its own, what can be supposed, what is imagined, what a position is worth."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")


@cases("slug", [*all_games()])
def test_a_game_has_the_files_that_all_games_have(slug: str) -> None:
    names = {
        path.name.removesuffix(".py")
        for path in folder_of(slug).iterdir()
        if path.name.endswith(".py") or (path / "__init__.py").is_file()
    }
    assert names >= NAMES
    assert [name for name in names - NAMES - MAY if name.partition("_")[0] not in PARTED] == []


@cases("slug", [*all_games()])
def test_a_game_has_its_texts_and_its_symbols(slug: str) -> None:
    assert [name for name in TEXTS if not (folder_of(slug) / name).is_file()] == []
