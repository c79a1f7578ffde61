"""What so many open matches ask of a site, and the machines that takes: plain arithmetic, no measuring.

Each assumption is a pair, of a quiet and of a busy site. The figures of a machine are processor times of one thread.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import ceil

DAY_S = 86_400
YEAR = 365
GB = 10**9

Pair = tuple[float, float]
"""A value for a quiet site and one for a busy site."""


@dataclass(frozen=True)
class Figures:
    """What one thing costs on this machine, in milliseconds of a processor."""

    move_ms: float
    page_ms: float
    mail_ms: float
    """With a picture that nobody has drawn yet."""


@dataclass(frozen=True)
class Assumptions:
    """What is taken for granted. The first ones are those of a chess server by e-mail, over nineteen years."""

    moves: Pair = field(default=(0.7, 3.0), metadata={"meaning": "Moves of a match in a day"})
    peak: Pair = field(default=(3.0, 3.0), metadata={"meaning": "The busiest hour, in times of the average"})
    mails: Pair = field(
        default=(0.6, 0.6),
        metadata={"meaning": "Mails for each move; orders, digests and several questions in a row save the rest"},
    )
    pages: Pair = field(default=(2.0, 2.0), metadata={"meaning": "Pages read for each move"})
    asks: Pair = field(default=(1.2, 2.0), metadata={"meaning": "Open questions of a match"})
    ends: Pair = field(default=(0.011, 0.017), metadata={"meaning": "Share of the matches that end in a day"})
    facts_kb: Pair = field(
        default=(30.0, 45.0), metadata={"meaning": "Kilobytes of a match as rows, with their indexes"}
    )
    archive_kb: Pair = field(default=(1.0, 5.0), metadata={"meaning": "Kilobytes of a finished match in the archive"})
    mail_bytes: Pair = field(default=(450.0, 450.0), metadata={"meaning": "Bytes of a mail's row, with its indexes"})
    mail_days: Pair = field(default=(180.0, 180.0), metadata={"meaning": "Days for which that row is kept"})
    http: Pair = field(
        default=(1.5, 1.5),
        metadata={"meaning": "What HTTP adds: processor time of a web process, in times of the application's"},
    )
    postgres_move: Pair = field(
        default=(0.3, 0.3), metadata={"meaning": "PostgreSQL's processor time for a move, in times of the web's"}
    )
    postgres_page: Pair = field(default=(0.2, 0.2), metadata={"meaning": "The same for a page"})
    postgres_mail_ms: Pair = field(
        default=(1.0, 1.0), metadata={"meaning": "PostgreSQL's processor time for a mail, in milliseconds"}
    )
    busy: Pair = field(default=(0.6, 0.6), metadata={"meaning": "How busy processors may be at the peak"})
    process_mb: Pair = field(default=(80.0, 80.0), metadata={"meaning": "Megabytes of a web or worker process"})
    cached: Pair = field(
        default=(0.1, 0.1), metadata={"meaning": "Share of the rows that PostgreSQL should hold in memory"}
    )


@dataclass(frozen=True)
class Row:
    """One line of the answer, for a quiet and for a busy site."""

    name: str
    unit: str
    quiet: float
    busy: float


SPLIT = 100_000
"""With fewer open matches one sweep for all is quick enough."""
MOST_SHARDS = 16


def assume(changed: Mapping[str, Pair]) -> Assumptions:
    """Returns the assumptions with these in place of the usual ones. Raises KeyError with a name that is none."""
    known = {one.name for one in fields(Assumptions)}
    for name in changed:
        if name not in known:
            raise KeyError(name)
    return replace(Assumptions(), **changed)  # the names are checked


def needs(matches: int, figures: Figures, assumed: Assumptions) -> list[Row]:
    """Returns what a site with so many open matches needs."""
    quiet, busy = (_needs(matches, figures, assumed, which) for which in (0, 1))
    return [Row(name, unit, quiet[name, unit], busy[name, unit]) for name, unit in quiet]


def _needs(matches: int, figures: Figures, assumed: Assumptions, which: int) -> dict[tuple[str, str], float]:
    a = {one.name: getattr(assumed, one.name)[which] for one in fields(assumed)}
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
