"""What a strong bot would have done at a decision, and what the move that was made cost beside that."""

from math import fsum
from typing import Any

import msgspec

from pbem.kit.analysis.chances import BATCH, WELL, mean_and_error
from pbem.kit.analysis.positions import Played
from pbem.kit.chance import Chance, KeyLuck
from pbem.kit.contract import AnyGame, Move
from pbem.kit.texts import LANGS, Text
from pbem.kit.thinking.levels import STRONG, think
from pbem.kit.thinking.playouts import apply, play_on, worth_of
from pbem.kit.thinking.quick import QuickChance


class Answer(msgspec.Struct, frozen=True):
    """A move: as it is typed, and what it is called."""

    typed: str
    name: Text


class Advice(msgspec.Struct, frozen=True):
    """The move that was made and the one that a strong bot would have made by what the seat knew.

    `cost`: how much more the seat could have expected of the bot's move, as a share of the victory, with its standard
    error; below 0 if the move that was made is better by these playouts. Both are 0 if it is the same one.
    """

    made: Answer
    better: Answer
    cost: float
    error: float
    playouts: int

    @property
    def same(self) -> bool:
        """True if the bot would have made the same move."""
        return self.made.typed == self.better.typed


def advice_for(game: AnyGame, played: Played, luck: KeyLuck, most: int) -> Advice | None:
    """Returns the advice for a decision; None for one that was forced, or that nobody made.

    Only for a game that imagines.
    """
    ask, view, move = played.ask, played.view, played.move
    if move is None or played.by_clock or len(game.legal(view.fold, ask.seat)) < 2:
        return None
    better = think(game, view, ask.seat, luck.bot(0, f"{ask.key}:strong", ask.seat), STRONG).move
    made, best = _answer(game, move), _answer(game, better)
    if better == move:
        return Advice(made, best, 0.0, 0.0, 0)
    cost, error, count = cost_of(game, played, better, luck.bot(0, f"{ask.key}:cost", ask.seat), most)
    return Advice(made, best, cost, error, count)


def cost_of(game: AnyGame, played: Played, better: Move, chance: Chance, most: int) -> tuple[float, float, int]:
    """Returns what the move cost beside the better one, the standard error of that, and by how many pairs of playouts.

    Both are tried in the same imagined states and with the same luck afterwards. So they are compared by what they
    lead to, and not by what the search that chose the one has seen of it, which flatters its choice.
    """
    assert game.imagine is not None, "a game that bots can think about imagines"
    assert played.move is not None, "the move is known"
    quick, seat, lost = QuickChance(chance), played.ask.seat, list[float]()
    while True:
        for _ in range(min(BATCH, most - len(lost))):
            state, after = game.imagine(played.view, seat, quick), QuickChance(quick)
            won, had = (_worth(game, played, state, move, after.copy()) for move in (better, played.move))
            lost.append(fsum([won, -had]))
        cost, error = mean_and_error(lost)
        if len(lost) >= most or error <= WELL:
            return cost, error, len(lost)


def _worth(game: AnyGame, played: Played, state: Any, move: Move, luck: QuickChance) -> float:
    """Returns what the seat has of a match that goes on from this state by this move, with this luck."""
    seats = played.view.seats
    after = apply(game, state, played.ask.seat, move, luck)
    return (worth_of(game, seats, after) or play_on(game, seats, after, luck, seats))[played.ask.seat]


def _answer(game: AnyGame, move: Move) -> Answer:
    texts: dict[str, Any] = {lang: game.name(move, lang) or game.format(move) for lang in LANGS}
    return Answer(game.format(move), Text(**texts))
