"""The viewer of a board of Hogen, what was chosen on it, where the story's numbers belong, and the cards with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games import samurai
from pbem.games.hogen.facts import Call, Called, Exchanged, State
from pbem.kit.contract import Link
from pbem.kit.drawing import board
from pbem.kit.drawing.board import framed
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import linked, spot_width, symbol, wash
from pbem.kit.notation import seat_letter


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know. A place is a seat, or None for the palace."""

    # --- what may be touched and was chosen --------------------------------------------------------------------

    @cached_property
    def cards_picked(self) -> frozenset[str]:
        """The cards that were given, taken or hidden by a step chosen so far."""
        steps = (step.partition("-") for step in self.scene.chosen)
        return frozenset(card for kind, _, card in steps if kind in ("give", "take", "ally"))

    @cached_property
    def guesses(self) -> Mapping[int, str]:
        """The allies named so far in a declaration that is being chosen: seat -> card."""
        steps = (step.partition("=") for step in self.scene.chosen)
        return {ord(seat) - ord("A"): card for seat, between, card in steps if between}

    @cached_property
    def seat_whose_ally_is_named(self) -> int | None:
        """The seat whose ally is being named."""
        return min((ord(step[0]) - ord("A") for step in self.scene.links if "=" in step), default=None)

    def link_to_name_ally_again(self, seat: int) -> Link | None:
        """Returns where the ally of a seat is asked for again, after those before it; None if it was not named."""
        if seat not in self.guesses:
            return None
        before = [f"{seat_letter(other)}={card}" for other, card in self.guesses.items() if other < seat]
        return self.link_instead(max(before, default="declare"))

    @cached_property
    def has_chosen_call(self) -> bool:
        """Whether a call has been chosen; nobody knows then who will answer it."""
        return any(step.startswith("call-") for step in self.scene.chosen)

    # --- who is waited for -------------------------------------------------------------------------------------

    @cached_property
    def seats_to_act(self) -> frozenset[int]:
        """The seats that the table waits for."""
        fold = self.fold
        if fold.over or self.has_chosen_call:
            return frozenset()
        if fold.active is None:
            waited_for = (seat for seat in range(fold.seats) if not fold.chosen[seat])
            return frozenset(seat for seat in waited_for if not self.asks_nothing_of(seat))
        seat = fold.active if fold.call is None else fold.answering
        return frozenset(() if seat is None or self.asks_nothing_of(seat) else (seat,))

    @cached_property
    def seats_without_card_for_call(self) -> frozenset[int]:
        """The seats that had no card for the open call."""
        fold = self.fold
        if self.has_chosen_call or fold.call is None or fold.active is None or fold.answering is None:
            return frozenset()
        steps = range(1, (fold.answering - fold.active) % fold.seats)
        return frozenset((fold.active + step) % fold.seats for step in steps)

    # --- what just happened ------------------------------------------------------------------------------------

    @cached_property
    def story_number_by_place_and_card(self) -> Mapping[tuple[int | None, str | None], int]:
        """The story number of the event that brought each card to its place; a card that moves on loses it."""
        spots: dict[tuple[int | None, str | None], int] = {}
        for story, event in self.scene.recent:
            if isinstance(event, Exchanged) and event.given is not None:
                spots.pop((event.seat, event.given), None)
                spots.pop((None, event.taken), None)
                spots[event.seat, event.taken] = spots[None, event.given] = story
        return spots

    @cached_property
    def call_story(self) -> int | None:
        """The story number of the open call."""
        calls = ((n, event) for n, event in reversed(self.scene.recent) if isinstance(event, Called))
        return next((n for n, event in calls if Call(event.clan, event.rank) == self.fold.call), None)

    def spot(self, story: int | None, x: float, y: float, size: float) -> str:
        """Returns the ink spot of a line of the story; one with two digits is no lower than the others."""
        return super().spot(story, x, y - 3 if story is not None and story > 9 else y, size)


# --- the cards, with their marks -----------------------------------------------------------------------------


def draw_card(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a card, or its back, with its marks: frame, seal, gold. Its number is `draw_story_number_on_card`."""
    at = Box(x, y, width, width * 1.4)
    if name is None:
        return symbol("back", x, y, at.width, at.height)
    # In the palace it is taken, in the viewer's hand it is given, or chosen as their ally.
    step, links = f"take-{name}" if place is None else f"give-{name}", view.scene.links
    link, picked = links.get(step) or links.get(f"ally-{name}"), name in view.cards_picked
    drawn, story = (
        samurai.draw_card_or_back(name, x, y, width / 100),
        view.story_number_by_place_and_card.get((place, name)),
    )
    if story is not None and link is None and not picked:
        drawn = wash(x, y, at.width, at.height, max(3, width * 6 / 130)) + drawn
    if link is None and not picked:
        return linked(drawn, view.scene.refused.get(step))
    return framed(view.sizes, drawn, at, link, picked)


def draw_small_card(view: View, seat: int, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a miniature card, or its back, with gold if it has just arrived. Its number is
    `draw_story_number_on_small_card`."""
    drawn = samurai.draw_small_card(name, x, y, width)
    return (
        drawn
        if (seat, name) not in view.story_number_by_place_and_card
        else wash(x, y, width, width * 1.4, view.sizes.gap * 0.6) + drawn
    )


# The numbers of the story are drawn after all cards, so that none hides them.


def draw_story_number_on_card(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws the number of the story line that brought a card to its place; it is in
    `story_number_by_place_and_card`."""
    size = view.sizes.spot
    return view.spot(
        view.story_number_by_place_and_card[place, name], x - size * 0.3, y + width * 1.4 - size * 0.7, size
    )


def draw_story_number_on_small_card(
    view: View, seat: int, name: str | None, x: float, y: float, width: float, right: bool
) -> str:
    """Draws the number of the story line that brought a miniature card, left or right of its letter."""
    story = view.story_number_by_place_and_card[seat, name]
    if right and story > 99:  # there is no room to the next letter: the gold alone tells
        return ""
    at = Box(x, y, width, width * 1.4)
    # On so small a card the spot stands beside the letter, not on it.
    size = view.sizes.spot - (2 if story > 9 else 0)
    wide = spot_width(story, size)
    left = at.right - width * 0.22 if right else at.x + width * 0.22 - wide
    return view.spot(story, left, at.bottom - size * 0.6, size)
