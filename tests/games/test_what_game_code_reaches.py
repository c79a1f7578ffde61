"""No path hands a game the key of its match: the check of a log, the analysis."""

from __future__ import annotations

import msgspec
import pytest

from pbem.features.analysis.course import analyse_position, course_of_finished_match
from pbem.games import all_games
from pbem.kit.bots import usual_bot
from pbem.kit.chance import KeyLuck
from pbem.kit.contract import AnyGame
from pbem.kit.logs.repetition import Repetition
from pbem.kit.play import Table
from tests.games.discovered import GAMES
from tests.games.stage.watching import Watch
from tests.kit.logs.repetition import among_bots


@pytest.mark.sample(2)
@GAMES
def test_log_verification_and_analysis_never_give_game_code_the_key(game: AnyGame) -> None:
    log = among_bots(game, game.meta.seats[0], 1)
    assert log.seed is not None
    watch = Watch(log.seed, Table(game, log.seats, log.options, log.seed).key)
    watched = msgspec.structs.replace(log, game=watch.over(game))
    assert all(made.holds for made in Repetition(watched).decisions())
    assert watch.calls[f"bot {usual_bot(game)}"] > 3
    course = course_of_finished_match(watched)
    analyse_position(course, next(at for at, one in enumerate(course.positions) if one.played is not None))
    assert watch.calls["imagine"] > 3
    assert watch.found == set()


def test_the_search_finds_a_key_that_is_passed_to_game_code() -> None:
    game = all_games()["hogen"]
    log = among_bots(game, 3, 1)
    assert log.seed is not None
    key = Table(game, 3, log.options, log.seed).key
    watch = Watch(log.seed, key)
    for handed in (key, {"luck": KeyLuck(key)}, lambda: log.seed):
        watch.found.clear()
        watch.around("typical", lambda one: None)(handed)
        assert watch.found
