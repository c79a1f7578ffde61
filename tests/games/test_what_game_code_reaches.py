"""No path hands a game the key of its match: the lab with orders and plans, the check of a log, the analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest

from pbem.features.lab.ordered import play_with_orders
from pbem.games import all_games
from pbem.kit.analysis.positions import course_of
from pbem.kit.analysis.report import moment_of
from pbem.kit.assemble import AssembledGame
from pbem.kit.bots import bots_of, usual_bot
from pbem.kit.chance import KeyLuck, SeedLuck
from pbem.kit.contract import AnyGame
from pbem.kit.logs.repetition import Repetition
from pbem.kit.play import Table
from tests.games.discovered import GAMES, options_of
from tests.games.reach import reachable
from tests.kit.logs.repetition import among_bots
from tests.transcripts import seed_of

RULES = {"setup", "decide", "evolve"}
"""What is handed luck of the rules, which is the match's own: the rules draw from it."""
EVERY = 23
"""Every so many calls of a function are watched, and its first ones."""


class Watch:
    """Watches all that is handed to a game's functions, those of its rules aside."""

    def __init__(self, *secrets: bytes) -> None:
        self.wanted = {form for secret in secrets for form in (secret, secret.hex(), int.from_bytes(secret, "big"))}
        self.calls: dict[str, int] = {}
        self.found: set[str] = set()

    def over(self, game: AnyGame) -> AnyGame:
        """The same game, watched."""
        assert isinstance(game, AssembledGame)
        own = {one.name: getattr(game, one.name) for one in fields(game)}
        watched: dict[str, Any] = {
            name: self.around(name, made) for name, made in own.items() if callable(made) and name not in RULES
        }
        bots = {name: self.around(f"bot {name}", bot) for name, bot in game.bots.items()}
        return replace(game, **watched, bots=bots)

    def around(self, name: str, called: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose arguments are walked before it is called."""

        def watched(*handed: Any, **named: Any) -> Any:
            self.calls[name] = self.calls.get(name, 0) + 1
            if self.calls[name] < 4 or self.calls[name] % EVERY == 0:
                self.found |= {f"{name}: {one!r:.80}" for one in reachable(*handed, *named.values()) if self.tells(one)}
            return called(*handed, **named)

        return watched

    def tells(self, one: Any) -> bool:
        """True for a secret of the match, and for what all its luck can be drawn from."""
        if isinstance(one, KeyLuck | SeedLuck | Table):
            return True
        if isinstance(one, bytearray | memoryview):
            one = bytes(one)
        return isinstance(one, str | bytes | int) and one in self.wanted


@pytest.mark.sample(2)
@GAMES
def test_neither_the_lab_nor_orders_nor_plans_hand_a_game_the_key(game: AnyGame) -> None:
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


@pytest.mark.sample(2)
@GAMES
def test_neither_the_check_of_a_log_nor_its_analysis_hands_a_game_the_key(game: AnyGame) -> None:
    log = among_bots(game, game.meta.seats[0], 1)
    assert log.seed is not None
    watch = Watch(log.seed, Table(game, log.seats, log.options, log.seed).key)
    watched = msgspec.structs.replace(log, game=watch.over(game))
    assert all(made.holds for made in Repetition(watched).decisions())
    assert watch.calls[f"bot {usual_bot(game)}"] > 3
    course = course_of(watched)
    moment_of(course, next(at for at, one in enumerate(course.positions) if one.played is not None))
    assert watch.calls["imagine"] > 3
    assert watch.found == set()


def test_a_key_that_is_handed_on_is_found() -> None:
    game = all_games()["hogen"]
    log = among_bots(game, 3, 1)
    assert log.seed is not None
    key = Table(game, 3, log.options, log.seed).key
    watch = Watch(log.seed, key)
    for handed in (key, {"luck": KeyLuck(key)}, lambda: log.seed):
        watch.found.clear()
        watch.around("typical", lambda one: None)(handed)
        assert watch.found
