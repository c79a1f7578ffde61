"""Plots as SVG elements: axes with ticks and units, bars, lines, and estimates with their intervals.

Each is 360 units wide and carries the drawing classes of the boards, so one page style serves both.
"""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Literal, NamedTuple

from markupsafe import Markup

WIDTH = 360
LEFT, RIGHT, TOP = 44.0, 340.0, 12.0
_ROW = 22.0
Tone = Literal["ib", "se", "i2"]
"""The drawing class of a mark: indigo, the red of the seal, or grey."""


class Bar(NamedTuple):
    """A bar from `low` to `high` on the axis below, so high; `title` is shown when it is pointed at."""

    low: float
    high: float
    height: float
    title: str
    tone: Tone = "ib"


class Row(NamedTuple):
    """An estimate with its interval, and what it is called."""

    label: str
    value: float
    low: float
    high: float
    tone: Tone = "ib"

    def estimate_in_words(self, percent: bool) -> str:
        """Returns the estimate with its interval."""
        value, low, high = (
            f"{100 * number:.1f} %" if percent else f"{number:.3g}" for number in (self.value, self.low, self.high)
        )
        return f"{self.label}: {value}, {low} to {high}"


def ticks_around(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Returns round numbers from at most `low` to at least `high`, in steps of 1, 2 or 5 times a power of 10.

    >>> ticks_around(0, 0.47), ticks_around(13, 87), ticks_around(3, 3)
    ((0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (0.0, 20.0, 40.0, 60.0, 80.0, 100.0), (3.0, 3.2, 3.4, 3.6, 3.8, 4.0))
    """
    if high <= low:
        high = low + 1
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= raw * (1 - 1e-9))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(round(at * step, 10) for at in range(first, last + 1))


class Scale(NamedTuple):
    """Where numbers lie between two places of a drawing."""

    ticks: tuple[float, ...]
    start: float
    end: float

    def place_of(self, number: float) -> float:
        """Returns the place of a number; of one beyond the axis, its end."""
        low, high = self.ticks[0], self.ticks[-1]
        inside = min(high, max(low, number))
        return self.start + (self.end - self.start) * (inside - low) / (high - low)


def label_of_tick(number: float, percent: bool = False) -> str:
    """Returns the number as it stands at a tick.

    >>> label_of_tick(0.25, percent=True), label_of_tick(1500.0), label_of_tick(0.5)
    ('25 %', '1500', '0.5')
    """
    return f"{round(100 * number, 6):g} %" if percent else f"{number:.10g}"


def draw_intervals(
    rows: Sequence[Row], label: str, *, percent: bool = False, reference: float | None = None, axis: str = "",
    among: Sequence[float] = (),
) -> Markup:  # fmt: skip
    """Returns estimates one below the other: a dot with the line of its interval.

    `reference` is a number to compare them with, drawn as a broken line; `among` are numbers that the axis shows, too.
    """
    left = 18 + 7.0 * min(22, max((len(row.label) for row in rows), default=0))
    shown = [*among, *([] if reference is None else [reference]), *(end for row in rows for end in (row.low, row.high))]
    scale = Scale(ticks_around(min(shown), max(shown), 4), left, RIGHT - 10)
    bottom = TOP + _ROW * len(rows)
    parts = [_draw_ticks_below(scale, bottom, percent, axis)]
    if reference is not None:
        x = scale.place_of(reference)
        parts.append(f'<path class="sl" d="M{x:.1f} {TOP}V{bottom:.1f}" stroke-width="1.5" stroke-dasharray="5 4"/>')
    for at, row in enumerate(rows):
        y, here = TOP + _ROW * (at + 0.5), scale.place_of(row.value)
        name = row.label if len(row.label) <= 22 else f"{row.label[:21]}…"
        line = {"ib": "il", "se": "sl", "i2": "ln"}[row.tone]
        parts.append(
            f"<g><title>{escape(row.estimate_in_words(percent))}</title>"
            f"{_text_element(left - 8, y + 4, name, 'in e', 13)}"
            f'<path class="{line}" d="M{scale.place_of(row.low):.1f} {y:.1f}H{scale.place_of(row.high):.1f}"'
            ' stroke-width="3"/>'
            f'<circle class="{row.tone}" cx="{here:.1f}" cy="{y:.1f}" r="5"/></g>'
        )
    return _svg_drawing("".join(parts), bottom + 38, label)


def draw_histogram(
    shown: Sequence[Bar], label: str, *, axis: str, upright: str = "", percent: bool = False, height: float = 130.0
) -> Markup:
    """Returns a histogram: bars over an axis of numbers, as high as the axis on the left says."""
    inside, wanted = histogram_elements(shown, axis=axis, upright=upright, percent=percent, height=height)
    return _svg_drawing(inside, wanted, label)


def histogram_elements(
    shown: Sequence[Bar], *, axis: str, upright: str = "", percent: bool = False, height: float = 130.0
) -> tuple[str, float]:
    """Returns the elements of a histogram, for a drawing with several of them, and how high they are."""
    scale = Scale(ticks_around(min(bar.low for bar in shown), max(bar.high for bar in shown)), LEFT, RIGHT)
    bottom, highest = TOP + 12 + height, max(bar.height for bar in shown)
    up = Scale(ticks_around(0, highest, max(1, min(4, ceil(highest)))), bottom, TOP + 12)
    parts = [
        _draw_ticks_below(scale, bottom, percent, axis),
        _draw_ticks_beside(up),
        _text_element(0, TOP, upright, "i2", 13),
    ]
    for bar in shown:
        x, wide = scale.place_of(bar.low), scale.place_of(bar.high) - scale.place_of(bar.low)
        y = up.place_of(bar.height)
        parts.append(
            f'<rect class="{bar.tone}" x="{x:.1f}" y="{y:.1f}" width="{max(wide - 1, 0.8):.1f}" '
            f'height="{bottom - y:.1f}"><title>{escape(bar.title)}</title></rect>'
        )
    return "".join(parts), bottom + 38


def draw_line_of_estimates(
    points: Sequence[tuple[float, Row]], label: str, *, axis: str, upright: str, reference: float | None = None
) -> Markup:
    """Returns estimates in percent along an axis in percent, joined by a line, with their intervals upright."""
    bottom, quarters = TOP + 142, (0.0, 0.25, 0.5, 0.75, 1.0)
    scale, up = Scale(quarters, LEFT, RIGHT), Scale(quarters, bottom, TOP + 12)
    parts = [
        _draw_ticks_below(scale, bottom, True, axis),
        _draw_ticks_beside(up, True),
        _text_element(0, TOP, upright, "i2", 13),
    ]
    if reference is not None:
        y = up.place_of(reference)
        parts.append(f'<path class="sl" d="M{LEFT} {y:.1f}H{RIGHT}" stroke-width="1.5" stroke-dasharray="5 4"/>')
    path = " ".join(f"{scale.place_of(at):.1f},{up.place_of(row.value):.1f}" for at, row in points)
    parts.append(f'<polyline class="il" points="{path}" stroke-width="2"/>')
    for at, row in points:
        x = scale.place_of(at)
        parts.append(
            f'<g><title>{escape(row.estimate_in_words(percent=True))}</title><path class="il" stroke-width="3" '
            f'd="M{x:.1f} {up.place_of(row.low):.1f}V{up.place_of(row.high):.1f}"/>'
            f'<circle class="ib" cx="{x:.1f}" cy="{up.place_of(row.value):.1f}" r="4.5"/></g>'
        )
    return _svg_drawing("".join(parts), bottom + 38, label)


def _draw_ticks_below(scale: Scale, bottom: float, percent: bool, axis: str) -> str:
    marks = "".join(
        f'<path class="ln" d="M{scale.place_of(tick):.1f} {bottom:.1f}v5"/>'
        + _text_element(scale.place_of(tick), bottom + 18, label_of_tick(tick, percent), "i2 m", 12)
        for tick in scale.ticks
    )
    base = f'<path class="ln" d="M{scale.start:.1f} {bottom:.1f}H{scale.end:.1f}"/>'
    return base + marks + _text_element((scale.start + scale.end) / 2, bottom + 33, axis, "i2 m", 13)


def _draw_ticks_beside(scale: Scale, percent: bool = False) -> str:
    return "".join(
        f'<path class="ln" d="M{LEFT} {scale.place_of(tick):.1f}H{RIGHT}" stroke-opacity=".35"/>'
        + _text_element(LEFT - 6, scale.place_of(tick) + 4, label_of_tick(tick, percent), "i2 e", 12)
        for tick in scale.ticks
    )


def _text_element(x: float, y: float, words: str, classes: str, size: int) -> str:
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}" font-size="{size}">{escape(words, quote=False)}</text>'


def _svg_drawing(inside: str, height: float, label: str) -> Markup:
    svg = f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(label)}">{inside}</svg>'
    return Markup(svg)  # noqa: S704 - made here of numbers and escaped words
