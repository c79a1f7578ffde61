"""Measures and prints: `python -m benchmarks.scale [--sizes N ...]`."""

import argparse
import os
import sys
import time
from collections.abc import Sequence

from benchmarks.scale import archives, filled, paths
from benchmarks.service import endless
from benchmarks.service.machine import machine
from benchmarks.service.report import Row, table

SIZES = (1_000, 10_000, 100_000)


def main(words: Sequence[str] | None = None) -> None:
    """Measures databases of these sizes, and prints the table. Exits with 1 when a bar is not met."""
    parser = argparse.ArgumentParser(description="Measures the service with many open matches.")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N", help="open matches, smallest first")
    parser.add_argument("--only", choices=("paths", "archives"), help="one half of the rows")
    args = parser.parse_args(words)
    if [*args.sizes] != sorted({*args.sizes}) or args.sizes[0] < 1:
        parser.error("sizes grow: the first is what the others are compared with")
    rows: list[Row] = []
    start = time.monotonic()
    with endless.make_known(), machine() as ready:
        template = filled.shapes(ready)
        databases = []
        for size in args.sizes if args.only != "archives" else args.sizes[:1]:
            begun = time.monotonic()
            databases.append(filled.fill(ready, template, size))
            sys.stderr.write(f"{size:,} open matches: {time.monotonic() - begun:.0f} s to fill\n")
        if args.only != "archives":
            rows += paths.rows(ready, databases)
        if args.only != "paths":
            rows += archives.rows(ready, databases[0])
    load = os.getloadavg()[0]
    sys.stdout.write(f"{table(rows)}\nload {load:.1f}, {os.cpu_count()} cores, {time.monotonic() - start:.0f} s\n")
    sys.exit(0 if all(row.is_met for row in rows) else 1)


if __name__ == "__main__":
    main()
