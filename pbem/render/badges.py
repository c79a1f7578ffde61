"""The mark of a seat, one wherever it is drawn: on pages, on curves, in pictures of matches."""

from markupsafe import Markup

from pbem.kit.contract import Meta
from pbem.kit.drawing.svg import SEAT_LOOKS, moved, number, seat_mark
from pbem.kit.notation import seat_letter

_HEIGHT = 24
_PLATE = 36


def seat_colour_class(seat: int, meta: Meta | None) -> str:
    """Returns the class of the seat's colour; None: at a table of no game in particular."""
    return meta.seat_marks[seat].colour if meta is not None and meta.seat_marks else f"c{seat % SEAT_LOOKS + 1}"


def badge_width(meta: Meta | None, height: float) -> float:
    """Returns how wide a badge of this height is."""
    return height * _PLATE / _HEIGHT if meta is not None and meta.seat_marks else height


def draw_badge(seat: int, meta: Meta | None, x: float, y: float, height: float) -> str:
    """Draws the seat's shape, or the game's own mark on a plate, with its letter."""
    if meta is None or not meta.seat_marks:
        return seat_mark(seat, x, y, height)
    mark = meta.seat_marks[seat]
    plate = (
        f'<rect class="pa" width="{_PLATE}" height="{_HEIGHT}" rx="5"/>'
        f'<rect class="ln" x=".5" y=".5" width="{_PLATE - 1}" height="{_HEIGHT - 1}" rx="4.5"/>'
        f'<use href="#{mark.symbol}" x="2" y="3" width="18" height="18"/>'
        f'<text class="cu b m" x="27" y="17.5" font-size="15.5">{mark.letter or seat_letter(seat)}</text>'
    )
    return moved(plate, x, y, number(height / _HEIGHT), f' class="{mark.colour}"')


def badge_picture(seat: int, meta: Meta) -> Markup:
    """Returns the badge as a drawing of its own. Screen readers skip it, because the name is beside it."""
    frame = f"0 0 {number(badge_width(meta, _HEIGHT))} {_HEIGHT}"
    drawn = draw_badge(seat, meta, 0, 0, _HEIGHT)
    svg = f'<svg viewBox="{frame}" aria-hidden="true" font-family="Literata">{drawn}</svg>'
    return Markup(svg)  # noqa: S704  # drawn above from the game's own marks
