"""Every game has the same files, so that a developer who knows one game finds their way in all."""

from pbem.games import all_games, folder_of_game
from tests.harness.cases import cases

NAMES = {"__init__", "facts", "rules", "words", "board", "describe", "bots", "figures"}
PARTED = ("facts", "rules", "bots", "intro", "lesson")
"""What may have parts: `rules_course` beside `rules`."""
MAY = {"notation", "orders", "imagined", "news", "intro", "lesson"}
"""What a game may do without: reading that patterns cannot say, orders of its own, what is imagined, cards of important
news, and what is for those who do not know it."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg", "cover.svg")


@cases("slug", [*all_games()])
def test_every_game_folder_has_the_common_modules(slug: str) -> None:
    names = {
        path.name.removesuffix(".py")
        for path in folder_of_game(slug).iterdir()
        if path.name.endswith(".py") or (path / "__init__.py").is_file()
    }
    assert names >= NAMES
    assert {name for name in names - NAMES - MAY if name.partition("_")[0] not in PARTED} == set()


@cases("slug", [*all_games()])
def test_every_game_folder_has_texts_and_symbols(slug: str) -> None:
    assert [name for name in TEXTS if not (folder_of_game(slug) / name).is_file()] == []
