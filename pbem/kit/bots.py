"""Programs that fill seats. A bot sees what a player in its seat sees, and no more."""

from collections.abc import Mapping
from typing import Any

from pbem.kit.chance import Chance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Bot

RANDOM = "random"


def bots_of(game: AnyGame) -> Mapping[str, Bot]:
    """Returns every bot that can play the game, by name: `random` first, then the game's own."""

    def at_random(fold: Any, seat: int, chance: Chance) -> Any:
        return draw(game.legal(fold, seat), game.meta.weights, chance)

    return {RANDOM: at_random, **game.bots}
