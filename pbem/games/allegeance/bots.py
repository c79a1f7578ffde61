"""The bots of Allégeance. They remember what has come out in this round, with closed memory nearly all of it.

What a position of Allégeance is worth when a turn begins, among players who remember what has come out.

Then a turn is a matter of luck alone: of the cards behind the Door that are not banned one is announced, and each is as
likely to come as any other. It goes to the seat that has most tokens of those with the fewest cards, as `greedy` gives
it; so the seat that leads wins fewer rounds. Where all are banned, a card that is out is announced, and challenged.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts import (
    Challenge,
    LetPass,
    announcements_of_unseen_cards,
    gifts_to_seats_with_fewest_cards,
)
from pbem.games.allegeance.facts_state import State
from pbem.games.allegeance.imagined import events_of_this_round
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView
from pbem.kit.game.moves import Move

FORGETFUL = 60
"""With closed memory, one in this many cards is forgotten as soon as it is covered, for as long as the round lasts."""


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that leaves the seat with few cards and the others with many, as far as it remembers."""
    fold: State = view.fold
    if fold.phase == "give":  # to the strongest of those with the fewest cards
        gifts = gifts_to_seats_with_fewest_cards(fold, seat)
        most = max(fold.tokens[gift.seat] for gift in gifts)
        return chance.pick([gift for gift in gifts if fold.tokens[gift.seat] == most])
    out = cards_known_to_have_left_door(fold) | cards_seen_and_not_forgotten(view)
    if fold.phase == "window":
        # A wrong challenge costs the seat a card, a right one costs just one rival: the more rivals, the surer it is.
        unknown = len(CARDS) - len(out)
        likely = (unknown - len(fold.door)) * fold.seats > unknown * (fold.seats - 1)
        return Challenge() if fold.announced in out or likely else LetPass()
    allowed = announcements_of_unseen_cards(fold, seat)
    return chance.pick([move for move in allowed if move.card not in out] or allowed)


def cards_known_to_have_left_door(fold: State) -> set[str]:
    """Returns all cards that the fold knows to be out."""
    return {c for cards in (fold.palace, *fold.hands) for c in cards if c is not None}


def cards_seen_and_not_forgotten(view: PlayerView) -> set[str]:
    """Returns the cards of this round that the seat saw come out or caught, without those that it has forgotten."""
    fold: State = view.fold
    cards: set[str] = set()
    turn, announced = 0, None
    for event in events_of_this_round(view.seen):
        match event:
            case facts.TurnBegan():
                turn += 1
            case facts.Announced(card=card):
                announced = card
            case facts.Hit(card=card) | facts.Missed(card=card) if card and not _forgets_card(view, fold.round, turn):
                cards.add(card)
            case facts.Caught() if announced is not None and not _forgets_card(view, fold.round, turn):
                cards.add(announced)
    return cards


def _forgets_card(view: PlayerView, of_round: int, turn: int) -> bool:
    return view.memory.named(f"forgotten:r{of_round}:t{turn}").below(FORGETFUL) == 0


# --- the estimate --------------------------------------------------------------------------------------------

Winners = tuple[int, ...]
Chances = Mapping[Winners, float]
Ranks = tuple[int, ...]
"""How many seats have fewer tokens, by seat: of equal ones any gets the gift."""
Banned = tuple[bool, ...]
"""Whether each of the last announcements, which are banned now, is still behind the Door; the newest is last."""


def estimate(state: State) -> tuple[float, ...] | None:
    """Returns each seat's chance to win at the beginning of a turn, by the hands and the tokens; None at other times.

    Who begins the rounds to come does not matter in it.
    """
    if state.phase != "announce":
        return None
    fewest = min(map(len, state.hands))
    more = tuple(len(hand) - fewest for hand in state.hands)
    banned = tuple(card in state.door for card in state.banned)
    return _match_worth_during_round(
        more, len(state.door), state.active, banned, state.tokens, state.target, state.ties
    )


@lru_cache(maxsize=1 << 14)
def _match_worth_during_round(
    more: tuple[int, ...], left: int, active: int, banned: Banned, tokens: tuple[int, ...], target: int, ties: int
) -> tuple[float, ...]:
    return _match_worth_after_round(
        chances_of_round_winners(more, left, active, gift_ranks_of_seats(tokens), banned), tokens, target, ties
    )


def _match_worth_after_round(chances: Chances, tokens: tuple[int, ...], target: int, ties: int) -> tuple[float, ...]:
    worth = [0.0] * len(tokens)
    for winners, chance in chances.items():
        after = match_worth_between_rounds(tuple(n + (seat in winners) for seat, n in enumerate(tokens)), target, ties)
        worth = [total + chance * one for total, one in zip(worth, after, strict=True)]
    return tuple(worth)


def gift_ranks_of_seats(tokens: tuple[int, ...]) -> Ranks:
    """Returns who is preferred in gifts; nobody with two players, where there is no choice.

    >>> gift_ranks_of_seats((2, 0, 1, 0)), gift_ranks_of_seats((2, 0))
    ((3, 0, 2, 0), (0, 0))
    """
    if len(tokens) == 2:
        return (0, 0)
    return tuple(sum(other < one for other in tokens) for one in tokens)


@lru_cache(maxsize=1 << 15)
def chances_of_round_winners(
    more: tuple[int, ...], left: int, active: int, ranks: Ranks, banned: Banned = ()
) -> Chances:
    """Returns the chance that these seats, and no others, have the fewest cards when the round ends.

    `more`: how many cards each seat has beyond those with the fewest; `left`: the cards behind the Door.

    >>> chances_of_round_winners((0, 1), 0, 0, (0, 0))
    mappingproxy({(0,): 1.0})
    >>> chances_of_round_winners((0, 0), 1, 0, (0, 0), (True,))
    mappingproxy({(0, 1): 1.0})
    >>> chances_of_round_winners((0, 0, 0), 1, 0, (0, 0, 2))
    mappingproxy({(0, 1): 1.0})
    """
    if not left:
        return MappingProxyType({tuple(seat for seat, n in enumerate(more) if not n): 1.0})
    following = (active + 1) % len(more)
    chances: dict[Winners, float] = {}
    for hands, still_banned, chance in _turn_outcomes(more, left, active, ranks, banned):
        for winners, then in chances_of_round_winners(hands, left - 1, following, ranks, still_banned).items():
            chances[winners] = chances.get(winners, 0.0) + chance * then
    return MappingProxyType(chances)


def _turn_outcomes(
    more: tuple[int, ...], left: int, active: int, ranks: Ranks, banned: Banned
) -> Iterator[tuple[tuple[int, ...], Banned, float]]:
    """Yields how a turn may end: the hands, whether each banned card is behind the Door, and the chance of it."""
    kept = banned[-1:] if len(more) == 2 else ()
    recent = any(kept)
    if sum(banned) >= left:
        hands = (
            more if left == 1 else _surplus_after_seat_takes_card(_surplus_after_seat_takes_card(more, active), active)
        )  # 5.7
        yield from _outcomes_if_another_card_comes(hands, recent, kept, False, 1 / left, 1.0)
        return
    others = [seat for seat in range(len(more)) if seat != active]
    poorest = min(more[seat] for seat in others)
    strongest = max(ranks[seat] for seat in others if more[seat] == poorest)
    receivers = [seat for seat in others if more[seat] == poorest and ranks[seat] == strongest]
    for seat in receivers:
        yield _surplus_after_seat_takes_card(more, seat), (*kept, False), 1 / left / len(receivers)
    if left > 1:
        yield from _outcomes_if_another_card_comes(more, recent, kept, True, 1 / (left - 1), 1 - 1 / left)


def _outcomes_if_another_card_comes(
    hands: tuple[int, ...], recent: bool, kept: Banned, announced: bool, comes: float, chance: float
) -> Iterator[tuple[tuple[int, ...], Banned, float]]:
    """Yields that another card came: the one announced before, which stays banned, or not that one."""
    if recent and comes < 1:
        yield hands, (True, announced), chance * (1 - comes)
    if recent:
        yield hands, (False, announced), chance * comes
    else:
        yield hands, (*kept, announced), chance


def _surplus_after_seat_takes_card(more: tuple[int, ...], seat: int) -> tuple[int, ...]:
    hands = [n + (at == seat) for at, n in enumerate(more)]
    fewest = min(hands)
    return tuple(n - fewest for n in hands)


@lru_cache(maxsize=1 << 13)
def match_worth_between_rounds(tokens: tuple[int, ...], target: int, ties: int = 0) -> tuple[float, ...]:
    """Returns each seat's share of the victory when a round has ended with these tokens; `ties` may still be broken.

    >>> match_worth_between_rounds((5, 3), 5), match_worth_between_rounds((5, 5), 5)
    ((1.0, 0.0), (0.5, 0.5))
    >>> [round(worth, 2) for worth in match_worth_between_rounds((1, 1, 0), 1, ties=5)]
    [0.42, 0.44, 0.14]
    """
    seats = len(tokens)
    done = [seat for seat, n in enumerate(tokens) if n >= target]
    if len(done) > 1 and ties:
        return match_worth_between_rounds(tokens, target + 1, ties - 1)
    if done:
        return tuple((seat in done) / len(done) for seat in range(seats))
    return _match_worth_after_round(
        _round_chances_if_starter_unknown(gift_ranks_of_seats(tokens)), tokens, target, ties
    )


@lru_cache
def _round_chances_if_starter_unknown(ranks: Ranks) -> Chances:
    """Returns the chances of a round of which it is not known who begins."""
    seats = len(ranks)
    chances: dict[Winners, float] = {}
    for first in range(seats):
        for winners, chance in chances_of_round_winners((0,) * seats, 16, first, ranks).items():
            chances[winners] = chances.get(winners, 0.0) + chance / seats
    return MappingProxyType(chances)
