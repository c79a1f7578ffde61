"""The cards and banners of a drawn Hagakure board, and their places."""

from pbem.games.hagakure import words
from pbem.games.hagakure.board_view import View
from pbem.games.hagakure.facts import BONUS, FOOL, NOBORI, Hand, Nobori, is_warrior, known, name_of
from pbem.kit.contract import Lang, Link
from pbem.kit.drawing.svg import box, dashes, inked, linked, moved, number, piece, seal, symbol, text, token, wash

CURRENT, LEFT = "c2", "c1"
"""The colours of the Nobori of this round and of those that are left."""

# --- cards -------------------------------------------------------------------------------------------------


def _kind(card: int) -> tuple[str, str, str]:
    """Returns the symbols of the card's frame and figure, and its colour."""
    if card == FOOL:
        return "gcard-f", "fool", "c2"
    return ("gcard-s", "samurai", "c1") if is_warrior(card) else ("gcard-v", "villager", "c4")


def face(card: int, x: float, y: float, scale: float, lang: Lang) -> str:
    """Draws a card of 100 by 140 units times the scale, with number and figure; 18 bears its seal, too."""
    frame, figure, colour = _kind(card)
    ink = "om b m" if is_warrior(card) else "in b m"
    title = text(ink, 50, 43, words.OLD_FOOL[lang], 34) if card == FOOL else text(ink, 50, 44, str(card), 42)
    drawn = symbol(frame, 0, 0, 100, 140, colour) + title + symbol(figure, 18, 58, 64, 64, colour)
    if card == BONUS:
        drawn += symbol("seal18", 66, 104, 30, 30) + text("os b m", 81, 125, "+1", 18)
    return moved(drawn, x, y, number(scale), f' data-piece="{name_of(card)}"')


def back(x: float, y: float, width: float) -> str:
    """Draws a card that is not known."""
    return symbol("back", x, y, width, width * 1.4)


def _chip(card: int, x: float, y: float) -> str:
    """Draws a miniature card: its kind by the head, its number below."""
    frame, _, colour = _kind(card)
    called = "F" if card == FOOL else str(card)
    return piece(symbol(frame, x, y, 20, 28, colour) + text("in b m", x + 10, y + 23.4, called, 12.4), name_of(card))


def hand(cards: Hand, x: float, y: float, width: float) -> str:
    """Somebody's cards in a row within this width: known ones side by side, unknown ones overlapping, counted."""
    if None not in cards:
        pitch = min(20, (width - 20) / max(1, len(cards) - 1))
        return "".join(_chip(card, x + pitch * at, y + 4) for at, card in enumerate(known(cards)))
    step = _pitch(len(cards))
    middle = x + step * (len(cards) - 1) + 22
    disc = f'<circle class="pa ol" cx="{number(middle)}" cy="{number(y + 33)}" r="9" stroke-width="1.5"/>'
    backs = "".join(back(x + step * at, y, 26) for at in range(len(cards)))
    return backs + disc + text("in b m", middle, y + 38, str(len(cards)))


def hand_width(cards: Hand, width: float) -> float:
    """Returns how wide `hand` draws them."""
    return _pitch(len(cards)) * (len(cards) - 1) + 31 if None in cards else min(20 * len(cards), width)


def _pitch(count: int) -> int:
    """Returns the distance between overlapping cards."""
    return 13 if count < 5 else 11


def bare(x: float, y: float) -> str:
    """Draws the sign of a player who has shown that they hold no samurai: a samurai struck out."""
    struck = f'<path class="li" d="M{number(x)},{number(y + 19)} L{number(x + 19)},{number(y)}" stroke-width="2.4"/>'
    return symbol("samurai", x, y, 19, 19, "c1") + struck


# --- places ------------------------------------------------------------------------------------------------


def slot(classes: str, x: float, y: float, scale: float, *lines: str) -> str:
    """Draws the dashed place of a missing card, with words in it."""
    width, height = 100 * scale, 140 * scale
    first = y + height / 2 + 5 - 8.5 * (len(lines) - 1)
    said = (text("i2 m", x + width / 2, first + 17 * at, line) for at, line in enumerate(lines))
    return box(classes, x + 1, y + 1, width - 2, height - 2, 7, dashes(2, "6 4")) + "".join(said)


def ground(x: float, y: float, scale: float) -> str:
    """Draws the paper under a place."""
    return box("pa", x, y, 100 * scale, 140 * scale, 7)


def touchable(drawn: str, link: Link | None, x: float, y: float, scale: float) -> str:
    """Draws a card or a place as a link on its frame."""
    return linked(drawn, link, box("ib", x - 3, y - 3, 100 * scale + 6, 140 * scale + 11, 9))


def sealed(drawn: str, x: float, y: float, scale: float) -> str:
    """Draws a card or a place that was chosen, framed and sealed."""
    width, height = 100 * scale, 140 * scale
    return box("se", x - 4, y - 4, width + 8, height + 11, 10) + drawn + seal(x + width - 18, y + height - 24)


def pill(x: float, y: float, width: float) -> str:
    """Draws the rounded frame around the name of the player to act."""
    return box("pa", x, y, width, 26, 13) + box("li", x, y, width, 26, 13, ' stroke-width="2"')


def spot(view: View, story: int, x: float, y: float, size: float) -> str:
    """Draws the ink spot of a line of the story."""
    letters = size * (0.65 if story < 10 else 0.52 if story < 100 else 0.4)
    return inked(story, x, y, size, letters, story == view.newest)


# --- Nobori ------------------------------------------------------------------------------------------------


def banner(nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """Draws a Nobori, or the pole of one that was used."""
    return symbol(f"nobori-{nobori}", x, y, width, width / 0.6, colour)


def owned(seat: int, nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """Draws the one banner of its kind that a seat has, left or raised."""
    return token(banner(nobori, x, y, width, colour), f"nobori-{seat}-{nobori}")


def banners(view: View, seat: int, x: float, foot: float, left: float, raised: float, gap: float = 3) -> str:
    """Draws the five Nobori of a seat in a row: used ones rolled up, that of the round larger and in another colour."""
    drawn = ""
    for nobori in NOBORI:
        if view.fold.raised[seat] == nobori:
            drawn += _raised(view, seat, nobori, x, foot - raised / 0.6, raised)
            x += gap + raised + 2
            continue
        top = foot - left / 0.6
        unused = nobori in view.fold.nobori[seat]
        drawn += owned(seat, nobori, x, top, left, LEFT) if unused else banner("used", x, top, left, LEFT)
        x += gap + left
    return drawn


def _raised(view: View, seat: int, nobori: Nobori, x: float, y: float, width: float) -> str:
    """Draws the Nobori of the round, in gold and with the number of its line if it was raised lately."""
    drawn = owned(seat, nobori, x, y, width, CURRENT)
    story = view.raised.get(seat)
    if story is None:
        return drawn
    return wash(x, y, width, width / 0.6, 2) + drawn + spot(view, story, x - 10, y + width / 0.6 - 12, 19)
