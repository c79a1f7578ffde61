"""Lengths and scores of simulated matches as a small picture: bars drawn by hand, no library for charts."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

import click

from pbem.commands.terminal import pluralize
from pbem.features.lab.tallies import Tally, spread
from pbem.render.pictures import plain_png

SUFFIXES = (".svg", ".png")
WIDTH, HEIGHT, PANEL = 320, 150, 190
BARS = 24
INK, BAR, PAPER = "#2b2622", "#3d6b8e", "#f7f2e7"


def check_file(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Returns the file to draw into; refuses an unusable one before anything is played."""
    if path is None:
        return None
    if path.suffix not in SUFFIXES:
        raise click.BadParameter(f"the name ends in {' or '.join(SUFFIXES)}")
    if not path.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.resolve().parent}")
    return path


def picture(title: str, tallies: Sequence[Tally], suffix: str) -> bytes:
    """Returns the picture in this file format, with a row for each number of seats.

    Raises ClickException if it cannot be drawn.
    """
    drawn = svg(title, tallies)
    if suffix == ".svg":
        return drawn.encode()
    try:
        return plain_png(drawn, 2 * _width(tallies))
    except Exception as error:
        raise click.ClickException(f"The PNG cannot be drawn ({error}); take a file that ends in .svg.") from error


def svg(title: str, tallies: Sequence[Tally]) -> str:
    """Returns the picture as an SVG document."""
    width, height = _width(tallies), 40 + PANEL * len(tallies)
    parts = [f'<rect width="{width}" height="{height}" fill="{PAPER}"/>', _text(20, 26, title, 16)]
    for row, tally in enumerate(tallies):
        where = f"{pluralize(tally.seats, 'seat', 'seats')}, {pluralize(tally.matches, 'match', 'matches')}"
        for column, (name, numbers) in enumerate(_panels(tally)):
            at = f"translate({20 + column * (WIDTH + 20)} {40 + row * PANEL})"
            parts.append(f'<g transform="{at}">{_text(0, 14, f"{name}: {where}", 12)}{_bars(numbers)}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="Literata, serif">{"".join(parts)}</svg>\n'
    )


def _panels(tally: Tally) -> list[tuple[str, Sequence[int]]]:
    panels: list[tuple[str, Sequence[int]]] = [("Decisions", tally.decisions), ("Waits", tally.waits)]
    if tally.scores:
        panels.append(("Scores", [score for scores in tally.scores for score in scores]))
    return panels


def _width(tallies: Sequence[Tally]) -> int:
    return 20 + (WIDTH + 20) * max(len(_panels(tally)) for tally in tallies)


def _bars(numbers: Sequence[int]) -> str:
    """Draws a histogram, with wider bins if there are many values; below it smallest, median and largest."""
    summary = spread(numbers)
    step = -(-(summary.max - summary.min + 1) // BARS)
    counts = Counter((number - summary.min) // step for number in numbers)
    bars, most = (summary.max - summary.min) // step + 1, max(counts.values())
    wide, base = WIDTH / bars, HEIGHT - 6
    drawn = [f'<path d="M0 {base}H{WIDTH}" stroke="{INK}"/>']
    for bar in range(bars):
        high = (base - 24) * counts[bar] / most
        first = summary.min + bar * step
        told_by = f"{first}" if step == 1 else f"{first} to {first + step - 1}"
        drawn.append(
            f'<rect x="{bar * wide:.1f}" y="{base - high:.1f}" width="{max(wide - 1, 0.5):.1f}" height="{high:.1f}" '
            f'fill="{BAR}"><title>{told_by}: {counts[bar]}</title></rect>'
        )
    words = f"{summary.min} to {summary.max}, median {summary.median}, most in a bar {most}"
    return "".join(drawn) + _text(0, HEIGHT + 12, words, 11)


def _text(x: float, y: float, words: str, size: int) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{INK}">{escape(words, quote=False)}</text>'
