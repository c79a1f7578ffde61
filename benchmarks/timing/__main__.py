"""Measures what the time of an answer tells about others: `python -m benchmarks.timing [EXPERIMENT ...]`.

The classes of an experiment differ in something that the one who waits for the answer must not learn. They are measured
in alternation, by a site in a process of its own on each database. The figure is the AUC of the single time that is
seen: how often a time of one class is longer than one of the other, or shorter, whichever is more. 0.5 is blind
guessing.

With `--beside TREE` an earlier tree is measured in the same minutes, in alternation too, to show that the benchmark
finds what there is: `git worktree add --detach FOLDER COMMIT`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.servers import postgres_server

HERE = Path(__file__).resolve().parents[2]
MOST = 0.52
SHOWS = 0.9


@dataclass(frozen=True)
class Experiment:
    """What is measured, its classes, and how many samples there are beside those of the slowest ones."""

    says: str
    classes: tuple[str, ...]
    times: int = 1
    by: str = ""
    """The sample that it comes from, if that has another name."""


EXPERIMENTS = {
    "opened": Experiment("announcing, where so many rivals have left orders", ("0", "1", "2"), by="window"),
    "answered": Experiment(
        "answering in a window that so many others have answered by order", ("0", "1", "2"), by="window"
    ),
    "after_hands": Experiment("answering in a window that so many others have answered by hand", ("0", "1", "2")),
    "saved": Experiment("saving orders, where so many others have left some", ("0", "1", "2"), by="save_orders"),
    "closed": Experiment(
        "how far from a tick a window closes: at its floor, after a late answer", ("floor", "late"), by="close_window"
    ),
    "links": Experiment("sending links to an address: unknown, known", ("unknown", "known"), 3),
    "signup": Experiment("signing up with an address: unknown, known", ("unknown", "known"), 3),
}


def area_under_curve(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns how often a value of the one sample is greater than one of the other, or smaller, whichever is more.

    Of equal values each is half of the time.

    >>> area_under_curve([1, 2], [3, 4]), area_under_curve([3, 4], [1, 2]), area_under_curve([1, 2], [1, 2])
    (1.0, 1.0, 0.5)
    """
    tagged = sorted([(value, 0) for value in one] + [(value, 1) for value in other])
    wins, below = 0.0, 0
    for _, tied in itertools.groupby(tagged, key=lambda pair: pair[0]):
        sides = [side for _, side in tied]
        here = sides.count(0)
        wins += (len(sides) - here) * (below + here / 2)
        below += here
    share = wins / (len(one) * len(other))
    return max(share, 1 - share)


@dataclass
class Subject:
    """A process that measures, and what it has measured: experiment, class → times in seconds."""

    tree: str
    database: str
    process: subprocess.Popen[str]
    found: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))

    def take_sample(self, name: str, number: int) -> None:
        """Takes one sample. Raises RuntimeError if the process has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{name} {number}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.tree} on {self.database} has ended at {name} {number}")
        for what, figure in json.loads(line).items():
            self.found[what, number].append(figure)


@contextmanager
def run_subjects(trees: dict[str, Path], databases: Sequence[str]) -> Iterator[list[Subject]]:
    """Runs a process for each tree on each database during the block."""
    with ExitStack() as stack:
        made: list[Subject] = []
        server = stack.enter_context(postgres_server()) if "postgresql" in databases else None
        for (name, tree), database in itertools.product(trees.items(), databases):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            url = f"sqlite:///{folder}/pbem.db"
            if database == "postgresql":
                assert server is not None
                url = server.url(server.create())
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("subject.py")), url, folder],
                cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
            stack.callback(process.wait)
            assert process.stdin is not None
            stack.callback(process.stdin.close)
            made.append(Subject(name, database, process))
        yield made


def measure_classes(asked: Sequence[Subject], names: Sequence[str], samples: int) -> None:
    """Takes this many samples of each class, or more of what is quickly measured, in alternation."""
    order, start = random.Random(1), time.monotonic()
    taken = {EXPERIMENTS[name].by or name: EXPERIMENTS[name] for name in names}
    for number in range(samples):
        for name, experiment in taken.items():
            classes = [*range(len(experiment.classes))] * experiment.times
            order.shuffle(classes)
            for one, subject in itertools.product(classes, order.sample([*asked], len(asked))):
                subject.take_sample(name, one)
        if number % 50 == 49:
            sys.stderr.write(f"{number + 1} of {samples}, {time.monotonic() - start:.0f} s\n")


@dataclass(frozen=True)
class Row:
    """A pair of classes of an experiment on one database: the AUC here, and in the earlier tree."""

    name: str
    database: str
    pair: str
    samples: int
    """Of each class, at least, in each tree."""
    here: float
    beside: float | None


def rows_of_figures(asked: Sequence[Subject], names: Sequence[str]) -> Iterator[Row]:
    """Yields the figures of each pair of classes."""
    found = {(one.tree, one.database): one.found for one in asked}
    for name, database in itertools.product(names, dict.fromkeys(one.database for one in asked)):
        for a, b in itertools.combinations(range(len(EXPERIMENTS[name].classes)), 2):
            measured = [found[tree, database] for tree in ("here", "beside") if (tree, database) in found]
            both = [area_under_curve(times[name, a], times[name, b]) for times in measured]
            least = min(len(times[name, one]) for times in measured for one in (a, b))
            pair = " / ".join(EXPERIMENTS[name].classes[one] for one in (a, b))
            yield Row(name, database, pair, least, both[0], both[1] if len(both) > 1 else None)


def main(words: Sequence[str] | None = None) -> None:
    """Measures and prints the table. Exits with 1 if a figure is above the bar, or the earlier tree shows nothing."""
    parser = argparse.ArgumentParser(description="Measures what the time of an answer tells about others.")
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help=f"only these: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--samples", type=int, default=2000, help="of each class (default: %(default)s)")
    parser.add_argument("--beside", type=Path, help="the folder of an earlier tree")
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    args = parser.parse_args(words)
    names = args.names or [*EXPERIMENTS]
    if unknown := {*names} - {*EXPERIMENTS}:
        parser.error(f"there is no experiment {', '.join(sorted(unknown))}")
    databases = ("sqlite", "postgresql") if args.database == "both" else (args.database,)
    trees = {"here": HERE} | ({"beside": args.beside.resolve()} if args.beside else {})
    with run_subjects(trees, databases) as asked:
        try:
            measure_classes(asked, names, args.samples)
        finally:
            done = [*rows_of_figures(asked, names)]
            sys.stdout.write(table_of_figures(done))
    shows = [row.beside for row in done if row.beside is not None]
    sys.exit(0 if all(row.here <= MOST for row in done) and (not shows or max(shows) >= SHOWS) else 1)


def table_of_figures(found: Sequence[Row]) -> str:
    """Returns the figures as a table."""
    lines = ["| what is seen | database | classes | samples a class | AUC | beside |", "|---|---|---|---|---|---|"]
    for row in found:
        experiment = EXPERIMENTS[row.name]
        beside = f"{row.beside:.3f}" if row.beside is not None else ""
        lines.append(
            f"| {experiment.says} | {row.database} | {row.pair} | {row.samples:,} | {row.here:.3f} | {beside} |"
        )  # fmt: skip
    return "\n".join([*lines, f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", ""])


if __name__ == "__main__":
    main()
