"""Imagined matches played on to their end, or to where the game can say what the position is worth."""

from collections.abc import Sequence
from typing import Any

from pbem.kit.chance import Chance, UnnamedChance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Ask, Move, PlayerView
from pbem.kit.secrecy import redact
from pbem.kit.thinking.quick import QuickChance

Worth = tuple[float, ...]
"""Each seat's share of the victory, in seat order, together at most 1."""

WHIM = 8
"""One in so many moves of a playout is drawn at random, so that it does not always go the same way."""


def worth_of(game: AnyGame, seats: int, state: Any) -> Worth | None:
    """Returns what a match that is over has brought each seat; None while it runs."""
    outcome = game.outcome(state)
    if outcome is None:
        return None
    share = 1 / len(outcome.winners) if outcome.winners else 0.0
    return tuple(share if seat in outcome.winners else 0.0 for seat in range(seats))


def next_ask(game: AnyGame, asks: Sequence[Ask], chance: Chance) -> Ask:
    """Returns who answers next in an imagined match: in a race anybody, else the first in the order of the rules."""
    first = asks[0]
    return chance.pick(asks) if len(asks) > 1 and game.meta.asks[first.kind].race else first


def apply(game: AnyGame, state: Any, seat: int, move: Move, luck: UnnamedChance) -> Any:
    """Returns the state after a legal move."""
    evolve = game.evolve
    for event in game.decide(state, seat, move, luck):
        state = evolve(state, event)
    return state


def seen_by(state: Any, seats: int, seat: int) -> PlayerView:
    """Returns what a seat of an imagined match knows: all but what the marks of the state hide."""
    return PlayerView(redact(state, seat), seats)


def quick_move(game: AnyGame, seats: int, state: Any, ask: Ask, chance: QuickChance) -> Move:
    """Returns a move of a playout: the quick bot's, or now and then one drawn at random."""
    if game.playout is None or chance.below(WHIM) == 0:
        move: Move = draw(game.legal(state, ask.seat), game.meta.weights, chance)
        return move
    choice: Move = game.playout(seen_by(state, seats, ask.seat), ask.seat, chance)
    return choice


def play_on(game: AnyGame, seats: int, state: Any, chance: QuickChance, least: int = 0) -> Worth:
    """Returns what the position is worth by one playout.

    It ends where the game can estimate, but not before `least` decisions: an estimate need not know of what lies in
    hands, which shows when that is played.
    """
    pending, estimate = game.pending, game.estimate
    for made in range(game.meta.bound):
        asks = pending(state)
        if not asks:
            break
        if estimate is not None and made >= least and (told := estimate(state)) is not None:
            return tuple(told)
        ask = next_ask(game, asks, chance)
        state = apply(game, state, ask.seat, quick_move(game, seats, state, ask, chance), chance)
    worth = worth_of(game, seats, state)
    assert worth is not None, "a match ends within the bound of its game"
    return worth
