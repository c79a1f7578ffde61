"""What a seat of Allégeance cannot see, imagined: the order of the Door, and what others sealed."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts_state import State
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView
from pbem.kit.game.facts import Event
from pbem.kit.secrecy import fill


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a state with a Door in any order of the cards that the seat has not seen come out, each as likely.

    Every card is shown when it comes out, so the seat knows where all others are: this remembers every one of them,
    with closed memory, too. Of an answer under seal it is as likely that it challenges as not: whether others remember
    a card, and what their announcements tell of that, is not taken into account.
    """
    fold: State = view.fold
    seen, known = events_of_this_round(view.seen), fold
    if seen and not fold.open:  # every card lies where the seat saw it go in this round
        placed = _state_if_nothing_is_forgotten(fold.seats, fold.target, tuple(seen))
        known = replace(fold, palace=placed.palace, hands=placed.hands)
    lie = {card for cards in (known.palace, *known.hands, (known.drawn,)) for card in cards}
    unseen = iter(chance.shuffled(card for card in CARDS if card not in lie))
    wishes = tuple(
        chance.below(2) == 1 if answered and wish is None else wish
        for answered, wish in zip(known.answered, known.wishes, strict=True)
    )
    hands = tuple(fill(hand, unseen) if None in hand else hand for hand in known.hands)
    palace, door = fill(known.palace, unseen), fill(known.door, unseen)
    return replace(known, palace=palace, hands=hands, door=door, wishes=wishes)


def events_of_this_round(seen: Sequence[Any]) -> Sequence[Any]:
    """Returns the events since the last round began, this one first."""
    for at in range(len(seen) - 1, -1, -1):
        if type(seen[at]) is facts.RoundBegan:
            return seen[at:]
    return ()


@lru_cache(maxsize=64)
def _state_if_nothing_is_forgotten(seats: int, target: int, seen: tuple[Event, ...]) -> State:
    """Returns the state after these events of a round, as somebody knows it who has watched and forgotten nothing."""
    state = facts.MatchBegan(seats, target, open=False).apply(None)
    for event in seen:
        state = _event_with_cards_seen_before(event, state).apply(state)
    return state


def _event_with_cards_seen_before(event: Event, state: State) -> Event:
    """Returns the event with the cards that are not shown again, since everybody saw them before."""
    match event:
        case facts.Missed():
            return replace(event, covered=state.palace[-1:])
        case facts.Given():
            return replace(event, card=state.drawn)
        case facts.Caught():
            return replace(event, card=state.announced, revealed=state.palace[-1])
        case facts.Mistaken():
            return replace(event, revealed=state.palace[-1])
        case facts.TurnBegan():
            return replace(event, hands=state.hands)
    return event
