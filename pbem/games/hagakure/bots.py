"""The bots of Hagakure. Each decides from its own fold alone.

A seat's chance to win between two rounds, from its points, its Nobori and the rounds that are left.

    python -m tests.games.hagakure.fitted_estimate --seats 3 --matches 400

plays matches of `greedy`, prints the numbers below that fit them best, and compares predicted with actual victories.
"""

from bisect import bisect, bisect_left
from collections.abc import Sequence
from math import fsum, sqrt

import msgspec

from pbem.games.hagakure import facts
from pbem.games.hagakure import facts_cards as deck
from pbem.games.hagakure.facts_state import (
    State,
    playable_cards,
    players_in_order_from,
    seat_taking_trick,
    unseen_cards,
)
from pbem.kit.bots import chances_by_expected_points
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the card that gains most for its cost; a Nobori when the hand is worth it."""
    fold: State = view.fold
    if fold.phase == "nobori":
        return _choose_nobori(fold, seat, chance)
    cards = playable_cards(fold, seat)
    return facts.Play(cards[0] if len(cards) == 1 else _best_card(fold, seat, cards))


# --- cards -------------------------------------------------------------------------------------------------

KEEP = 1.5
"""The weight of a card's later chances against the current trick."""
EAGER = 1.2
"""How much likelier than at random a free player plays a card that wins."""
LONE_FOOL = 0.1
"""How likely another fool follows the first one of a trick, so that this one loses no more than it gains."""

RALLIED = 0.3
"""The worth of each villager in a trick, under their Nobori."""
DENIED = 0.3
"""The extra worth of a trick that would otherwise go to somebody who leads the match."""


def _best_card(fold: State, seat: int, cards: Sequence[int]) -> int:
    """Returns the card with the chance of the trick times its gain highest, less what the card could gain later."""
    hidden = unseen_cards(fold)
    after = players_in_order_from(fold, seat)[1 : len(fold.players) - len(fold.trick)]
    rivals = [rival for other in after if (rival := _rival_at_seat(fold, other, hidden)).pool]
    raised = fold.raised[seat]
    base = 1.0 if fold.tricks[seat] else 3.0
    rallied, villagers = raised == "villagers", deck.count_villagers(fold.trick)
    times = 2 if raised == "double" else int(raised != "zero")
    denied = False
    if fold.trick:  # it would go to somebody who leads the match, and not with as many points as the seat
        ahead = fold.totals[seat_taking_trick(fold, fold.trick)]
        denied = fold.totals[seat] < ahead == max(fold.totals)

    def worth(card: int) -> float:
        gain = base + (card == deck.BONUS or deck.BONUS in fold.trick)
        gain += _worth_of_more_villagers(fold, seat, villagers + (not deck.is_warrior(card))) if rallied else 0.0
        gain = gain * times + denied * DENIED
        return gain * _chance_to_win_trick(fold.trick, card, rivals) - KEEP * _chance_card_wins_later_trick(
            card, hidden, len(fold.players)
        )

    return max(cards, key=worth)


def _worth_of_more_villagers(fold: State, seat: int, more: int) -> float:
    """Returns what this many villagers more are worth under their Nobori.

    Each of them helps; where a number is wanted exactly (6.3), that number gains 2 points, and one more loses them.
    """
    if not fold.exact:
        return RALLIED * more
    found, wanted = deck.count_villagers(fold.won[seat]), deck.villagers_wanted(fold.seats)
    return 2.0 * ((found + more == wanted) - (found == wanted))


def _chance_card_wins_later_trick(card: int, hidden: Sequence[int], seats: int) -> float:
    """Returns how likely the card is to take a trick later."""
    if card == deck.FOOL:
        return 0.45 if deck.FOOL in hidden else 0.0
    if not hidden:
        return 1.0
    beaten_by = (len(hidden) - bisect(hidden, card)) / len(hidden)
    return float((1 - beaten_by) ** (seats - 1))


class _Rival(msgspec.Struct, frozen=True):
    """Somebody who plays to the trick later: the cards that they may hold, in order, and how many they hold."""

    pool: Sequence[int]
    held: int
    sure: bool
    """True if they hold just these cards."""
    samurai: int
    """Where the samurai begin in the pool."""
    fools: int


def _rival_at_seat(fold: State, seat: int, hidden: Sequence[int]) -> _Rival:
    hand = fold.hands[seat]
    pool, sure = (hidden, False) if None in hand else (deck.visible_cards(hand), True)
    samurai, fools = bisect_left(pool, deck.FIRST_SAMURAI), bisect(pool, deck.FOOL)
    if fold.bare[seat]:
        pool = pool[fools:samurai]
        samurai, fools = len(pool), 0
    return _Rival(pool, len(hand), sure, samurai, fools)


def _chance_to_win_trick(trick: Sequence[int], card: int, rivals: Sequence[_Rival]) -> float:
    """Returns how likely the card is to take the current trick if the others play anything they may."""
    fools = trick.count(deck.FOOL) + (card == deck.FOOL)
    if card == deck.FOOL and fools == 1:
        return LONE_FOOL
    if card != deck.FOOL and (fools > 1 or card < max(trick, default=0)):
        return 0.0
    follow = deck.is_warrior(trick[0] if trick else card)
    win = 1.0
    for rival in rivals:
        win *= 1 - _chance_rival_beats_card(rival, card, fools, follow)
    return win


def _chance_rival_beats_card(rival: _Rival, card: int, fools: int, follow: bool) -> float:
    """Returns how likely the rival is to beat the card, given the number of fools in the trick, where one is ours.

    A fool beats all if it is not the first; a higher card beats all but two fools.
    """
    pool, size = rival.pool, len(rival.pool)
    beating = rival.fools if fools else 0
    if not follow:
        if card != deck.FOOL:
            beating += size - bisect(pool, card)
        return min(1.0, EAGER * (beating / size))
    warriors = rival.fools + size - rival.samurai
    if not warriors:
        return 0.0
    if card != deck.FOOL:
        beating += size - max(rival.samurai, bisect(pool, card))
    follows = 1.0 if rival.sure else 1 - (1 - warriors / size) ** rival.held
    return follows * (beating / warriors)


# --- Nobori ------------------------------------------------------------------------------------------------


# Where each eighth of all hands begins, from the weakest up, by the sum of their cards' worth.
_EIGHTHS = {
    3: (1.21, 1.53, 1.77, 2.0, 2.25, 2.53, 2.89),
    4: (0.63, 0.87, 1.06, 1.25, 1.47, 1.72, 2.05),
    5: (0.5, 0.75, 0.98, 1.19, 1.41, 1.67, 2.05),
}


HOPEFUL = 3 / 8
"""The share of all hands that is not worth doubling, however late it is: they lose as much as they gain."""


def _choose_nobori(fold: State, seat: int, chance: Chance) -> Move:
    """Doubles a strong hand or rallies villagers; swaps or cancels a weak one; otherwise, late, looks."""
    left = fold.nobori[seat]
    hand = deck.visible_cards(fold.hands[seat])
    hidden = unseen_cards(fold)
    worth = fsum(_chance_card_wins_later_trick(card, hidden, fold.seats) for card in hand)
    rank = (bisect(_EIGHTHS[fold.seats], worth) + 0.5) / 8
    daring = rank
    if fold.number >= fold.rounds:  # in the last round, more when behind, less when ahead
        behind = max(fold.totals[other] for other in fold.players if other != seat) - fold.totals[seat]
        daring += max(-2, min(2, behind)) / 8
    patience = _rareness_of_hand_to_wait_for(fold.rounds - fold.number)
    if daring >= max(patience, HOPEFUL):
        for sign in _strong_hand_nobori_by_gain(hand, hidden, fold):
            if sign in left:
                return facts.Raise(sign)
    if rank <= min(1 - patience, 1 / 2):  # the Yomi is an ordinary hand
        if "swap" in left:
            return facts.Swap()
        if "zero" in left and daring < 1 / 8:
            return facts.Raise("zero")
    # A look helps little, and most against the leader, whom nobody knows early.
    if "look" in left and 2 * fold.number > fold.rounds:
        others = [other for other in fold.players if other != seat]
        most = max(fold.totals[other] for other in others)
        return facts.Look(chance.pick([other for other in others if fold.totals[other] == most]))
    return facts.Keep()


# By least squares over the rounds of bots that use no Nobori: the points of a round, by the sum of the cards'
# worth; and how likely its tricks hold enough villagers, by that sum and the villagers' part of it.
_POINTS = {3: (1.49, -1.41), 4: (1.76, -1.76), 5: (1.86, -1.93)}
_VILLAGERS = {3: (0.31, 0.27, -0.43), 4: (0.32, 0.36, -0.25), 5: (0.33, 0.18, -0.21)}


def _strong_hand_nobori_by_gain(hand: Sequence[int], hidden: Sequence[int], fold: State) -> tuple[deck.Sign, deck.Sign]:
    """Returns the two Nobori of a strong hand, the one expected to gain more first."""
    seats = fold.seats
    worth = [_chance_card_wins_later_trick(card, hidden, seats) for card in hand]
    villagers = fsum(value for card, value in zip(hand, worth, strict=True) if not deck.is_warrior(card))
    slope, base = _POINTS[seats]
    per_worth, per_villager, least = _VILLAGERS[seats]
    filled = min(1.0, per_worth * fsum(worth) + per_villager * villagers + least)
    filled *= EXACT[seats] if fold.exact else 1.0
    return ("villagers", "double") if 2 * filled > slope * fsum(worth) + base else ("double", "villagers")


EXACT = {3: 0.4, 4: 0.35, 5: 0.2}
"""How often those who have enough villagers have just enough, if they play for it (6.3): in matches of `greedy`."""


def _rareness_of_hand_to_wait_for(rounds: int) -> float:
    """Returns how rare a hand must be to use a Nobori on it, given the number of rounds that follow.

    It is as rare as the best hand that waiting may bring.

    >>> [_rareness_of_hand_to_wait_for(rounds) for rounds in (0, 1, 2)]
    [0.0, 0.5, 0.625]
    """
    wait = 0.0
    for _ in range(rounds):
        wait = (1 + wait * wait) / 2
    return wait


# --- the estimate --------------------------------------------------------------------------------------------

GAINS: dict[int, dict[deck.Nobori, float]] = {
    3: {"double": 1.4, "zero": 0.3, "villagers": 1.3, "swap": 1.8},
    4: {"double": 0.5, "zero": 0.6, "villagers": 0.6, "swap": 1.3},
    5: {"double": 0.6, "zero": 0.2, "villagers": 0.1, "swap": 1.0},
}
"""The points that each Nobori still to be played gains, if it may wait for the best of many rounds. A look gains none.

Least squares over the points that each seat scores after each round more than the others, given the Nobori it has left.
"""
EXACT_GAINS: dict[int, dict[deck.Nobori, float]] = {
    seats: {**gains, "villagers": gains["villagers"] * EXACT[seats]} for seats, gains in GAINS.items()
}
"""The same where a number of villagers is wanted exactly (6.3)."""
SPREADS = {3: 1.65, 4: 1.75, 5: 2.0}
"""By how much the points of one round vary, such that the chances to win are likeliest."""


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win as a round begins, whatever its cards; None at any other time.

    Those who sit out a tie-break (6.4) have none.
    """
    if state.over or not _is_round_beginning(state):
        return None
    left = max(1, state.rounds - state.number + 1)  # an extra round is the last one as far as anybody knows
    gains = GAINS[state.seats] if not state.exact else EXACT_GAINS[state.seats]
    share = left / (left + 1)
    points = [
        total + share * fsum(gains.get(one, 0.0) for one in nobori)
        for total, nobori in zip(state.totals, state.nobori, strict=True)
    ]
    chances = iter(
        chances_by_expected_points([points[seat] for seat in state.players], SPREADS[state.seats] * sqrt(left))
    )
    return tuple(next(chances) if seat in state.players else 0.0 for seat in range(state.seats))


def _is_round_beginning(state: State) -> bool:
    """Returns whether nobody has answered in this round yet; seats without Nobori are passed over."""
    if state.trick or any(state.tricks) or any(state.raised):
        return False
    order = players_in_order_from(state, state.leader)
    passed = len(order) if state.phase == "play" else order.index(state.active)
    return not any(state.nobori[seat] for seat in order[:passed])
