"""What the picture of a mail costs: processor time, bytes and memory, for each game with four seats.

    python -m benchmarks.pictures

Each figure is the least of several runs, because other work on the machine only adds to it. The loop in the last line
tells how fast the machine was.
"""

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import click

from benchmarks import boards
from pbem.mail.compose import PICTURE_WIDTH
from pbem.render import pictures

SEATS = 4
STAGES = (4, 12, 24)
TIMES = 7


def main() -> None:
    """Prints a line for each game, then the means and the memory."""
    before = _resident()
    from pbem.render.raster import encode

    imported = _resident()
    click.echo(f"{'game':14} {'draw':>7} {'picture':>9} {'bytes':>9}")
    means = []
    for game in boards.games():
        rows = [_row(stage, game.meta.slug, encode.png) for stage in STAGES]
        means.append([sum(column) / len(rows) for column in zip(*rows, strict=True)])
        drawn, made, size = means[-1]
        click.echo(f"{game.meta.slug:14} {drawn:4.2f} ms {made:6.2f} ms {size / 1024:6.1f} KB")
    drawn, made, size = (sum(column) / len(means) for column in zip(*means, strict=True))
    click.echo(f"{'mean':14} {drawn:4.2f} ms {made:6.2f} ms {size / 1024:6.1f} KB at {PICTURE_WIDTH} px")
    click.echo(f"memory: {imported - before} MB by the import, {_resident() - imported} MB more by these pictures")
    click.echo(f"100,000 additions in Python took {_least(lambda: sum(range(100_000))):.2f} ms")


def _row(stage: int, slug: str, png: Callable[[str, int], bytes]) -> tuple[float, float, float]:
    """Returns the time to draw the board, and the time and bytes of its picture; each turn is another position.

    A position is drawn once before: most of a board is as it was in an earlier mail.
    """
    game = next(game for game in boards.games() if game.meta.slug == slug)
    played = boards.table(game, SEATS, stage)
    svg = boards.draw(played)
    drawn = _least(lambda: boards.draw(played))
    made = _least(lambda: png(pictures.document(game, svg, boards.NAMES[:SEATS]), PICTURE_WIDTH))
    return drawn, made, len(png(pictures.document(game, svg, boards.NAMES[:SEATS]), PICTURE_WIDTH))


def _least(work: Callable[[], object]) -> float:
    """Returns the least processor time of several runs, in milliseconds."""
    marks = [time.process_time()]
    for _ in range(TIMES):
        work()
        marks.append(time.process_time())
    return 1000 * min(after - before for before, after in pairwise(marks))


def _resident() -> int:
    """Returns the resident memory of this process in MB; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main()
