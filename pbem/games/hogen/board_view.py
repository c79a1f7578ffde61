"""What every part of a drawn Hogen board needs to know: one viewer's fold, and what is marked or touchable on it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pbem.games.hogen import pieces
from pbem.games.hogen.board_words import BoardWords
from pbem.games.hogen.cards import Call, Called, Exchanged, State
from pbem.kit.contract import Event, Link, Scene, Viewer
from pbem.kit.notation import seat_letter

Spots: TypeAlias = dict[tuple[int | None, str], int]
"""The story number of what brought a card where it lies: (seat, or None for the palace, card) -> number."""


@dataclass(frozen=True)
class Board:
    """One drawing's subject."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene

    # --- what was chosen ------------------------------------------------------------------------------

    @cached_property
    def chosen(self) -> frozenset[str]:
        """The cards among the steps chosen so far."""
        steps = (step.partition("-") for step in self.scene.chosen)
        return frozenset(card for kind, _, card in steps if kind in ("give", "take", "ally"))

    @cached_property
    def guesses(self) -> dict[int, str]:
        """The allies named so far in a declaration that is being chosen: seat -> card."""
        steps = (step.partition("=") for step in self.scene.chosen)
        return {ord(seat) - ord("A"): card for seat, between, card in steps if between}

    @cached_property
    def naming(self) -> int | None:
        """The seat whose ally is being named."""
        letters = {step.partition("=")[0] for step in self.scene.links if "=" in step}
        return next((seat for seat in range(self.fold.seats) if seat_letter(seat) in letters), None)

    @cached_property
    def calling(self) -> bool:
        """Whether a call has been chosen; who will answer it is not known then."""
        return any(step.startswith("call-") for step in self.scene.chosen)

    # --- who is waited for ----------------------------------------------------------------------------

    def asked(self, seat: int) -> bool:
        """Whether the table waits for this seat."""
        fold = self.fold
        if fold.over or self.calling:
            return False
        if fold.active is None:
            return not fold.chosen[seat]
        return seat == (fold.active if fold.call is None else fold.answering)

    def passed(self, seat: int) -> bool:
        """Whether this seat had no card for the open call."""
        fold = self.fold
        if self.calling or fold.call is None or fold.active is None or fold.answering is None:
            return False
        return (seat - fold.active) % fold.seats in range(1, (fold.answering - fold.active) % fold.seats)

    def name(self, seat: int, forms: tuple[str, str], room: int = 11) -> str:
        """The form for the viewer himself or for somebody else, whose name has room for so many letters."""
        mine, others = forms
        return mine if seat == self.viewer else others.replace("*", f"{{{seat}:{room}}}")

    # --- what just happened ---------------------------------------------------------------------------

    @cached_property
    def spots(self) -> Spots:
        """Where the numbers of the newest events belong; a card that moved on has lost its number."""
        spots: Spots = {}
        for story, event in self.scene.recent:
            if isinstance(event, Exchanged):
                spots.pop((event.seat, event.given), None)
                spots.pop((None, event.taken), None)
                spots[event.seat, event.taken] = spots[None, event.given] = story
        return spots

    @cached_property
    def called_in(self) -> int | None:
        """The story number of the open call."""
        return next((n for n, event in reversed(self.scene.recent) if _calls(event, self.fold.call)), None)

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    def spot(self, place: int | None, card: str | None, x: float, y: float, size: float) -> str:
        """The ink spot of the card at this place, if it has one."""
        story = None if card is None else self.spots.get((place, card))
        return "" if story is None else pieces.spot(story, x, y, size, story == self.newest)

    # --- cards ----------------------------------------------------------------------------------------

    def link(self, place: int | None, card: str) -> Link | None:
        """Where touching the card leads: from the palace one takes, from the hand one gives or chooses."""
        if place is not None and place != self.viewer:
            return None
        kinds = ("take",) if place is None else ("give", "ally")
        found = (self.scene.links.get(f"{kind}-{card}") for kind in kinds)
        return next((link for link in found if link is not None), None)

    def card(self, place: int | None, card: str | None, x: float, y: float, scale: float) -> str:
        """A card of full size with whatever marks it: frame, seal, gold, number."""
        width, height = 100 * scale, 140 * scale
        if card is None:
            return pieces.symbol("back", x, y, width, height)
        link, chosen = self.link(place, card), card in self.chosen
        drawn = pieces.face(card, x, y, scale) + self.spot(place, card, x - 6, y + height - 17, 21)
        if link is None and not chosen and (place, card) in self.spots:
            drawn = pieces.wash(x, y, width, height, 5 if scale > 0.5 else 3) + drawn
        return pieces.framed(drawn, x, y, width, height, link, chosen)

    def small(self, place: int, card: str | None, x: float, y: float, width: float) -> str:
        """A card in little, with gold and number if it has just come."""
        drawn = pieces.small(card, x, y, width)
        if card is None or (place, card) not in self.spots:
            return drawn
        gold = pieces.wash(x, y, width, width * 1.4, 3)
        return gold + drawn + self.spot(place, card, x - 8, y + width * 1.4 - 12, 18)


def _calls(event: Event, call: Call | None) -> bool:
    return isinstance(event, Called) and Call(event.clan, event.rank) == call
