"""Every game's lesson obeys the laws of lessons."""

import pytest

from pbem.features.lessons.laws import check_lesson
from pbem.games import all_games
from pbem.kit.contract import AnyGame

TAUGHT = [pytest.param(game, id=slug) for slug, game in all_games().items() if game.lesson is not None]


@pytest.mark.parametrize("game", TAUGHT)
def test_a_lesson_can_be_played_to_its_end(game: AnyGame) -> None:
    check_lesson(game)
