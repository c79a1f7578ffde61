"""Measures and prints: `python -m benchmarks.scale [--sizes N ...] [--minutes M] [--folder F]`."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scale import archives, filled, paths
from benchmarks.service import endless
from benchmarks.service.machine import machine
from benchmarks.service.report import Row, table_of_rows

SIZES = (1_000, 100_000)
SETTINGS = {
    "shared_buffers": "1GB", "max_wal_size": "4GB", "jit": "off", "random_page_cost": "1.1", "wal_compression": "on",
    "checkpoint_timeout": "30min",
}  # fmt: skip
"""Those that docs/scaling.md advises."""


def main(words: Sequence[str] | None = None) -> None:
    """Fills databases of these sizes, measures them, and prints the table. Exits with 1 when a bar is not met."""
    parser = argparse.ArgumentParser(description="Measures the service with many matches.")
    parser.add_argument(
        "--sizes", nargs="+", type=int, default=SIZES, metavar="N",
        help="open matches, smallest first; there are ten times as many in all",
    )  # fmt: skip
    parser.add_argument("--minutes", type=float, default=10, help="how long each size is measured")
    parser.add_argument("--folder", type=Path, help="where the databases lie, and stay for the next run")
    parser.add_argument(
        "--only", choices=("fill", "paths", "archives"), help="just fill the databases, or half of the rows"
    )
    args = parser.parse_args(words)
    if [*args.sizes] != sorted({*args.sizes}) or args.sizes[0] < 1:
        parser.error("sizes grow: the first is what the others are compared with")
    rows: list[Row] = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pbem-scale-", dir="/var/tmp") as spare, endless.register_endless_game():
        folder = args.folder or Path(spare)
        with machine(folder, **filled.LOADING) as ready:
            databases = [*filled.yield_databases(ready, args.sizes)]
            ready.database.stop()  # in order: its next start has nothing to recover
        if args.only != "fill":
            with machine(folder, **SETTINGS) as ready:
                if args.only != "archives":
                    rows += paths.measure_databases(ready, databases, args.minutes)
                if args.only != "paths":
                    rows += archives.measure_archives(ready)
    load = os.getloadavg()[0]
    sys.stdout.write(
        f"{table_of_rows(rows)}\nload {load:.1f}, {os.cpu_count()} cores, {time.monotonic() - start:.0f} s\n"
    )
    sys.exit(0 if all(row.is_met for row in rows) else 1)


if __name__ == "__main__":
    main()
