"""Draws the scores of a match, or the chances to win, as curves: a line a seat, told apart by more than colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from pbem.kit.contract import Mark
from pbem.kit.drawing.svg import attribute, drawing, inked, number, text
from pbem.kit.words import signed
from pbem.render import badges
from pbem.render.pictures import svg_with_names

_DASHES = ("", "8 4", "2 4", "10 3 2 3", "14 4", "6 3 1 3 1 3")
MOST_SEATS = len(_DASHES)
_LEFT, _RIGHT, _TOP, _BOTTOM = 30.0, 284.0, 18.0, 216.0
_MARK = 20.0
_SPOT = 22.0
_APART = 22.0
"""The least distance between the marks at the ends of two lines, and between two spots."""


@dataclass(frozen=True)
class Curve:
    """The scores of all seats at each `at`, in order; the spots are at these places of these seats' lines.

    Lines rise from point to point; `steps`: they change at the points alone, and are level in between. `now`: a line
    stands there, which a script can move.
    """

    marks: Sequence[Mark]
    """Those of the seats, as for `pbem.render.badges`."""
    points: Sequence[tuple[int, Sequence[int]]]
    spots: Sequence[tuple[int, int]] = ()
    winners: Sequence[int] = ()
    axis: str = ""
    label: str = ""
    steps: bool = False
    now: int | None = None

    def svg(self, names: Sequence[str]) -> Markup:
        """Returns the drawing. Winners have broad lines, spots are numbered from 1."""
        every = [score for _, scores in self.points for score in scores]
        frame = _Frame(max(1, self.points[-1][0]), min(0, *every), max(1, *every))
        final = self.points[-1][1]
        seats = sorted(range(len(final)), key=lambda seat: (seat in self.winners, -seat))
        parts = [*frame.draw_score_lines(), *frame.draw_labels_below(), text("i2", 0, _BOTTOM + 24, self.axis)]
        parts += [] if self.now is None else [frame.draw_cursor(self.now)]
        parts += [self._draw_line_of_seat(frame, seat) for seat in seats]
        parts += [
            self._draw_end_of_line(frame, seat, y) for seat, y in _spread_marks([frame.y(score) for score in final])
        ]
        parts += [inked(n, x - _SPOT / 2, y - _SPOT / 2, _SPOT, 14, False) for n, x, y in self._places_of_spots(frame)]
        return svg_with_names(drawing("".join(parts), (0, 0, 360, 250), attribute(self.label)), names)

    def _draw_line_of_seat(self, frame: "_Frame", seat: int) -> str:
        path = [(frame.x(at), frame.y(scores[seat])) for at, scores in self.points]
        if self.steps:
            path = path[:1] + [place for (_, y), to in pairwise(path) for place in ((to[0], y), to)]
        points = " ".join(f"{number(x)},{number(y)}" for x, y in path)
        width = 4 if seat in self.winners else 2.5
        dashes = f' stroke-dasharray="{_DASHES[seat]}"' if _DASHES[seat] else ""
        stroke = f'stroke-width="{width}"{dashes} stroke-linejoin="round"'
        return f'<polyline class="cl {badges.seat_colour_class(seat, self.marks)}" points="{points}" {stroke}/>'

    def _draw_end_of_line(self, frame: "_Frame", seat: int, y: float) -> str:
        score = self.points[-1][1][seat]
        lead = f"M{number(_RIGHT)},{number(frame.y(score))}L{number(_RIGHT + 18)},{number(y)}"
        drawn = f'<path class="cl {badges.seat_colour_class(seat, self.marks)}" d="{lead}" stroke-width="1.5"/>'
        drawn += badges.draw_badge(seat, self.marks, _RIGHT + 18, y - _MARK / 2, _MARK)
        return drawn + text(
            "in b", _RIGHT + 23 + badges.badge_width_for_height(self.marks, _MARK), y + 5.5, signed(score), 15
        )

    def _places_of_spots(self, frame: "_Frame") -> list[tuple[int, float, float]]:
        """Returns the spots by number, each as near to its place as the earlier ones let it be."""
        scores = dict(self.points)
        places: list[tuple[int, float, float]] = []
        for n, (at, seat) in enumerate(self.spots, 1):
            x, y = frame.x(at), frame.y(scores[at][seat])
            tried = (y + _APART * step for step in (0, -1, 1, -2, 2))
            free = (
                to for to in tried if to > _SPOT / 2
                and all(abs(x - other_x) >= _APART or abs(to - other_y) >= _APART for _, other_x, other_y in places)
            )  # fmt: skip
            places.append((n, x, next(free, y)))
        return places


@dataclass(frozen=True)
class _Frame:
    """The scales of a curve: from the beginning to `last` across, from the lowest score to the highest."""

    last: int
    lowest: int
    highest: int

    def x(self, at: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * at / self.last

    def y(self, score: int) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (score - self.lowest) / (self.highest - self.lowest)

    def draw_score_lines(self) -> list[str]:
        """Returns the lines of round scores, with their labels."""
        step = _step_of_axis(self.highest - self.lowest, 5)
        scores = range(-(-self.lowest // step) * step, self.highest + 1, step)
        return [
            f'<path class="ln" d="M{number(_LEFT)},{number(self.y(score))}H{number(_RIGHT)}" stroke-opacity=".5"/>'
            + text("i2 e", _LEFT - 6, self.y(score) + 5, signed(score))
            for score in scores
        ]

    def draw_cursor(self, at: int) -> str:
        """Returns the line at this place; its attributes say how to move it: to `data-from` + place * `data-by`."""
        by = (_RIGHT - _LEFT) / self.last
        return (
            f'<path class="ln" id="now" d="M0,{number(_TOP - 8)}V{number(_BOTTOM)}" stroke-width="3"'
            f' transform="translate({number(self.x(at))})" data-from="{number(_LEFT)}" data-by="{by:.4f}"/>'
        )

    def draw_labels_below(self) -> list[str]:
        """Returns the labels below."""
        step = _step_of_axis(self.last, 8)
        # The first is an eighth of the width from the left, where the word for what is counted stands.
        return [text("i2 m", self.x(at), _BOTTOM + 24, str(at)) for at in range(step, self.last + 1, step)]


def _step_of_axis(span: int, most: int) -> int:
    """Returns the smallest of 1, 2, 5, 10, … that gives at most this many steps.

    >>> _step_of_axis(8, 8), _step_of_axis(24, 5), _step_of_axis(128, 8)
    (1, 5, 20)
    """
    step = 1
    while span > most * step:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def _spread_marks(heights: Sequence[float]) -> list[tuple[int, float]]:
    """Returns the seats with the heights of their marks, moved as little as keeps them apart and in the drawing."""
    order = sorted(range(len(heights)), key=lambda seat: heights[seat])
    placed = [heights[seat] for seat in order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + _APART)
    over = max(0.0, placed[-1] - (_BOTTOM + 10))
    if over:
        placed[-1] -= over
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - _APART)
    return list(zip(order, placed, strict=True))
