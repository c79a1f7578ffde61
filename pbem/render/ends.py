"""The picture of a match that is over, as its page shows it: the game's own, or one of the marks of a game without."""

from markupsafe import Markup
from msgspec.structs import replace

from pbem.kit.contract import AnyGame, Meta, Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import box, sky, symbol
from pbem.kit.endings import TABLE_ENDINGS
from pbem.render import badges, pictures

_MOST_MARKS = 8
_SLICED = 'preserveAspectRatio="xMaxYMid slice"'


def end_picture(game: AnyGame, outcome: Outcome | None) -> Markup:
    """Returns the drawing for a page, where a narrow place shows its right part; None: the match was called off."""
    return pictures.svg_with_names(draw_end(game, outcome).replace("<svg", f"<svg {_SLICED}", 1), ())


def draw_end(game: AnyGame, outcome: Outcome | None) -> str:
    """Returns the drawing as a game draws a board."""
    if outcome is not None and outcome.reason in TABLE_ENDINGS:
        outcome = replace(outcome, scores=None)
    return game.end(outcome) if game.end else _draw_usual_end(game.meta, outcome)


def _draw_usual_end(meta: Meta, outcome: Outcome | None) -> str:
    """Draws the game's marks in a row, and beside them the winners' points on a coin, or else their badges."""
    wide = badges.badge_width_for_height(meta.seat_marks, 1)
    shown = [*dict.fromkeys((mark.symbol, mark.colour) for mark in meta.marks.values())][:_MOST_MARKS]
    marks = "".join(
        box("pa", 400 - 56 * at, 62, 50, 50, 6) + symbol(name, 404 - 56 * at, 66, 42, 42, colour)
        for at, (name, colour) in enumerate(shown)
    )

    def badge(seat: int, x: float, y: float, high: float) -> str:
        return badges.draw_badge(seat, meta.seat_marks, x, y, high)

    coin = '<circle class="go" cx="590" cy="75" r="60"/><circle class="gl" cx="590" cy="75" r="60" stroke-width="3"/>'
    won = outcome is not None and outcome.winners
    return ends.band(
        sky("sk", 0, 0, ends.WIDTH, ends.HEIGHT, "dusk")
        + marks
        + '<path class="nb" d="M0,128 H720 V150 H0 Z"/>'
        + (coin if won else "")
        + ends.award(outcome, 590, 75, 54, "in", badge, wide),
        outcome,
    )
