"""A match that bots have played is made again from its log: every decision, and every choice of a bot."""

import pytest

from pbem.games import all_games
from pbem.kit.bots import bots_of, usual_bot, version_of
from pbem.kit.contract import AnyGame
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import Repetition
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table, first_to_answer
from pbem.kit.replay import By, player_view
from tests.transcripts import log_of


def among_bots(game: AnyGame, seats: int, seed: int) -> Log:
    """The log of a match in which the game's own bot has all seats."""
    table, name = Table(game, seats, game.meta.options(), bytes([seed] * 32)), usual_bot(game)
    while asks := game.pending(table.state):
        ask = first_to_answer(asks, table.luck, table.position)
        view = player_view(game, table.entries, seats, ask.seat, table.luck.memory(ask.seat))
        move = bots_of(game)[name](view, ask.seat, table.luck.bot(table.position, ask.key, ask.seat))
        table.play(ask, move, By(bot=ask.seat, via=name, version=version_of(game, name)))
    return log_of(table)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
@pytest.mark.parametrize("game", [pytest.param(game, id=slug) for slug, game in all_games().items()])
def test_every_decision_and_every_choice_of_a_bot_comes_out_the_same(game: AnyGame, seed: int) -> None:
    """At the largest table: there a seat may answer twice while one window is open."""
    log = among_bots(game, game.meta.seats[-1], seed)
    made = [*Repetition(log).decisions()]
    assert [(one.entries[0].n, one.broken) for one in made if not one.holds or one.broken is not None] == []
    assert [one.entries[0].n for one in made if one.bot is not True and one.entries[0].by.bot is not None] == []
    assert verify(log).ok


def test_the_decision_of_a_broken_bot_holds_but_counts_as_another_choice() -> None:
    log = among_bots(all_games()["hogen"], 3, 1)

    def broken(*_: object) -> object:
        raise RuntimeError("no idea")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pbem.kit.logs.repetition.bots_of", lambda game: {"greedy": broken})
        made = [one for one in Repetition(log).decisions() if one.entries[0].by.bot is not None]
    assert {(one.holds, one.bot) for one in made} == {(True, False)}


@pytest.mark.long
def test_who_asks_for_draws_alone_asks_no_bot() -> None:
    log = among_bots(all_games()["hogen"], 3, 1)
    with_bots, without = [*Repetition(log).decisions()], [*Repetition(log, bots=False).decisions()]
    assert [one.draws for one in with_bots] == [one.draws for one in without]
    assert {one.bot for one in without} == {None}
