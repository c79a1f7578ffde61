"""What can be touched on a drawn board of Allégeance besides seats and cards: announcements, or the two answers.

The sixteen samurai have the same places every turn, clan by clan. What may not be announced lies flat among them, with
the reason in words.
"""

from pbem.games.allegeance import words
from pbem.games.allegeance.board.view import View
from pbem.games.samurai import CARDS, sign, small
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import framed
from pbem.kit.drawing.svg import box, text
from pbem.kit.texts import Text
from pbem.kit.words import joined

_UPRIGHT = 1.45
"""The height of a miniature card in the pad, in rows."""
_LINE = 0.5
"""The height of a line of words below the cards, in rows."""
_ANSWERS = (("challenge", words.CHALLENGE), ("pass", words.LEAVE_BE))


def rows(view: View, across: int) -> float:
    """Returns how many rows the pad has, with this many cards across: none if there is nothing to announce or answer.

    Eight cards across stand upright, so their rows are higher. Only a pad as wide has room for the two answers.
    """
    if not _announcing(view):
        return 1 if across == 8 and any(view.link(step) or view.chosen(step) for step, _ in _ANSWERS) else 0
    return 16 / across * (_UPRIGHT if across == 8 else 1) + (_LINE if _why(view, across) else 0)


def pad(view: View, at: Box) -> str:
    """Draws the samurai that may be announced, or the answers to an announcement."""
    if not _announcing(view):
        cells = at.columns(2, view.sizes.between)
        return "".join(_answer(view, *answer, cell) for answer, cell in zip(_ANSWERS, cells, strict=True))
    sizes, across = view.sizes, 8 if at.width > 2 * at.height else 4
    why = _why(view, across)
    line = _LINE * (sizes.touch + sizes.between) if why else 0
    cards = Box(at.x, at.y, at.width, at.height - line)
    lines = cards.rows(16 // across, sizes.between)
    cells = [cell for row in lines for cell in row.columns(across, sizes.between)]
    drawn = "".join(_samurai(view, card, cell) for card, cell in zip(CARDS, cells, strict=True))
    return drawn + (text("i2", at.x, at.bottom - line * 0.18, why, sizes.text) if why else "")


def _announcing(view: View) -> bool:
    return view.choice("announce") is not None or bool(view.offered("announce"))


def _why(view: View, across: int) -> str:
    """Returns which cards lie flat and why; "" if none does."""
    offered = view.offered("announce")
    flat = [card for card in CARDS if offered and card not in offered and not view.chosen(f"announce-{card}")]
    if not flat:
        return ""
    why = words.WHY if across == 4 else words.WHY_ONE if len(flat) == 1 else words.WHY_TWO
    return why[view.lang].format(joined(flat, view.lang))


def _inside(view: View, cell: Box, *, chosen: bool) -> Box:
    """Returns the box of what lies in the frame of a cell; the frame of a chosen one is thicker, and bears a seal."""
    edge, at = view.sizes.frame, cell.inside(2 if chosen else 0)
    return Box(at.x + edge, at.y + edge, at.width - 2 * edge, at.height - edge - view.sizes.foot)


def _samurai(view: View, card: str, at: Box) -> str:
    """Draws a card that can be announced, bears the seal, or lies flat."""
    step = f"announce-{card}"
    link, chosen = view.link(step), view.chosen(step)
    inner = _inside(view, at, chosen=chosen)
    if at.tall:  # a miniature card, in the middle of its frame
        width = min(inner.width, inner.height / 1.4)
        drawn = small(card, inner.x + (inner.width - width) / 2, inner.y, width, piece=False)
    else:
        drawn = sign(card, inner)
    if link is None and not chosen:
        flat = at.inside(1)
        return box("sk", flat.x, flat.y, flat.width, flat.height, 6) + drawn
    if not at.tall:
        drawn = box("pa", inner.x, inner.y, inner.width, inner.height, 5) + drawn
    return framed(view.sizes, drawn, inner, link, chosen, card)


def _answer(view: View, step: str, said: Text, at: Box) -> str:
    size, link, chosen = view.sizes.name, view.link(step), view.chosen(step)
    inner = _inside(view, at, chosen=chosen)
    middle = inner.x + inner.width / 2
    drawn = box("pa", inner.x, inner.y, inner.width, inner.height, 5)
    drawn += text("in b m", middle, inner.y + inner.height / 2 + size * 0.34, said[view.lang], size)
    return framed(view.sizes, drawn, inner, link, chosen)
