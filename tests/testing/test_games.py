"""`pbem check` finds nothing wrong with our games, and a bad package beside them changes nothing for them."""

import pytest

from pbem.commands.doctor import check_picture_renderer
from pbem.games import all_games, broken_games, folder_of_game
from pbem.kit.contract import AnyGame
from pbem.testing.check import check_game, options_tried
from tests.games.discovered import GAMES
from tests.testing.planting import Plant, list_faults, plant, run_check

__all__ = ["plant"]


@pytest.mark.long
@pytest.mark.parametrize("matches", [3, pytest.param(100, marks=pytest.mark.apart)], ids=["", "many"])
@GAMES
def test_the_built_in_games_pass_the_authors_check(game: AnyGame, matches: int) -> None:
    count = max(matches, len(options_tried(game.meta)))  # so that each choice of a table is played
    checks = [*check_game(game, folder_of_game(game.meta.slug), count)]
    assert [fault for check in checks for fault in check.faults] == []
    assert {check.name for check in checks} >= {"matches", "moves", "leaks", "fields", "texts", "boards"}


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("__init__.py", "from . import board,", "from . import boards,"),
        ("RULES.fr.md", "", None),
        ("parts.svg", "</symbol>", ""),
    ],
)
def test_a_bad_package_leaves_all_other_games_alone(plant: Plant, file: str, before: str, after: str | None) -> None:
    ours = [*all_games()]
    slug = plant(file, before, after)
    assert [*all_games()] == ours
    assert [one.slug for one in broken_games()] == [slug]
    assert check_picture_renderer().level == "OK"
    status, found = run_check(slug, 1)
    assert status == 1
    assert len(list_faults(found)) == 1
    assert list_faults(found)[0].startswith(f"loads: the game '{slug}' of {slug} 1.0")
