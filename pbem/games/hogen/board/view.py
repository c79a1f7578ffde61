"""The viewer of a board of Hogen, what was chosen on it, and where the story's numbers belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.hogen.facts import Call, Called, Exchanged, State
from pbem.kit.contract import Link
from pbem.kit.drawing import board
from pbem.kit.notation import seat_letter


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know. A place is a seat, or None for the palace."""

    # --- what may be touched and was chosen --------------------------------------------------------------------

    def link_to(self, place: int | None, card: str) -> Link | None:
        """Returns where touching the card leads: it is taken from the palace, or given or chosen from the hand."""
        if place is None:
            return self.link(f"take-{card}")
        return (self.link(f"give-{card}") or self.link(f"ally-{card}")) if place == self.viewer else None

    def is_picked(self, card: str) -> bool:
        """True if the card was given, taken or hidden by a step chosen so far."""
        return any(self.chosen(f"{kind}-{card}") for kind in ("give", "take", "ally"))

    @cached_property
    def guesses(self) -> Mapping[int, str]:
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
        """Whether a call has been chosen; nobody knows then who will answer it."""
        return self.choice("call") is not None

    # --- who is waited for -------------------------------------------------------------------------------------

    def is_asked(self, seat: int) -> bool:
        """True if the table waits for this seat."""
        fold = self.fold
        if fold.over or self.calling or self.asks_nothing_of(seat):
            return False
        if fold.active is None:
            return not fold.chosen[seat]
        return seat == (fold.active if fold.call is None else fold.answering)

    def has_passed(self, seat: int) -> bool:
        """True if this seat had no card for the open call."""
        fold = self.fold
        if self.calling or fold.call is None or fold.active is None or fold.answering is None:
            return False
        return (seat - fold.active) % fold.seats in range(1, (fold.answering - fold.active) % fold.seats)

    # --- what just happened ------------------------------------------------------------------------------------

    @cached_property
    def spots(self) -> Mapping[tuple[int | None, str | None], int]:
        """The story number of the event that brought each card to its place; a card that moves on loses it."""
        spots: dict[tuple[int | None, str | None], int] = {}
        for story, event in self.recent:
            if isinstance(event, Exchanged):
                spots.pop((event.seat, event.given), None)
                spots.pop((None, event.taken), None)
                spots[event.seat, event.taken] = spots[None, event.given] = story
        return spots

    @cached_property
    def called_in(self) -> int | None:
        """The story number of the open call."""
        calls = ((n, event) for n, event in reversed(self.scene.recent) if isinstance(event, Called))
        return next((n for n, event in calls if Call(event.clan, event.rank) == self.fold.call), None)

    def spot(self, story: int | None, x: float, y: float, size: float) -> str:
        """Returns the ink spot of a line of the story; one with two digits is no lower than the others."""
        return super().spot(story, x, y - 3 if story is not None and story > 9 else y, size)
