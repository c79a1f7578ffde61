"""The state of Allégeance, what a table may choose, and what the rules read off them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

import msgspec

from pbem.games.samurai import Card
from pbem.kit.contract import Options
from pbem.kit.options import always_written
from pbem.kit.secrecy import Each, Hidden, Open, Shown, put

Tokens = Annotated[int, msgspec.Meta(ge=1, le=5)]

USUAL_TARGET = {2: 5, 3: 4, 4: 3}  # 1.3
MOST_TIES = 5
"""How often one more token is needed where a tie is broken (7.3)."""


class Table(Options, frozen=True, omit_defaults=True):
    """What the table may choose."""

    target: Annotated[
        Tokens | None,
        msgspec.Meta(
            description="Tokens to win; null: 5, 4, 3 for 2, 3, 4 players. Another number is a house variant."
        ),
    ] = always_written(None)
    memory: Annotated[
        Literal["closed", "open"],
        msgspec.Meta(
            description="Closed: what is covered is not shown again. Open, a house variant: everything can be read "
            "again."
        ),
    ] = always_written("closed")
    ties: Annotated[
        Literal["shared", "round"],
        msgspec.Meta(
            description="Shared: several who have the tokens to win after a round win together. Round, a house "
            "variant: one more token is needed then, so another round is played, five times at most."
        ),
    ] = "shared"


Phase = Literal["round", "turn", "announce", "reveal", "give", "window", "over"]
"""What comes next: a round, a turn; or in a turn an announcement, the Door's answer, a gift, the others' answers."""


class State(msgspec.Struct, frozen=True, gc=False):
    """A position; in a viewer's own fold None stands for what they may not know or have to remember.

    The marks are those of an imagined match, in which everybody remembers what has come out.
    """

    seats: Open[int]
    target: Open[int]
    open: Open[bool]
    tokens: Open[tuple[int, ...]]
    hands: Shown[tuple[tuple[Card | None, ...], ...]]
    answered: Open[tuple[bool, ...]]
    wishes: Each[tuple[bool | None, ...]]
    """Who challenges, among those who have answered."""
    door: Hidden[tuple[Card | None, ...]] = ()
    palace: Shown[tuple[Card | None, ...]] = ()
    """The last card is on top."""
    round: Open[int] = 0
    turn: Open[int] = 0
    first: Open[int] = 0
    active: Open[int] = 0
    phase: Open[Phase] = "round"
    banned: Shown[tuple[Card | None, ...]] = ()
    announced: Shown[Card | None] = None
    drawn: Shown[Card | None] = None
    """What was hit, until it is given away."""
    leaders: Open[tuple[int, ...]] = ()
    """Who won the last round."""
    winners: Open[tuple[int, ...]] = ()
    ties: Open[int] = 0
    """How often one more token may still be needed because of a tie."""

    def hands_after_seat_gets_cards(self, seat: int, *cards: Card | None) -> tuple[tuple[Card | None, ...], ...]:
        """Returns the hands once the seat has got these cards."""
        return put(self.hands, seat, self.hands[seat] + cards)


def seats_clockwise_after_active(state: State) -> tuple[int, ...]:
    """Returns the other seats clockwise from the active one's left."""
    return _seats_clockwise_after(state.seats, state.active)


@cache
def _seats_clockwise_after(seats: int, active: int) -> tuple[int, ...]:
    return tuple((active + step) % seats for step in range(1, seats))


def match_winners_after_round(state: State) -> tuple[int, ...]:
    """Returns who wins after a round (7): those who have the tokens, but nobody where a tie is still to be broken."""
    have = tuple(seat for seat, tokens in enumerate(state.tokens) if tokens >= state.target)
    return () if len(have) > 1 and state.ties else have
