"""What can be touched on a drawn Hogen board besides the cards: calls, and the cards that somebody may hide.

It is one matrix, the same every turn: clans down, ranks across, their heads calls of their own. What is not allowed
lies flat in its place.
"""

from pbem.games.hogen import words
from pbem.games.hogen.board.view import View
from pbem.games.samurai import CLANS, RANKS, letter, mon, sign
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import framed
from pbem.kit.drawing.svg import box, symbol, text
from pbem.kit.notation import seat_letter

_HEADING = 0.6
"""The height of the heading, in rows."""


def rows(view: View) -> float:
    """Returns how many rows the pad has: none if there is nothing to call or to name."""
    if view.naming is not None:
        return 5 + _HEADING
    return 5 if view.offered("call") else 0


def pad(view: View, at: Box) -> str:
    """Draws the calls, or the cards that may be somebody's ally."""
    sizes, drawn = view.sizes, ""
    if view.naming is not None:
        asked = words.WHAT_HIDES[view.lang].replace("*", f"{{{view.naming}:{sizes.letters(at.width) - 16}}}")
        drawn = text("in b", at.x, at.y + sizes.name, asked, sizes.name)
        high = sizes.touch * _HEADING + sizes.between * _HEADING
        at = Box(at.x, at.y + high, at.width, at.height - high)
    lines = at.rows(5, sizes.between)
    for line, clan in zip(lines, ("", *CLANS), strict=True):
        drawn += "".join(_row(view, clan, line))
    return drawn


def _row(view: View, clan: str, at: Box) -> list[str]:
    """Draws a clan and its cards, or the ranks above them."""
    wide, between = view.sizes.touch * 1.25, view.sizes.between
    head = Box(at.x, at.y, wide, at.height)
    cells = Box(at.x + wide + between, at.y, at.width - wide - between, at.height).columns(4, between)
    first = _cell(view, clan, head) if clan else ""
    return [first, *(_cell(view, f"{clan}{rank}", cell) for rank, cell in zip(RANKS, cells, strict=True))]


def _cell(view: View, what: str, at: Box) -> str:
    """Draws a sign that can be pressed, bears the seal, or lies flat."""
    edge = view.sizes.frame
    inner = Box(at.x + edge, at.y + edge, at.width - 2 * edge, at.height - edge - view.sizes.foot)
    step = f"call-{what}" if view.naming is None else f"{seat_letter(view.naming)}={what}"
    link, chosen = view.link(step), view.chosen(step)
    if link is None and not chosen:
        flat = at.inside(1)
        return box("sk", flat.x, flat.y, flat.width, flat.height, 6) + _lying(view, what, inner)
    drawn = box("pa", inner.x, inner.y, inner.width, inner.height, 5) + _sign(what, inner)
    return framed(view.sizes, drawn, inner, link, chosen, what)


def _lying(view: View, what: str, at: Box) -> str:
    """Draws what cannot be pressed: a head, a call that nobody answered, the viewer's own ally, else a dot."""
    ally = None if view.viewer is None else view.fold.allies[view.viewer]
    if what == ally and view.naming is None:
        high = at.height * 0.75
        return symbol("eye-shut", at.x + at.width / 2 - high * 0.6, at.y + at.height * 0.12, high * 1.2, high, "c6")
    failed = view.naming is None and any(call.written == what for call in view.fold.failed)
    if len(what) == 1 or failed:
        return _sign(what, at)
    return f'<circle class="i2" cx="{at.x + at.width / 2:.1f}" cy="{at.y + at.height / 2:.1f}" r="2.5"/>'


def _sign(what: str, at: Box) -> str:
    """Draws a card, a clan or a rank."""
    middle, high = at.x + at.width / 2, at.height
    if len(what) == 2:
        return sign(what, at)
    if what in CLANS:
        size = high * 0.68
        drawn = mon(what, middle - size * 1.05, at.y + (high - size) / 2, size)
        return drawn + letter(what, middle + high * 0.34, at.y + high * 0.7, high * 0.56)
    strokes = symbol(f"rank-{what}", middle - high * 0.1, at.y + high * 0.23, high * 0.9, high * 0.54, "c6")
    return text("in b m", middle - high * 0.44, at.y + high * 0.72, what, high * 0.62) + strokes
