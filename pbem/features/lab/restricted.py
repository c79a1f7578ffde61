"""Restricted play: a bot that never plays something, so that one sees what it is worth (Jaffe et al. 2012)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pbem.kit.bots import bots_of, thinks
from pbem.kit.chance import Chance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Bot, Move, PlayerView, Unreadable
from pbem.kit.play import Table, random_decisions
from pbem.kit.thinking.levels import LEVELS, think

MATCHES = 8
"""In so many matches of random play, each verb of the notation is looked for."""
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
    return bool(barring(game, move, without))


def barring(game: AnyGame, move: Move, without: Sequence[str]) -> list[str]:
    """Returns those of these words that bar the move."""
    kind, written = type(move).__name__, f"{game.format(move)} "
    return [word for word in without if word == kind or written.startswith(f"{word} ")]


def can_be_a_move(game: AnyGame, word: str) -> bool:
    """Returns whether this is a kind of move, or the notation of some move may begin so, as far as a few matches tell.

    >>> from pbem.games import all_games
    >>> hagakure = all_games()["hagakure"]
    >>> [can_be_a_move(hagakure, word) for word in ("Swap", "play V7", "Typo", "xyz", "")]
    [True, True, False, False, False]
    """
    if any(word == kind.__name__ for kind in game.meta.moves):
        return True
    first = word.partition(" ")[0]
    for number in range(MATCHES):
        table = Table(game, game.meta.seats[0], game.meta.options(), bytes([number] * 32))
        if any(game.format(move).split()[:1] == [first] for _, move in random_decisions(table)):
            return True
    try:
        return bool(first) and game.format(game.parse(word)).split()[0] == first
    except Unreadable:
        return False


def restricted(game: AnyGame, name: str, without: Sequence[str], barred: Counter[str]) -> Bot:
    """Returns the bot of this name as it plays without some moves.

    One that thinks gives the best of the other answers that it has tried; any other is asked again, with the luck that
    follows. When that does not help, an allowed move is drawn by the weights of the game; where none is left, the bot
    plays what it wanted. `barred` counts what each word has kept it from.
    """
    bot = bots_of(game)[name]

    def choose(view: PlayerView, seat: int, chance: Chance) -> Any:
        wanted = first = bot(view, seat, chance)
        if not is_barred(game, first, without):
            return first
        barred.update(barring(game, first, without))
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
