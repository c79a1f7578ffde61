"""What a position of Allégeance is worth when a turn begins, among players who remember what has come out.

Then a turn is a matter of luck alone: of `left` cards behind the Door one is announced, and it comes with a chance of
1 / `left`. It goes to somebody who has the fewest of the others. Nobody announces a card that is out, nor challenges.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType

from pbem.games.allegeance.facts import State

Winners = tuple[int, ...]
Chances = Mapping[Winners, float]


def estimate(state: State) -> tuple[float, ...] | None:
    """Returns each seat's chance to win at the beginning of a turn, by the hands and the tokens; None at other times.

    Who begins the rounds to come does not matter in it, nor who gives to whom beyond the number of their cards.
    """
    if state.phase != "announce":
        return None
    fewest = min(map(len, state.hands))
    more = tuple(len(hand) - fewest for hand in state.hands)
    return _worth(more, len(state.door), state.active, state.tokens, state.target)


@lru_cache(maxsize=1 << 14)
def _worth(more: tuple[int, ...], left: int, active: int, tokens: tuple[int, ...], target: int) -> tuple[float, ...]:
    worth = [0.0] * len(tokens)
    for winners, chance in round_winners(more, left, active).items():
        after = match_worth(tuple(n + (seat in winners) for seat, n in enumerate(tokens)), target)
        worth = [total + chance * one for total, one in zip(worth, after, strict=True)]
    return tuple(worth)


@lru_cache(maxsize=1 << 15)
def round_winners(more: tuple[int, ...], left: int, active: int) -> Chances:
    """Returns the chance that these seats, and no others, have the fewest cards when the round ends.

    `more`: how many cards each seat has beyond those with the fewest; `left`: the cards behind the Door.

    >>> round_winners((0, 1), 0, 0)
    mappingproxy({(0,): 1.0})
    >>> round_winners((0, 0), 1, 0)
    mappingproxy({(0,): 1.0})
    """
    seats = len(more)
    if not left:
        return MappingProxyType({tuple(seat for seat, n in enumerate(more) if not n): 1.0})
    others = [seat for seat in range(seats) if seat != active]
    poorest = min(more[seat] for seat in others)
    receivers = [seat for seat in others if more[seat] == poorest]
    following = (active + 1) % seats
    chances: dict[Winners, float] = {}
    ways = [(more, 1 - 1 / left)] if left > 1 else []
    ways += [(_given(more, seat), 1 / left / len(receivers)) for seat in receivers]
    for hands, chance in ways:
        for winners, then in round_winners(hands, left - 1, following).items():
            chances[winners] = chances.get(winners, 0.0) + chance * then
    return MappingProxyType(chances)


def _given(more: tuple[int, ...], seat: int) -> tuple[int, ...]:
    hands = [n + (at == seat) for at, n in enumerate(more)]
    fewest = min(hands)
    return tuple(n - fewest for n in hands)


@lru_cache(maxsize=1 << 13)
def match_worth(tokens: tuple[int, ...], target: int) -> tuple[float, ...]:
    """Returns each seat's share of the victory when a round has ended with these tokens.

    >>> match_worth((2, 2), 5), match_worth((5, 3), 5)
    ((0.5, 0.5), (1.0, 0.0))
    """
    seats = len(tokens)
    done = [seat for seat, n in enumerate(tokens) if n >= target]
    if done:
        return tuple((seat in done) / len(done) for seat in range(seats))
    worth = [0.0] * seats
    for winners, chance in _any_round(seats).items():
        after = match_worth(tuple(n + (seat in winners) for seat, n in enumerate(tokens)), target)
        worth = [total + chance * one for total, one in zip(worth, after, strict=True)]
    return tuple(worth)


@lru_cache
def _any_round(seats: int) -> Chances:
    """Returns the chances of a round of which it is not known who begins: the same for every seat."""
    sizes = [0.0] * (seats + 1)
    for winners, chance in round_winners((0,) * seats, 16, 0).items():
        sizes[len(winners)] += chance
    found: dict[Winners, float] = {}
    for size in range(1, seats + 1):
        some = list(combinations(range(seats), size))
        found |= {winners: sizes[size] / len(some) for winners in some}
    return MappingProxyType(found)
