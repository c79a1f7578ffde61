"""Measures this tree beside the fixed commit: `python -m benchmarks.ratio [ROW ...]`."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ratio.rows import ROWS
from benchmarks.ratio.trees import COMMIT, MissingTree, older_tree
from benchmarks.service.report import Row, markdown_of_rows


def main(words: Sequence[str] | None = None) -> None:
    """Measures the rows that are named, or all, and prints the table.

    Exits with 1 if a goal is missed, with 2 if the tree of the fixed commit cannot be had.
    """
    parser = argparse.ArgumentParser(description=f"Measures this tree beside {COMMIT}, in turn.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"only these: {', '.join(ROWS)}")
    parser.add_argument("--beside", type=Path, help=f"a folder with {COMMIT} and its .venv, in place of the worktree")
    args = parser.parse_args(words)
    if unknown := set(args.rows) - set(ROWS):
        parser.error(f"there is no row {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    try:
        fixed = older_tree(args.beside)
    except MissingTree as missing:
        sys.stderr.write(f"{missing}\n")
        sys.exit(2)
    rows: list[tuple[str, Row]] = []
    begun = time.monotonic()
    try:
        for name in args.rows or ROWS:
            sys.stderr.write(f"{name} …\n")
            rows += [(f"bench-ratio ARGS={name}", row) for row in ROWS[name](fixed)]
    finally:  # what was measured is not lost with a row that fails
        spent = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {time.monotonic() - begun:.0f} s"
        sys.stdout.write(f"{markdown_of_rows(rows, COMMIT)}\n\n{spent}\n")
    sys.exit(0 if all(row.is_met for _, row in rows) else 1)


if __name__ == "__main__":
    main()
