"""Every game has the same files, so that a developer who knows one game finds their way in all."""

from pbem.games import all_games, folder_of
from tests.harness.cases import cases

NAMES = {"__init__", "facts", "rules", "words", "board", "bots", "figures"}
ON_THE_LAYER, BELOW_IT = {"describe"}, {"notation", "story", "prompts", "meta"}
"""What a game has besides that is said on `pbem.kit.game`, with or without a notation of its own, and one that has each
face by hand."""
PARTED = ("facts", "rules", "bots", "intro", "lesson")
"""What may have parts: `rules_course` beside `rules`."""
MAY = {"history", "orders", "imagined", "news", "intro", "lesson"}
"""What a game may do without: a fold apart from its facts, orders of its own, what is imagined and can be supposed,
cards of important news, and what is for those who do not know it."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg", "cover.svg")


@cases("slug", [*all_games()])
def test_a_game_has_the_files_that_all_games_have(slug: str) -> None:
    names = {
        path.name.removesuffix(".py")
        for path in folder_of(slug).iterdir()
        if path.name.endswith(".py") or (path / "__init__.py").is_file()
    }
    others = {name for name in names - NAMES - MAY if name.partition("_")[0] not in PARTED}
    assert names >= NAMES
    assert others in (ON_THE_LAYER, ON_THE_LAYER | {"notation"}, BELOW_IT)


@cases("slug", [*all_games()])
def test_a_game_has_its_texts_and_its_symbols(slug: str) -> None:
    assert [name for name in TEXTS if not (folder_of(slug) / name).is_file()] == []
