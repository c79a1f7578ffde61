"""A match that bots have played is made again from its log: every decision, and every choice of a bot."""

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.logs.repetition import Repetition
from pbem.kit.logs.verdict import verify
from tests.kit.logs.repetition import among_bots


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
@pytest.mark.parametrize("game", [pytest.param(game, id=slug) for slug, game in all_games().items()])
def test_repeating_a_log_gives_the_same_decisions_and_bot_choices(game: AnyGame, seed: int) -> None:
    """At the largest table: there a seat may answer twice while one window is open."""
    log = among_bots(game, game.meta.seats[-1], seed)
    made = [*Repetition(log).decisions()]
    assert [(one.entries[0].n, one.broken) for one in made if not one.holds or one.broken is not None] == []
    assert [one.entries[0].n for one in made if one.bot is not True and one.entries[0].by.bot is not None] == []
    assert verify(log).ok


def test_a_broken_bots_decision_verifies_but_counts_as_a_different_choice() -> None:
    log = among_bots(all_games()["hogen"], 3, 1)

    def broken(*_: object) -> object:
        raise RuntimeError("no idea")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pbem.kit.logs.repetition.bots_of", lambda game: {"greedy": broken})
        made = [one for one in Repetition(log).decisions() if one.entries[0].by.bot is not None]
    assert {(one.holds, one.bot) for one in made} == {(True, False)}


@pytest.mark.long
def test_listing_the_draws_of_a_log_calls_no_bot() -> None:
    log = among_bots(all_games()["hogen"], 3, 1)
    with_bots, without = [*Repetition(log).decisions()], [*Repetition(log, bots=False).decisions()]
    assert [one.draws for one in with_bots] == [one.draws for one in without]
    assert {one.bot for one in without} == {None}
