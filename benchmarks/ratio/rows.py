"""The goals, and how each is measured: rounds in turn, first the fixed commit, then this tree.

An *addition* is a hundred thousand additions in Python, timed in the same process right after. A figure is the median
of the rounds' ratios; its note has the lowest and the highest of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Literal

from benchmarks.ratio.trees import HERE, Tree, run_subject
from benchmarks.service import waiting
from benchmarks.service.machine import machine
from benchmarks.service.report import Row

Measured = Mapping[str, float]
SMALL_PX = 600
"""Pictures of at most this width have the goals of small ones."""
LONG, FEW, NATURAL = 2_100, 50, 400
"""Entries of a log. No match is as long as LONG, so it is one of NATURAL entries with copies of itself before it."""
BY_MOVES, BY_TASK, BY_NOBODY = "by moves", "by task", "by nobody"
"""What has kept the folds of a match, if anything has."""


def ratios_by_round(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Returns the ratio of each round."""
    return [one / other for one, other in zip(above, below, strict=True)]


def row_of_medians(
    what: str, values: Sequence[float], goal: float, sense: Literal["<=", ">="], *, unit: str = "",
    fixed: Sequence[float] = (), note: str = "",
) -> Row:  # fmt: skip
    """Returns a row with the median of the rounds; `fixed` is the same of the fixed commit."""
    spread = f"{min(values):.3g}–{max(values):.3g}" if len(values) > 1 else ""
    peer = f"{median(fixed):.3g} {unit}".strip() if fixed else ""
    return Row(what, median(values), goal, unit, sense, "; ".join(filter(None, (spread, note))), peer)


def figure_by_round(rounds: Sequence[Measured], name: str, per: str = "") -> list[float]:
    """Returns a figure of each round, or its ratio to another one of the same round."""
    return [one[name] / one[per] if per else one[name] for one in rounds]


def measure_in_turn(
    fixed: Tree, work: str, rounds: int, *, first: Mapping[str, object] | None = None, **told: object
) -> tuple[list[Measured], list[Measured]]:
    """Returns what was measured in the fixed tree and in this one, round by round; `first` is told in a round before,
    which does not count."""
    with run_subject(fixed, work) as old, run_subject(HERE, work) as new:
        if first:
            old.measure_round(**first), new.measure_round(**first)
        pairs = [(old.measure_round(**told), new.measure_round(**told)) for _ in range(rounds)]
    olds, news = zip(*pairs, strict=True)
    return list(olds), list(news)


def measure_cold_pages(fixed: Tree) -> Iterator[Row]:
    """Cold pages of the seats of Allégeance, by the length of the log and by what has kept folds of it."""
    sizes = ((FEW, BY_MOVES), (NATURAL, BY_MOVES), (LONG, BY_MOVES), (LONG, BY_TASK), (LONG, BY_NOBODY))
    found: dict[tuple[Tree, int, str], list[Measured]] = {}
    with run_subject(fixed, "pages") as old, run_subject(HERE, "pages") as new:
        for number in range(11):
            for size, kept in sizes:
                for tree, one in ((fixed, old), (HERE, new)):
                    if tree == fixed and size == LONG and kept != BY_NOBODY:
                        continue  # it keeps no folds
                    times = 4 if size < LONG else 2 if kept != BY_NOBODY else 1
                    got = one.measure_round(entries=size, natural=min(size, NATURAL), times=times, kept=kept)
                    if number:  # not the first
                        found.setdefault((tree, size, kept), []).append(got)
    few = {tree: figure_by_round(found[tree, FEW, BY_MOVES], "ms") for tree in (fixed, HERE)}
    grew = ratios_by_round(figure_by_round(found[fixed, LONG, BY_NOBODY], "ms"), few[fixed])
    for kept, words in ((BY_MOVES, ""), (BY_TASK, ", of an older version, once its folds are kept")):
        long = figure_by_round(found[HERE, LONG, kept], "ms")
        note = f"{median(long):.1f} ms against {median(few[HERE]):.1f}"
        what = f"cold seat page at {LONG:,} entries{words} : at {FEW}"
        yield row_of_medians(what, ratios_by_round(long, few[HERE]), 1.25, "<=", fixed=grew, note=note)
    first, had = (figure_by_round(found[tree, LONG, BY_NOBODY], "ms") for tree in (HERE, fixed))
    what = f"cold seat page at {LONG:,} entries, of an older version, at its first reading : the fixed commit"
    note = f"{median(first):.1f} ms against {median(had):.1f}"
    yield row_of_medians(what, ratios_by_round(first, had), 1.1, "<=", fixed=[1.0], note=note)
    many, had = (figure_by_round(found[tree, NATURAL, BY_MOVES], "ms", "additions") for tree in (HERE, fixed))
    note = f"{median(figure_by_round(found[HERE, NATURAL, BY_MOVES], 'ms')):.1f} ms"
    yield row_of_medians(f"cold seat page, {NATURAL} entries, in additions", many, 4, "<=", fixed=had, note=note)


def _goal_for_width(width: int, large: float, small: float) -> float:
    return small if width <= SMALL_PX else large


def measure_turn_mails(fixed: Tree) -> Iterator[Row]:
    """Turn mails with pictures, and the SQL of them."""
    olds, news = measure_in_turn(fixed, "mails", 10, first={"matches": 230, "sent": 60}, matches=0, sent=16)
    width = int(news[0]["width"])
    note = f"{width} px; {median(figure_by_round(news, 'ms')):.1f} ms against {median(figure_by_round(olds, 'ms')):.1f}"
    goal = _goal_for_width(width, 0.72, 0.6)
    yield row_of_medians("turn mail with picture : the fixed commit",
              ratios_by_round(figure_by_round(news, "ms"), figure_by_round(olds, "ms")), goal, "<=",
              fixed=[1.0], note=note)  # fmt: skip
    theirs, own = (some[1:] for some in measure_in_turn(fixed, "two_batches", 11))
    had, has = figure_by_round(olds, "sql"), figure_by_round(news, "sql")
    for whose, bare in (("the fixed commit's", theirs), ("its own", own)):
        bare_ms = median(figure_by_round(bare, "ms"))
        note = f"{bare[0]['statements']:.1f} statements; {median(has):.2f} ms against {bare_ms:.2f}"
        yield row_of_medians(f"SQL of a mail : {whose} statements by bare psycopg in two batches",
                  ratios_by_round(has, figure_by_round(bare, "ms")), 1.6, "<=",
                  fixed=ratios_by_round(had, figure_by_round(theirs, "ms")),
                  note=note)  # fmt: skip


def measure_pictures(fixed: Tree) -> Iterator[Row]:
    """Pictures of new positions of all games."""
    width, found = HERE.picture_width(), [(_mean_picture_times(fixed), _mean_picture_times(HERE)) for _ in range(3)]
    olds, news = ([one[0] / one[1] for one in some] for some in zip(*found, strict=True))
    note = f"{width} px, {found[-1][1][2]:.1f} KB; {found[-1][1][0]:.1f} ms"
    yield row_of_medians("picture, in additions", news, _goal_for_width(width, 3.5, 2.5), "<=", fixed=olds, note=note)


def _mean_picture_times(tree: Tree) -> tuple[float, float, float]:
    """Returns the means of the games: a picture's time, the additions', in milliseconds, and a picture's kilobytes."""
    (mean,) = (
        line.split() for line in tree.run_python("-m", "benchmarks.pictures").splitlines() if line.startswith("mean")
    )
    return float(mean[3]), float(mean[5]), float(mean[8])


def measure_moves(fixed: Tree) -> Iterator[Row]:
    """Moves over HTTP, and what bare psycopg makes of the statements that 11c4cf5b sends for them."""
    with run_subject(fixed, "bare") as bare, run_subject(fixed, "moves") as old, run_subject(HERE, "moves") as new:
        rounds = [
            (
                bare.measure_round(batched=True)["rate"],
                old.measure_round(seconds=4)["rate"],
                new.measure_round(seconds=4)["rate"],
            )
            for _ in range(5)
        ]
    most, had, has = (list(some) for some in zip(*rounds[1:], strict=True))
    note = f"{median(has):.0f}/s against {median(most):.0f}; the fixed commit {median(had):.0f}"
    what = "move rate : bare psycopg sending 11c4cf5b's statements in two batches"
    yield row_of_medians(what, ratios_by_round(has, most), 0.6, ">=", fixed=ratios_by_round(had, most), note=note)


def measure_whole_turns(fixed: Tree) -> Iterator[Row]:
    """Whole turns: the CPU time of web, worker and PostgreSQL together."""
    with run_subject(fixed, "turns") as old, run_subject(HERE, "turns") as new:
        pairs = [(old.measure_round(seconds=12), new.measure_round(seconds=12)) for _ in range(3)]
    olds, news = (list(some) for some in zip(*pairs, strict=True))
    parts = (f"{name} {median(figure_by_round(news, name)):.1f} : {median(figure_by_round(olds, name)):.1f}"
             for name in ("web", "worker", "PostgreSQL"))  # fmt: skip
    goal = _goal_for_width(HERE.picture_width(), 0.65, 0.58)
    yield row_of_medians("whole turn (move, mail, page), CPU : the fixed commit",
              ratios_by_round(figure_by_round(news, "ms"), figure_by_round(olds, "ms")),
              goal, "<=", fixed=[1.0], note=f"{', '.join(parts)} ms")  # fmt: skip


def measure_start(fixed: Tree) -> Iterator[Row]:
    """`pbem run` in an empty folder, by the clock; and what it holds in memory a minute later."""
    olds, news = measure_in_turn(fixed, "start", 5, first={"memory": False}, memory=False)
    note = f"{median(figure_by_round(news, 's')):.2f} s against {median(figure_by_round(olds, 's')):.2f}"
    yield row_of_medians("`pbem run` to its first page, in additions",
              [1000 * one for one in figure_by_round(news, "s", "additions")], 600,
              "<=", fixed=[1000 * one for one in figure_by_round(olds, "s", "additions")], note=note)  # fmt: skip
    (old,), (new,) = measure_in_turn(fixed, "start", 1, memory=True)
    yield row_of_medians(
        "`pbem run`, memory of all its processes (PSS)", [new["mb"]], 210, "<=", unit="MB", fixed=[old["mb"]]
    )


def measure_moves_beside_waiting(fixed: Tree) -> Iterator[Row]:
    """Moves beside waiting clients, in this tree alone."""
    with machine() as ready:
        for found in waiting.measure_moves_beside_waiting(ready, 8):
            yield replace(found, what=f"{found.what.strip()}, one web process")


def rules(fixed: Tree) -> Iterator[Row]:
    """Decisions of random matches; of each game the number of seats at which it gained least."""
    rounds = [(_decisions(fixed), _decisions(HERE)) for _ in range(5)]
    games: dict[str, list[tuple[float, str, list[float]]]] = {}
    for name in rounds[0][0]:
        found = [new[name] / old[name] for old, new in rounds]
        games.setdefault(name.split(",")[0], []).append((median(found), name, found))
    (chess,) = (slug for slug in games if slug.startswith("python-chess"))
    moves = median(new[chess] for _, new in rounds)
    for slug, some in games.items():
        if slug != chess:
            _, name, found = min(some)
            note = f"{median(new[name] for _, new in rounds):,.0f}/s; python-chess {moves:,.0f}/s"
            yield row_of_medians(
                f"random decisions a second, {name} : the fixed commit", found, 1, ">=", fixed=[1.0], note=note
            )


def _decisions(tree: Tree) -> Mapping[str, float]:
    """Returns the decisions a second of CPU, by game and seats, and the moves of python-chess."""
    said = json.loads(tree.run_python("-m", "benchmarks.rules", "--json", "--seconds", "0.3", "--rounds", "2"))
    return {one["name"]: one["decisions"] for one in said}


ROWS: Mapping[str, Callable[[Tree], Iterator[Row]]] = {
    "page": measure_cold_pages, "mail": measure_turn_mails, "picture": measure_pictures, "move": measure_moves, "turn":
    measure_whole_turns, "start": measure_start, "waiting": measure_moves_beside_waiting, "rules": rules,
}  # fmt: skip
