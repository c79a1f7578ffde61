"""`pbem capacity`: what a site with this many open matches would need, from this machine's own figures.

Each assumption is a pair, of a quiet and of a busy site. The figures of a machine are processor times of one thread.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil

import click

from pbem.commands.terminal import align_columns

DAY_S = 86_400
YEAR = 365
GB = 10**9

Pair = tuple[float, float]
"""A value for a quiet site and one for a busy site."""

SPLIT = 100_000
"""With fewer open matches one sweep for all is quick enough."""
MOST_SHARDS = 16


@dataclass(frozen=True)
class Figures:
    """What one thing costs on this machine, in milliseconds of a processor."""

    move_ms: float
    page_ms: float
    mail_ms: float
    """With a picture that nobody has drawn yet."""


ASSUMED: Mapping[str, tuple[Pair, str]] = {
    "moves": ((0.7, 3.0), "Moves of a match in a day"),
    "peak": ((3.0, 3.0), "The busiest hour, in times of the average"),
    "mails": ((0.6, 0.6), "Mails for each move; orders, digests and several questions in a row save the rest"),
    "pages": ((2.0, 2.0), "Pages read for each move"),
    "asks": ((1.2, 2.0), "Open questions of a match"),
    "ends": ((0.011, 0.017), "Share of the matches that end in a day"),
    "facts_kb": ((30.0, 45.0), "Kilobytes of a match as rows, with their indexes"),
    "archive_kb": ((1.0, 5.0), "Kilobytes of a finished match in the archive"),
    "mail_bytes": ((450.0, 450.0), "Bytes of a mail's row, with its indexes"),
    "mail_days": ((180.0, 180.0), "Days for which that row is kept"),
    "http": ((1.5, 1.5), "What HTTP adds: processor time of a web process, in times of the application's"),
    "postgres_move": ((0.3, 0.3), "PostgreSQL's processor time for a move, in times of the web's"),
    "postgres_page": ((0.2, 0.2), "The same for a page"),
    "postgres_mail_ms": ((1.0, 1.0), "PostgreSQL's processor time for a mail, in milliseconds"),
    "busy": ((0.6, 0.6), "How busy processors may be at the peak"),
    "process_mb": ((80.0, 80.0), "Megabytes of a web or worker process"),
    "cached": ((0.1, 0.1), "Share of the rows that PostgreSQL should hold in memory"),
}
"""What is taken for granted, and what it means. The first ones are those of a chess server by e-mail, over nineteen
years."""
USUAL: Mapping[str, Pair] = {name: pair for name, (pair, _) in ASSUMED.items()}


@dataclass(frozen=True)
class Row:
    """One line of the answer, for a quiet and for a busy site."""

    name: str
    unit: str
    quiet: float
    busy: float


def resources_needed(matches: int, figures: Figures, assumed: Mapping[str, Pair]) -> list[Row]:
    """Returns what a site with this many open matches needs."""
    quiet, busy = (
        _needs_by_resource(matches, figures, {name: pair[which] for name, pair in assumed.items()}) for which in (0, 1)
    )
    return [Row(name, unit, quiet[name, unit], busy[name, unit]) for name, unit in quiet]


def _needs_by_resource(matches: int, figures: Figures, a: Mapping[str, float]) -> dict[tuple[str, str], float]:
    average = matches * a["moves"] / DAY_S
    peak = average * a["peak"]
    move_s, page_s = figures.move_ms * a["http"] / 1000, figures.page_ms * a["http"] / 1000
    web = peak * (move_s + a["pages"] * page_s) / a["busy"]
    worker = peak * a["mails"] * figures.mail_ms / 1000 / a["busy"]
    of_pages, of_mails = a["pages"] * page_s * a["postgres_page"], a["mails"] * a["postgres_mail_ms"] / 1000
    postgres = peak * (move_s * a["postgres_move"] + of_pages + of_mails) / a["busy"]
    mails = matches * a["moves"] * a["mails"]
    facts = matches * a["facts_kb"] * 1000 / GB
    webs, workers = max(1, ceil(web)), max(1, ceil(worker))
    return {
        ("moves, average", "/s"): average,
        ("moves, at the peak", "/s"): peak,
        ("pages, at the peak", "/s"): peak * a["pages"],
        ("mails", "/day"): mails,
        ("open questions", ""): matches * a["asks"],
        ("matches that end", "/day"): matches * a["ends"],
        ("web", "cores"): web,
        ("worker", "cores"): worker,
        ("PostgreSQL", "cores"): postgres,
        ("rows of open matches", "GB"): facts,
        ("rows of mails", "GB"): mails * a["mail_days"] * a["mail_bytes"] / GB,
        ("archive, each year", "GB"): matches * a["ends"] * YEAR * a["archive_kb"] * 1000 / GB,
        ("memory: web and worker", "GB"): (webs + workers) * a["process_mb"] / 1000,
        ("memory: PostgreSQL", "GB"): facts * a["cached"],
        ("web processes", ""): webs,
        ("worker processes", ""): workers,
        ("shards", ""): min(workers, MOST_SHARDS) if matches >= SPLIT else 1,
    }


_VALUE = re.compile(r"([a-z_]+)=([0-9.]+)(?:-([0-9.]+))?")


def _read_assumptions(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> dict[str, Pair]:
    found = {**USUAL}
    for word in words:
        read = _VALUE.fullmatch(word)
        try:
            values = [float(value) for value in read.groups()[1:] if value] if read is not None else []
            if read is None or not all(values):
                raise ValueError
        except ValueError:
            raise click.BadParameter(f"{word!r} is not a name, “=” and a number, or two with “-” between") from None
        if read[1] not in ASSUMED:
            raise click.BadParameter(f"there is no assumption {read[1]!r}; there are: {', '.join(ASSUMED)}")
        found[read[1]] = (values[0], values[-1])
    return found


@click.command()
@click.argument("matches", type=click.IntRange(1, 10**9))
@click.option("--move-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a move.")
@click.option("--page-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a page.")
@click.option("--mail-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a mail with a new picture.")
@click.option(
    "--set",
    "assumed",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_read_assumptions,
    help="Another assumption: a number, or two (quiet-busy).",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object: matches, figures, assumptions, needs.")
def capacity(
    matches: int,
    move_ms: float | None,
    page_ms: float | None,
    mail_ms: float | None,
    assumed: dict[str, Pair],
    as_json: bool,
) -> None:
    """Print what a site with this many open MATCHES would need.

    Measures for some seconds what a move, a page and a mail cost on this machine, on a database of its own, unless
    all three are given. Each assumption, and each line of the answer, has a value for a quiet and one for a busy site.
    """  # fmt: skip
    figures = _costs_as_given_or_measured(move_ms, page_ms, mail_ms)
    rows = resources_needed(matches, figures, assumed)
    if as_json:
        told = {
            "matches": matches, "figures": asdict(figures), "assumptions": assumed,
            "needs": [asdict(row) for row in rows],
        }  # fmt: skip
        click.echo(json.dumps(told, indent=2))
        return
    click.echo("\n".join(_report_lines(matches, figures, assumed, rows)))


def _costs_as_given_or_measured(move_ms: float | None, page_ms: float | None, mail_ms: float | None) -> Figures:
    if move_ms is not None and page_ms is not None and mail_ms is not None:
        return Figures(move_ms, page_ms, mail_ms)
    from pbem.features.capacity import measuring  # it imports everything, to play

    click.echo("Measuring this machine …", err=True)
    measured = measuring.measure_costs()
    return Figures(move_ms or measured.move_ms, page_ms or measured.page_ms, mail_ms or measured.mail_ms)


def _report_lines(matches: int, figures: Figures, assumed: Mapping[str, Pair], needs: list[Row]) -> list[str]:
    rows = [(row.name, _short_number(row.quiet), _short_number(row.busy), row.unit) for row in needs]
    costs = (
        f"A move costs {figures.move_ms:.1f} ms, a page {figures.page_ms:.1f} ms, a mail with a new picture"
        f" {figures.mail_ms:.0f} ms of one processor, without what HTTP and PostgreSQL add."
    )
    taken = [
        (name, _short_number(quiet), _short_number(busy), ASSUMED[name][1]) for name, (quiet, busy) in assumed.items()
    ]
    return [
        costs, "",
        *align_columns((f"{matches:,} open matches", "quiet", "busy", ""), rows), "",
        *align_columns(("assumption (--set NAME=VALUE)", "quiet", "busy", ""), taken),
    ]  # fmt: skip


def _short_number(value: float) -> str:
    """Returns the number with about three digits.

    >>> [_short_number(value) for value in (0.01234, 3.14159, 42.42, 18_000_000.0, 3.0)]
    ['0.0123', '3.14', '42.4', '18,000,000', '3']
    """
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


COMMANDS = (capacity,)
