"""What the picture of a mail costs: processor time, bytes and memory, for each game with four seats.

    python -m benchmarks.pictures            # Skia
    python -m benchmarks.pictures --resvg    # and, after each of its pictures, the same one by resvg

Every picture is of another position and is made once, as in mails; a few earlier ones were made before, so the symbols
are known. In turn with each, Python adds 100,000 numbers: a busy machine takes longer for that, too, and the ratio of
the two changes less from run to run than either.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import TypeAlias, TypeVar

import click

from benchmarks import boards
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table, random_decisions
from pbem.mail.compose import PICTURE_WIDTH
from pbem.render import pictures

SEATS = 4
BEFORE = 3
POSITIONS = 20
ADDITIONS = 100_000
STEP = 2
"""In decisions, from one position to the next."""
T = TypeVar("T")


def main(*, resvg: bool = False) -> None:
    """Prints a line for each game, then the means and the memory; with `resvg`, how much slower that is, too."""
    before = _resident_mb()
    from pbem.render.raster import encode
    from pbem.render.raster.encode import skia_or_resvg_renderer

    skia_or_resvg_renderer()
    imported = _resident_mb()
    slower = _resvg_renderer() if resvg else None
    click.echo(f"{'game':14} {'draw':>8} {'picture':>9} {'additions':>10} {'ratio':>6} {'bytes':>9}")
    rows = []
    for game in boards.games_by_slug():
        rows.append(_means_of_game(game, encode.render_png, slower))
        _print_row(game.meta.slug, rows[-1])
    _print_row("mean", _means_of_rows(rows))
    if resvg:
        skias, resvgs = _means_of_rows(rows)[1], _means_of_rows(rows)[4]
        click.echo(f"resvg: {resvgs:.1f} ms a picture, {resvgs / skias:.1f} times as long as Skia")
    click.echo(f"{POSITIONS} pictures a game, {PICTURE_WIDTH} px wide")
    click.echo(f"memory: {imported - before} MB by the import, {_resident_mb() - imported} MB more by these pictures")


Png: TypeAlias = Callable[[str, int], bytes]


def _means_of_game(game: AnyGame, png: Png, other: Png | None) -> list[float]:
    """Returns the means of a game: the time to draw a board, to make its picture, to add; the bytes of a picture.

    The last one is the time of the other renderer, 0 without.
    """
    played, rows = Table(game, SEATS, game.meta.options(), bytes(32)), []
    for _ in islice(random_decisions(played), 0, STEP * (BEFORE + POSITIONS), STEP):
        drawn, svg = _cpu_time_of(partial(boards.draw_board, played))
        made, data = _cpu_time_of(partial(_png_of_board, game, svg, png))
        added, _ = _cpu_time_of(_add_many_numbers)
        slower, _ = _cpu_time_of(partial(_png_of_board, game, svg, other)) if other is not None else (0.0, None)
        rows.append([drawn, made, added, len(data), slower])
    return _means_of_rows(rows[BEFORE:])


def _png_of_board(game: AnyGame, svg: str, png: Png) -> bytes:
    return png(pictures.board_document(game, svg, boards.NAMES[:SEATS]), PICTURE_WIDTH)


def _resvg_renderer() -> Png:
    from pbem.render.raster import encode, resvg_renderer
    from pbem.render.raster.encode import Renderer

    return partial(encode.render_png, by=Renderer("resvg", resvg_renderer.Drawing))


def _add_many_numbers() -> int:
    total = 0
    for number in range(ADDITIONS):
        total += number
    return total


def _means_of_rows(rows: list[list[float]]) -> list[float]:
    return [fmean(column) for column in zip(*rows, strict=True)]


def _print_row(name: str, row: list[float]) -> None:
    drawn, made, added, size, _ = row
    click.echo(f"{name:14} {drawn:5.2f} ms {made:6.2f} ms {added:7.2f} ms {made / added:6.1f} {size / 1024:6.1f} KB")


def _cpu_time_of(work: Callable[[], T]) -> tuple[float, T]:
    """Returns the processor time of this work in milliseconds, and what it returned."""
    before = time.process_time()
    found = work()
    return 1000 * (time.process_time() - before), found


def _resident_mb() -> int:
    """Returns the resident memory of this process in MB; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main(resvg="--resvg" in sys.argv)
