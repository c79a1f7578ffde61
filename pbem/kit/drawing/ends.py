"""The picture above the page of a match that is over: a band, of which a phone shows what stands right of x = 240."""

from collections.abc import Callable

from pbem.kit.contract import Outcome
from pbem.kit.drawing.svg import box, number, seat_mark, text
from pbem.kit.words import signed

WIDTH, HEIGHT = 720, 150
_MIST = ((560, 30, 250, 18), (430, 64, 220, 18), (520, 98, 260, 18), (210, 84, 190, 18), (30, 46, 210, 18))


def band(drawn: str, outcome: Outcome | None, *, night: bool = False) -> str:
    """Makes the picture an SVG element of 720 x 150; mist lies over it where the match was called off."""
    mist = "" if outcome else "".join(box("hb" if night else "sk", *bar, 9) for bar in _MIST)
    look = ' class="night-svg"' if night else ""
    return f'<svg{look} viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" font-family="Literata">{drawn}{mist}</svg>'


def award(
    outcome: Outcome | None,
    x: float,
    y: float,
    size: float,
    words: str = "os",
    mark: Callable[[int, float, float, float], str] = seat_mark,
    wide: float = 1,
) -> str:
    """Draws what was won around this point: the winners' score in large letters, or else their marks; "" for nothing.

    `words` is the class of the letters. `mark` draws the mark of a seat `wide` times as wide as it is high.
    """
    if outcome is None or not outcome.winners:
        return ""
    if outcome.scores is not None:
        return text(f"{words} b m", x, y + size * 0.35, signed(outcome.scores[outcome.winners[0]]), size)
    count, high = len(outcome.winners), size / max(1, (len(outcome.winners) * wide) ** 0.5)
    step, edge = high * (wide + 0.15), high * 0.2
    left, top = x - step * count / 2, y - high / 2
    plate = box("pa", left - edge / 2, top - edge, step * count + edge, high + 2 * edge, edge)
    marks = (mark(seat, left + high * 0.075 + step * at, top, high) for at, seat in enumerate(outcome.winners))
    return plate + "".join(marks)


def tilt(drawn: str, x: float, y: float, scale: float, degrees: float = 0) -> str:
    """Returns the drawing scaled and turned clockwise, with its origin at this point."""
    turn = f" rotate({number(degrees)})" if degrees else ""
    return f'<g transform="translate({number(x)},{number(y)}) scale({number(scale)}){turn}">{drawn}</g>'
