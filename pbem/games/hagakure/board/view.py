"""The viewer of a board of Hagakure, where the numbers of the story belong on it, and the cards with their marks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.hagakure import facts, words
from pbem.games.hagakure.facts_cards import BONUS, FOOL, NOBORI, Hand, card_in_notation, is_warrior, visible_cards
from pbem.games.hagakure.facts_state import State
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, dashes, moved, number, piece, seat_mark, symbol, text, token, wash
from pbem.kit.texts import Lang


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know."""

    def is_asked(self, seat: int) -> bool:
        """True if the match waits for this seat."""
        asked = self.fold.phase in ("nobori", "play") and seat == self.fold.active
        return asked and not self.asks_nothing_of(seat)

    @property
    def is_nobori_phase(self) -> bool:
        """True while the Nobori of the round are chosen; the answer to a question does not change what is drawn."""
        chosen = self.scene.chosen
        return self.fold.phase == "nobori" or bool(chosen and not chosen[0].startswith("play-"))

    @cached_property
    def trick_card_and_story_by_seat(self) -> Mapping[int, tuple[int, int]]:
        """The newest card of a seat in the trick that is shown, with its story number."""
        laid: dict[int, tuple[int, int]] = {}
        complete = False
        for story, event in self.scene.recent:
            match event:
                case facts.Dealt():
                    laid = {}
                case facts.TrickWon():
                    complete = True
                case facts.Played(seat, card):
                    laid = {} if complete else laid
                    laid[seat], complete = (card, story), False
        return laid

    @cached_property
    def story_number_of_nobori_by_seat(self) -> Mapping[int, int]:
        """The story number of a seat's Nobori of this round."""
        raised: dict[int, int] = {}
        for story, event in self.scene.recent:
            match event:
                case facts.Dealt():
                    raised = {}
                case facts.Raised(seat) | facts.Swapped(seat) | facts.Looked(seat):
                    raised[seat] = story
        return raised


# --- the cards, with their marks -----------------------------------------------------------------------------

CURRENT, LEFT = "c2", "c1"
"""The colours of the Nobori of this round and of those that are left."""


def _card_frame_figure_and_colour(card: int) -> tuple[str, str, str]:
    """Returns the symbols of the card's frame and figure, and its colour."""
    if card == FOOL:
        return "gcard-f", "fool", "c2"
    return ("gcard-s", "samurai", "c1") if is_warrior(card) else ("gcard-v", "villager", "c4")


def card_box_at(x: float, y: float, width: float) -> Box:
    """Returns the box of a card of this width."""
    return Box(x, y, width, width * 1.4)


def draw_card_face(view: View, card: int, at: Box) -> str:
    """Draws a card with number and figure; 18 bears its seal, too."""
    least = view.sizes.text * 100 / at.width
    drawn = draw_card_without_seal(card, view.lang, least)
    if card == BONUS:
        letters = max(18, least)
        size = letters * 5 / 3
        drawn += symbol("seal18", 98 - size, 57, size, size)
        drawn += text("os b m", 98 - size / 2, 57 + size * 0.7, "+1", letters)
    return moved(drawn, at.x, at.y, number(at.width / 100), f' data-piece="{card_in_notation(card)}"')


def draw_card_without_seal(card: int, lang: Lang, least: float = 0) -> str:
    """Draws a card of 100 by 140 units without the seal; words in it are no smaller than `least`."""
    frame, figure, colour = _card_frame_figure_and_colour(card)
    ink = "om b m" if is_warrior(card) else "in b m"
    title = text(ink, 50, 44, str(card), 42)
    if card == FOOL:
        title = text(ink, 50, 43, words.OLD_FOOL[lang], max(34, least))
    return symbol(frame, 0, 0, 100, 140, colour) + title + symbol(figure, 18, 58, 64, 64, colour)


def draw_card_back(x: float, y: float, width: float) -> str:
    """Draws a card that is not known."""
    return symbol("back", x, y, width, width * 1.4)


def draw_cards_in_line(view: View, cards: Hand, at: Box) -> str:
    """Draws somebody's cards in a line: known ones side by side, of unknown ones a back with their number."""
    if not cards:
        return ""
    sizes = view.sizes
    if None in cards:
        wide = at.height / 1.4
        line = at.y + at.height / 2 + sizes.name * 0.35
        return draw_card_back(at.x, at.y, wide) + text(
            "in b", at.x + wide + sizes.gap, line, str(len(cards)), sizes.name
        )
    wide, pitch = _miniature_width_and_step(view, len(cards), at)
    return "".join(
        _draw_miniature_card(view, card, at.x + pitch * n, at, wide) for n, card in enumerate(visible_cards(cards))
    )


def width_of_cards_in_line(view: View, cards: Hand, at: Box) -> float:
    """Returns how wide `draw_cards_in_line` draws them."""
    if not cards:
        return 0
    if None in cards:
        return at.height / 1.4 + view.sizes.gap + view.sizes.name * 0.6
    wide, pitch = _miniature_width_and_step(view, len(cards), at)
    return wide + pitch * (len(cards) - 1)


def _miniature_width_and_step(view: View, count: int, at: Box) -> tuple[float, float]:
    """Returns the width of miniature cards in a line, and the distance from one to the next."""
    between = view.sizes.gap / 2
    wide = min(at.height / 1.4, (at.width - between * (count - 1)) / count)
    return wide, wide + between


def _draw_miniature_card(view: View, card: int, x: float, at: Box, width: float) -> str:
    """Draws a miniature card: its kind by the head, its number below."""
    frame, _, colour = _card_frame_figure_and_colour(card)
    called, high = "F" if card == FOOL else str(card), width * 1.4
    y = at.y + (at.height - high) / 2
    letters = max(view.sizes.text, width * 0.62)
    said = text("in b m", x + width / 2, y + high * 0.7 + letters * 0.34, called, letters)
    return piece(symbol(frame, x, y, width, high, colour) + said, card_in_notation(card))


def draw_no_samurai_sign(x: float, y: float, size: float) -> str:
    """Draws the sign of a player who has shown that they hold no samurai: a samurai struck out."""
    struck = (
        f'<path class="li" d="M{number(x)},{number(y + size)} L{number(x + size)},{number(y)}" stroke-width="2.4"/>'
    )
    return symbol("samurai", x, y, size, size, "c1") + struck


# --- places ------------------------------------------------------------------------------------------------


def draw_empty_slot(classes: str, at: Box) -> str:
    """Draws the dashed place of a missing card."""
    return box(classes, at.x + 1, at.y + 1, at.width - 2, at.height - 2, 7, dashes(2, "6 4"))


def draw_paper_ground(at: Box) -> str:
    """Draws the paper under a place."""
    return box("pa", *at.frame, 7)


def draw_empty_place_of_seat(view: View, seat: int, at: Box, said: str) -> str:
    """Draws the dashed place of a card that is to come: whose it is, and a word below."""
    sizes = view.sizes
    mark = min(sizes.mark * 1.2, at.width * 0.5)
    middle, y = at.x + at.width / 2, at.y + at.height / 2
    drawn = draw_empty_slot("ln", at) + seat_mark(seat, middle - mark / 2, y - mark * 0.8, mark)
    return drawn + text("i2 m", middle, y + mark * 0.2 + sizes.text * 1.1, said, sizes.text)


# --- Nobori ------------------------------------------------------------------------------------------------


def draw_nobori(nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """Draws a Nobori, or the pole of one that was used."""
    return symbol(f"nobori-{nobori}", x, y, width, width / 0.6, colour)


def draw_one_nobori_of_seat(seat: int, nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """Draws the one banner of its kind that a seat has, left or raised."""
    return token(draw_nobori(nobori, x, y, width, colour), f"nobori-{seat}-{nobori}")


def draw_all_nobori_of_seat(view: View, seat: int, x: float, y: float, width: float, gap: float) -> str:
    """Draws the five Nobori of a seat in a row: used ones rolled up, that of the round framed in another colour."""
    places = {nobori: x + n * (width + gap) for n, nobori in enumerate(NOBORI)}
    left, raised = view.fold.nobori[seat], view.fold.raised[seat]
    flown = "" if raised is None else _draw_nobori_of_round(view, seat, raised, places.pop(raised), y, width)
    rest = (
        draw_one_nobori_of_seat(seat, nobori, at, y, width, LEFT)
        if nobori in left
        else draw_nobori("used", at, y, width, LEFT)
        for nobori, at in places.items()
    )
    return "".join(rest) + flown  # last, for its spot lies on its neighbour


def _draw_nobori_of_round(view: View, seat: int, nobori: str, x: float, y: float, width: float) -> str:
    """Draws the Nobori of the round, in gold if it was raised lately.

    The number of its line is on the large one while they are chosen; a small one would be hidden by it.
    """
    high, story, size = width / 0.6, view.story_number_of_nobori_by_seat.get(seat), view.sizes.spot
    drawn = draw_one_nobori_of_seat(seat, nobori, x, y, width, CURRENT)
    if story is None:
        return box("li", x - 1.5, y - 1, width + 3, high + 2, 4, ' stroke-width="1.5"') + drawn
    drawn = wash(x, y, width, high, 2) + drawn
    if view.is_nobori_phase or width < size * 1.5:
        return drawn
    return drawn + view.spot(story, x - size * 0.3, y + high - size, size)
