"""Plots, some whole and many by their checksums, stored in plotted.txt.

    python -m tests.features.lab.plotted

writes the file again. Look at what has changed, best in a browser: each is an SVG.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from pbem.features.lab.commands import plots
from pbem.features.lab.commands.plots import Bar, Row, Scale
from tests.render.lines import Part, lines_of_calls, result_of, whole_file

FILE = Path(__file__).with_name("plotted.txt")


def elements_of_drawing(svg: str) -> list[str]:
    """Returns the elements of a drawing."""
    return str(svg).replace("><", ">\n<").splitlines()


def some_plots() -> Iterator[str]:
    """Returns plots, an element a line."""
    rows = [Row("seat A", 0.31, 0.28, 0.35), Row("a very long name of a seat <B>", 0.2, 0.15, 0.22, "se")]
    yield from elements_of_drawing(
        plots.draw_intervals(rows, 'who "wins"', percent=True, reference=0.25, axis="of 100 matches")
    )
    yield from elements_of_drawing(plots.draw_intervals([Row("coins", 12.4, 11, 13.25, "i2")], "coins", among=(30.0,)))
    shown = [Bar(1, 3, 0.5, "half"), Bar(3, 5, 2.5, "more & more", "se"), Bar(5, 5.01, 1, "thin", "i2")]
    yield from elements_of_drawing(plots.draw_histogram(shown, "lengths", axis="turns", upright="matches"))
    yield from elements_of_drawing(
        plots.draw_histogram(
            [Bar(0, 0.25, 40, "many"), Bar(0.25, 0.5, 9, "few")], "shares", axis="", percent=True, height=80
        )
    )
    points = [(0.25, Row("early", 0.4, 0.3, 0.45)), (0.75, Row("late", 0.9, 0.8, 1.0))]
    yield from elements_of_drawing(
        plots.draw_line_of_estimates(points, "leads", axis="of the match", upright="wins", reference=0.5)
    )


def plots_and_scales() -> Iterator[str]:
    """Returns plots, and their scales."""
    for low, high in (
        (0, 1),
        (0, 0),
        (5, 4),
        (-3, 7),
        (0, 0.47),
        (13, 87),
        (0, 5e-7),
        (0, 123456),
        (0.1, 0.3),
        (2, 12),
        (0, 6),
        (0, 6.1),
        (0, 12),
        (0, 30),
        (-1, -0.5),
    ):
        yield (
            f"{low} {high}: {plots.ticks_around(low, high)} {plots.ticks_around(low, high, 1)} "
            f"{plots.ticks_around(low, high, 4)}"
        )
    scale = Scale((0.0, 2.0, 4.0), 10.0, 110.0)
    yield from lines_of_calls(scale.place_of, [-1, 0, 1, 2.5, 4, 5])
    for number in (0, 1, 0.25, 1 / 3, 1500.0, -0.5, 12345678901.5, 1e-7):
        yield f"{number}: {plots.label_of_tick(number)} {plots.label_of_tick(number, True)}"
    tones: dict[int, plots.Tone] = {0: "ib", 1: "se", 21: "i2", 22: "ib", 23: "ib", 24: "se"}
    rows = [Row("x" * many, 0.31, 0.28, 0.35, tone) for many, tone in tones.items()]
    for count in range(len(rows) + 1):
        for percent, reference, among in product((True, False), (None, 0.0, 0.5), ((), (0.9,))):
            how: dict[str, Any] = {"percent": percent, "reference": reference, "axis": "x", "among": among}
            drawn = result_of(plots.draw_intervals, rows[:count], "a & b", **how)
            yield f"{count} {percent} {reference} {among}: {drawn}"
    for heights in ((0.2,), (1,), (2, 0), (3, 1.5), (4, 4, 4), (5, 1), (40, 9)):
        shown_ones = [Bar(n, n + 1, height, f"<{n}>") for n, height in enumerate(heights)]
        for percent, upright in ((True, ""), (False, "many")):
            how = {"axis": "y", "upright": upright, "percent": percent, "height": 100}
            yield f"{heights} {percent}: {result_of(plots.draw_histogram, shown_ones, 'b', **how)}"
    yield result_of(plots.draw_histogram, [Bar(0, 0.001, 1, "a"), Bar(0, 9, 1, "b")], "thin", axis="")
    for reference, count in product((None, 0.5), (1, 2, 3)):
        points = [(n / 4, Row(f"r{n}", n / 5, n / 6, n / 3)) for n in range(count)]
        drawn = result_of(plots.draw_line_of_estimates, points, "l", axis="z", upright="u", reference=reference)
        yield f"{reference} {count}: {drawn}"


PARTS: tuple[Part, ...] = (some_plots, plots_and_scales)


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.features.lab.plotted", PARTS), "utf-8")
