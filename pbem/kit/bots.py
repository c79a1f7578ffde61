"""Programs that fill seats. A bot sees what a player in its seat sees, and no more."""

from collections.abc import Mapping
from typing import Any

from pbem.kit.chance import Chance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Bot, PlayerView
from pbem.kit.thinking.levels import EASY, LEVELS, VERSION, thinkers_of

RANDOM = "random"


def bots_of(game: AnyGame) -> Mapping[str, Bot]:
    """Returns every bot that can play the game, by name, roughly from the weakest to the strongest.

    `random` comes first. Next are, if the game imagines, the easy one of those that think, then the game's own, and the
    stronger ones that think.
    """

    def at_random(view: PlayerView, seat: int, chance: Chance) -> Any:
        return draw(game.legal(view.fold, seat), game.meta.weights, chance)

    thinkers = thinkers_of(game)
    easy = {name: bot for name, bot in thinkers.items() if name == EASY.name}
    return {RANDOM: at_random, **easy, **game.bots, **{name: bot for name, bot in thinkers.items() if name not in easy}}


def usual_bot(game: AnyGame) -> str:
    """Returns the bot that sits at a table where nobody has chosen another: the game's own, which answers at once."""
    return next(reversed([RANDOM, *game.bots]))


def thinks(bot: str) -> bool:
    """Returns whether the bot of this name is one of those that think for a while."""
    return bot in LEVELS


def version_of(game: AnyGame, bot: str) -> int:
    """Returns the version under which the bot chooses as it does: it repeats its choices under the same one.

    Bots that think rest on the game's own, so theirs tells both versions.
    """
    return VERSION * 1000 + game.meta.bot_version if thinks(bot) else game.meta.bot_version
