"""No match of the lab hands a game its key, with orders and plans either."""

from __future__ import annotations

import pytest

from pbem.features.lab.ordered import play_with_orders
from pbem.kit.bots import bots_of, usual_bot
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table
from tests.games.discovered import GAMES, options_of
from tests.games.stage.watching import Watch
from tests.transcripts import seed_of


@pytest.mark.sample(2)
@GAMES
def test_lab_orders_and_plans_never_give_game_code_the_secret_key(game: AnyGame) -> None:
    seats = game.meta.seats[0]
    options, seed = options_of(game, seats), seed_of("lab", seats, 0)
    table = Table(game, seats, options, seed)
    watch = Watch(seed, table.key)
    watched = watch.over(game)
    players = [bots_of(watched)[usual_bot(game)]] * seats
    play_with_orders(watched, seats, options, seed, players, [True] * seats, [seat == 0 for seat in range(seats)])
    assert watch.found == set()
    assert watch.calls["typical"]
    assert watch.calls[f"bot {usual_bot(game)}"] > 3
