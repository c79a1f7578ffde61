"""The mark of a seat, one wherever it is drawn: on pages, on curves, in pictures of matches.

`marks` are those that the game has for its seats (`Meta.seat_marks`); without any, each seat has a shape and a colour.
"""

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from pbem.kit.contract import Mark
from pbem.kit.drawing.svg import SEAT_LOOKS, moved, number, seat_mark
from pbem.kit.notation import seat_letter

_HEIGHT = 24
_PLATE = 36


def seat_colour_class(seat: int, marks: Sequence[Mark]) -> str:
    """Returns the class of the seat's colour."""
    return marks[seat].colour if marks else f"c{seat % SEAT_LOOKS + 1}"


def badge_width_for_height(marks: Sequence[Mark], height: float) -> float:
    """Returns how wide a badge of this height is."""
    return height * _PLATE / _HEIGHT if marks else height


def draw_badge(seat: int, marks: Sequence[Mark], x: float, y: float, height: float) -> str:
    """Draws the seat's shape, or the game's own mark on a plate, with its letter."""
    if not marks:
        return seat_mark(seat, x, y, height)
    mark = marks[seat]
    plate = (
        f'<rect class="pa" width="{_PLATE}" height="{_HEIGHT}" rx="5"/>'
        f'<rect class="ln" x=".5" y=".5" width="{_PLATE - 1}" height="{_HEIGHT - 1}" rx="4.5"/>'
        f'<use href="#{mark.symbol}" x="2" y="3" width="18" height="18"/>'
        f'<text class="cu b m" x="27" y="17.5" font-size="15.5">{mark.letter or seat_letter(seat)}</text>'
    )
    return moved(plate, x, y, number(height / _HEIGHT), f' class="{mark.colour}"')


@lru_cache(1024)
def badge_picture(seat: int, marks: tuple[Mark, ...]) -> Markup:
    """Returns the badge as a drawing of its own. Screen readers skip it, because the name is beside it."""
    frame = f"0 0 {number(badge_width_for_height(marks, _HEIGHT))} {_HEIGHT}"
    drawn = draw_badge(seat, marks, 0, 0, _HEIGHT)
    svg = f'<svg viewBox="{frame}" aria-hidden="true" font-family="Literata">{drawn}</svg>'
    return Markup(svg)  # noqa: S704  # drawn above from the game's own marks
