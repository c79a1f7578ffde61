"""Restricted play: a bot that never plays something, so that one sees what it is worth (Jaffe et al. 2012)."""

from collections.abc import Sequence
from typing import Any

from pbem.kit.bots import bots_of, thinks
from pbem.kit.chance import Chance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Bot, Move, PlayerView
from pbem.kit.thinking.levels import LEVELS, think

TRIES = 8
"""So often a bot that does not think is asked for another answer."""


def is_barred(game: AnyGame, move: Move, without: Sequence[str]) -> bool:
    """Returns whether the move is of one of these kinds, or its notation begins with one of these words.

    >>> from pbem.games import all_games
    >>> hagakure = all_games()["hagakure"]
    >>> swap, seven = hagakure.parse("swap"), hagakure.parse("play V7")
    >>> [is_barred(hagakure, move, ("Swap", "play V7")) for move in (swap, seven, hagakure.parse("play V8"))]
    [True, True, False]
    """
    if type(move).__name__ in without:
        return True
    written = f"{game.format(move)} "
    return any(written.startswith(f"{prefix} ") for prefix in without)


def restricted(game: AnyGame, name: str, without: Sequence[str]) -> Bot:
    """Returns the bot of this name as it plays without some moves.

    One that thinks gives the best of the other answers that it has tried; any other is asked again, with the luck that
    follows. When that does not help, an allowed move is drawn by the weights of the game; where none is left, the bot
    plays what it wanted.
    """
    bot = bots_of(game)[name]

    def choose(view: PlayerView, seat: int, chance: Chance) -> Any:
        wanted = first = bot(view, seat, chance)
        if not is_barred(game, first, without):
            return first
        legal = game.legal(view.fold, seat)
        if thinks(name) and len(legal) > 1:
            tried = think(game, view, seat, chance, LEVELS[name]).considered
            best = next((one.move for one in tried if not is_barred(game, one.move, without)), None)
            if best is not None:
                return best
        for _ in range(TRIES):
            wanted = bot(view, seat, chance)
            if not is_barred(game, wanted, without):
                return wanted
        allowed = [move for move in legal if not is_barred(game, move, without)]
        return draw(allowed, game.meta.weights, chance) if allowed else first

    return choose
