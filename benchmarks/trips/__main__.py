"""Counts files, functions and hops of a REST move, a seat page and a drain of mails: `python -m benchmarks.trips`.

The match is one of Hogen with three seats on SQLite, and everything is warm; `subject` defines what is counted. With
`--beside FOLDER` the same is counted in an earlier tree, with its code and, if it has one, its `.venv`:
`git worktree add --detach FOLDER COMMIT`, and there `make .venv/.dev`. The ratio is that of this tree to the other one.
With `--list` the files of each trip follow, with the number of functions called in each. Two runs print the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Counts:
    """What was counted of a trip."""

    files: Mapping[str, int]
    """The number of functions called in each file, by its path below `pbem`."""
    hops: int

    def figures(self) -> dict[str, int]:
        """Returns the numbers of files, functions and hops, by name."""
        return {"files": len(self.files), "functions": sum(self.files.values()), "hops": self.hops}


def count_tree(tree: Path) -> dict[str, Counts]:
    """Returns what is counted in this tree, by the name of the trip. Raises CalledProcessError if it fails there."""
    own = tree / ".venv/bin/python"
    python = sys.executable if tree == HERE or not own.exists() else str(own)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [python, str(Path(__file__).with_name("subject.py")), folder],
            cwd=tree,
            check=True,
            stdout=subprocess.DEVNULL,  # its log
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},  # sets have one order in all runs
        )
        found = json.loads((Path(folder) / "counts.json").read_text())
    return {name: Counts(**counts) for name, counts in found.items()}


def table_of_counts(here: Mapping[str, Counts], beside: Mapping[str, Counts] | None = None) -> str:
    """Returns the figures as a table: of this tree, and where there is another, of that one, and their ratio."""
    lines = [f"{'':<28}{'here':>8}" + (f"{'beside':>8}{'ratio':>8}" if beside else "")]
    for trip, counts in here.items():
        for name, figure in counts.figures().items():
            line = f"{f'{trip}, {name}':<28}{figure:>8,}"
            if beside:
                other = beside[trip].figures()[name]
                line += f"{other:>8,}{figure / other:>8.2f}"
            lines.append(line)
    return "\n".join([*lines, ""])


def lines_of_files(found: Mapping[str, Counts]) -> Iterator[str]:
    """Yields for each trip its name, and a line for each of its files, most functions first."""
    for trip, counts in found.items():
        yield f"\n{trip}\n"
        yield from (
            f"{n:>8,}  {file}\n" for file, n in sorted(counts.files.items(), key=lambda item: (-item[1], item[0]))
        )


def main(words: Sequence[str] | None = None) -> None:
    """Counts, and prints the table."""
    parser = argparse.ArgumentParser(description="Counts files, functions and hops of trips through pbem.")
    parser.add_argument("--beside", type=Path, help="the folder of an earlier tree")
    parser.add_argument("--list", action="store_true", help="print the files of each trip, too")
    args = parser.parse_args(words)
    here, beside = count_tree(HERE), count_tree(args.beside.resolve()) if args.beside else None
    sys.stdout.write(table_of_counts(here, beside))
    sys.stdout.writelines(lines_of_files(here) if args.list else ())


if __name__ == "__main__":
    main()
