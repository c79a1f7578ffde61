"""What may come in Hagakure when somebody else is asked, as one seat can know it. The next deal is unknown."""

from collections.abc import Sequence

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import Card, State, is_warrior, known, unseen
from pbem.games.hagakure.rules import ending, points, winner_of
from pbem.kit.contract import Event


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns what comes of itself, or the cards that another may play; None before a deal."""
    seat = fold.active
    match fold.phase:
        case "nobori":
            return () if fold.nobori[seat] else (facts.Skipped(seat),)
        case "play":
            return _in_play(fold, seat, viewer)
        case "scored":
            ended = ending(fold)
            return None if ended is None else (ended,)
    return ()


def _in_play(fold: State, seat: int, viewer: int) -> Sequence[Event]:
    if len(fold.trick) == fold.seats:
        return (facts.TrickWon(winner_of(fold.trick, fold.leader)),)
    hand = fold.hands[seat]
    if not hand:
        return (facts.Scored(points(fold)),)
    if seat == viewer and len(hand) > 1:
        return ()
    return tuple(facts.Played(seat, card) for card in _cards(fold, seat))


def _cards(fold: State, seat: int) -> list[Card]:
    """Returns the cards that the seat may play as far as the fold can tell, each kind once."""
    sure, rest = known(fold.hands[seat]), unseen(fold) if None in fold.hands[seat] else []
    if fold.trick and is_warrior(fold.trick[0]) and any(map(is_warrior, sure)):
        return sorted({card for card in (*sure, *rest) if is_warrior(card)})
    if fold.bare[seat]:
        rest = [card for card in rest if not is_warrior(card)]
    return sorted({*sure, *rest})
