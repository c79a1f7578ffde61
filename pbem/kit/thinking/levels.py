"""Named budgets, and the bots that have them: what docs/bots.md says of their strength is measured."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import msgspec

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Bot, Move, PlayerView, ask_of
from pbem.kit.thinking.search import Thought, search

VERSION = 4
"""Incremented whenever a bot that thinks chooses differently: only the same version can repeat its choices."""


class Level(msgspec.Struct, frozen=True):
    """How long a bot thinks about a decision, in iterations, and whether it knows what the game's own bot would do."""

    name: str
    iterations: int
    advised: bool = True


EASY, FAIR, STRONG = Level("easy", 8, advised=False), Level("fair", 100), Level("strong", 400)
LEVELS: Mapping[str, Level] = MappingProxyType({level.name: level for level in (EASY, FAIR, STRONG)})


@cache
def thinkers_of(game: AnyGame) -> Mapping[str, Bot]:
    """Returns a bot for each level, by its name; none for a game that does not imagine."""
    if game.imagine is None:
        return {}
    return {name: _thinker(game, level) for name, level in LEVELS.items()}


def _thinker(game: AnyGame, level: Level) -> Bot:
    def choose(view: PlayerView, seat: int, chance: Chance) -> Move:
        legal = game.legal(view.fold, seat)
        if len(legal) == 1:
            only: Move = legal[0]
            return only
        return think(game, view, seat, chance, level).move

    return choose


def think(game: AnyGame, view: PlayerView, seat: int, chance: Chance, level: Level) -> Thought:
    """Returns what a bot of this level thinks about the question that its seat is asked."""
    assert ask_of(game, view.fold, seat) is not None, "the seat is asked something"
    own = next(reversed([*game.bots.values()]), None) if level.advised else None
    advice = None if own is None else own(view, seat, chance)
    return search(game, view, seat, chance, level.iterations, advice)
