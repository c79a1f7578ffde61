"""The state of Hagakure, and what the rules read off it, in the order of RULES.*.md."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from pbem.games.hagakure import facts_cards as deck
from pbem.kit.contract import Options
from pbem.kit.options import always_written
from pbem.kit.secrecy import Each, Hidden, Open, Shown

MOST_ROUNDS = 20
MOST_EXTRA = 10
LAST_ROUND = MOST_ROUNDS + MOST_EXTRA


class Terms(Options, frozen=True, omit_defaults=True):
    """What a table may choose (6)."""

    rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_ROUNDS)] | None,
        msgspec.Meta(description="Rounds to play; null: 9, 8 or 5 with 3, 4 or 5 players."),
    ] = always_written(None)
    extra_rounds: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=MOST_EXTRA,
            description="Most rounds played after these to break a tie; then the leaders share the victory. "
            "Less than 10 is a house variant.",
        ),
    ] = always_written(MOST_EXTRA)
    villagers: Annotated[
        Literal["least", "exact"],
        msgspec.Meta(
            description="Whether the Nobori of the villagers wants 4 of them (5 with 5 players) at least, or exactly."
        ),
    ] = "least"
    tie_break: Annotated[
        Literal["all", "leaders"],
        msgspec.Meta(description="Who plays a round that breaks a tie: everybody, or the tied leaders alone."),
    ] = "all"


class State(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A position of Hagakure; in a viewer's own fold None stands for a card they do not know.

    The marks show a seat of an imagined match less than its fold would: none of the cards that it has seen elsewhere.
    """

    seats: Open[int]
    rounds: Open[int]
    last: Open[int]
    exact: Open[bool]
    """Whether the Nobori of the villagers wants an exact number of them (6.3)."""
    among_leaders: Open[bool]
    """Whether a tie is broken by those alone who lead (6.4)."""
    number: Open[int]
    players: Open[tuple[int, ...]]
    """The seats that play this round, in order."""
    dealer: Open[int]
    phase: Open[Literal["nobori", "play", "scored", "over"]]
    active: Open[int]
    """Who decides next, while the phase is nobori or play."""
    hands: Each[tuple[deck.Hand, ...]]
    yomi: Hidden[deck.Hand]
    nobori: Open[tuple[tuple[deck.Nobori, ...], ...]]
    """The Nobori that each seat has left."""
    raised: Open[tuple[deck.Nobori | None, ...]]
    """The Nobori that each seat played in this round."""
    leader: Open[int]
    trick: Shown[tuple[deck.Card, ...]] = ()
    """The cards of the current trick, from the leader's on."""
    won: Shown[tuple[tuple[deck.Card, ...], ...]]
    tricks: Open[tuple[int, ...]]
    previous: Shown[tuple[deck.Card, ...]] = ()
    """The previous trick, from the card of `previous_leader` on."""
    previous_leader: Open[int] = 0
    bare: Open[tuple[bool, ...]]
    """The seats that have shown in this round that they have no samurai or Old Fool left."""
    sheet: Open[tuple[tuple[int, ...], ...]] = ()
    """The points of each round so far, in seat order."""
    totals: Open[tuple[int, ...]]
    stretch: Open[int] = 0
    """The number of times that the answering seat has changed."""
    answered: Open[int | None] = None
    """The seat that answered last."""
    over: Open[str | None] = None
    winners: Open[tuple[int, ...]] = ()


_SORTED = {seats: sorted(deck.cards_in_play(seats)) for seats in (3, 4, deck.MOST_SEATS)}


def unseen_cards(fold: State) -> list[int]:
    """Returns the cards of this round whose place the fold does not know, in order, fools first."""
    left = [*_SORTED[fold.seats]]
    for place in (*fold.hands, fold.yomi, *fold.won, fold.trick):
        for card in place:
            if card is not None:
                left.remove(card)
    return left


# --- 2. Who plays a round ------------------------------------------------------------------------------------


def next_player(players: Sequence[int], seat: int) -> int:
    """Returns the first of these seats to the left of this one.

    >>> next_player((0, 2, 3), 0), next_player((0, 2, 3), 1), next_player((0, 2, 3), 3)
    (2, 2, 0)
    """
    return players[bisect(players, seat) % len(players)]


def players_in_order_from(s: State, first: int) -> tuple[int, ...]:
    """Returns the seats that play this round, clockwise from this one."""
    at = s.players.index(first)
    return s.players[at:] + s.players[:at]


def is_tie_break_round(s: State, number: int) -> bool:
    """Returns whether this round is one among the leaders alone: its points do nothing but break their tie (6.4)."""
    return s.among_leaders and number > s.rounds


def players_of_round(s: State, number: int) -> tuple[int, ...]:
    """Returns the seats that play this round: all, or those between whom it breaks a tie."""
    return leading_seats_after_round(s, number - 1) if is_tie_break_round(s, number) else tuple(range(s.seats))


def leading_seats_after_round(s: State, number: int) -> tuple[int, ...]:
    """Returns the seats that lead after this round: by their totals, or among those between whom it breaks a tie."""
    seats, points = players_of_round(s, number), s.sheet[number - 1] if is_tie_break_round(s, number) else s.totals
    best = max(points[seat] for seat in seats)
    return tuple(seat for seat in seats if points[seat] == best)


# --- 3. Tricks -----------------------------------------------------------------------------------------------


def playable_cards(state: State, seat: int) -> list[int]:
    """Returns the cards that the seat may play, each kind once, in order: samurai and fools follow a samurai (3.3)."""
    cards = sorted({card for card in state.hands[seat] if card is not None})
    if state.trick and deck.is_warrior(state.trick[0]):
        return [*filter(deck.is_warrior, cards)] or cards
    return cards


def cards_seat_may_hold(fold: State, seat: int) -> list[int]:
    """Returns the cards that the seat holds, each kind once, in order; of hidden ones, all that they may be."""
    hand = fold.hands[seat]
    hidden = unseen_cards(fold) if None in hand else []
    return sorted(
        {*deck.visible_cards(hand), *(card for card in hidden if not (fold.bare[seat] and deck.is_warrior(card)))}
    )


def winner_of_trick(trick: Sequence[deck.Card], leader: int) -> int:
    """Returns the seat that takes the trick (3.4).

    >>> winner_of_trick((9, 21, 17, 0), 0), winner_of_trick((0, 22, 0, 21), 0), winner_of_trick((0, 0, 22), 2)
    (1, 2, 0)
    """
    if trick.count(deck.FOOL) > 1:
        at = max(place for place, card in enumerate(trick) if card == deck.FOOL)
    else:
        at = trick.index(max(trick))
    return (leader + at) % len(trick)


def seat_taking_trick(s: State, trick: Sequence[deck.Card]) -> int:
    """Returns the seat that takes the trick, or takes it so far (3.4)."""
    return players_in_order_from(s, s.leader)[winner_of_trick(trick, 0)]


# --- 4. Points -----------------------------------------------------------------------------------------------


def points_for_tricks_under_nobori(
    tricks: int, won: Sequence[deck.Card], raised: deck.Nobori | None, seats: int, *, exact: bool = False
) -> int:
    """Returns the points for these tricks and their cards, under the Nobori of the round.

    `exact`: the villagers must be just as many as are wanted (6.3).

    >>> won = (18, 6, 7, 8, 19, 9, 10, 0)
    >>> [points_for_tricks_under_nobori(2, won, raised, 4) for raised in (None, "double", "zero", "villagers")]
    [3, 6, 0, 5]
    """
    if raised == "zero":
        return 0  # 4.3
    base = tricks + (deck.BONUS in won) if tricks else -2  # 4.1, 4.2
    if raised == "double":
        return 2 * base  # 4.3
    if raised == "villagers" and has_wanted_villagers(won, seats, exact=exact):
        return base + 2  # 4.3
    return base


def round_points_of_seat(s: State, seat: int) -> int:
    """Returns the points of a seat for this round: none for one that sits out."""
    if seat not in s.players:
        return 0
    return points_for_tricks_under_nobori(s.tricks[seat], s.won[seat], s.raised[seat], s.seats, exact=s.exact)


def has_wanted_villagers(won: Sequence[deck.Card], seats: int, *, exact: bool) -> bool:
    """Returns whether the cards that were won have the villagers that their Nobori wants (4.3, 6.3)."""
    found, wanted = deck.count_villagers(won), deck.villagers_wanted(seats)
    return found == wanted if exact else found >= wanted
