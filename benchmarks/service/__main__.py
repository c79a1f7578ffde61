"""Measures and prints: `python -m benchmarks.service [ROW ...]`."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.service import (
    clockwork,
    embedded,
    endless,
    following,
    incoming,
    mails,
    moves,
    pages,
    turns,
    waiting,
)  # fmt: skip
from benchmarks.service.machine import Machine, machine
from benchmarks.service.report import Row, table_of_rows

ROWS: Mapping[str, Callable[[Machine, float], Iterator[Row]]] = {
    "turns": turns.rows,
    "moves": moves.measure_moves_at_once,
    "alone": moves.measure_moves_alone,
    "late": moves.measure_late_moves,
    "orders": following.measure_cost_of_orders,
    "following": following.measure_following,
    "sweep": clockwork.measure_sweeps,
    "mails": mails.measure_mails,
    "inbox": incoming.measure_incoming_mail,
    "pages": pages.measure_seat_pages,
    "waiting": waiting.measure_waiting,
    "embedded": embedded.rows,
}


def main(words: Sequence[str] | None = None) -> None:
    """Measures the rows that are named, or all, and prints the table. Exits with 1 when a bar is not met."""
    parser = argparse.ArgumentParser(description="Measures the service beside its bars.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"only these: {', '.join(ROWS)}")
    parser.add_argument("--seconds", type=float, default=8, help="how long a rate is measured")
    args = parser.parse_args(words)
    unknown = set(args.rows) - set(ROWS)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    rows: list[Row] = []
    start = time.monotonic()
    try:
        with endless.register_endless_game(), machine() as ready:
            for name in args.rows or ROWS:
                sys.stderr.write(f"{name} …\n")
                rows += ROWS[name](ready, args.seconds)
    finally:  # what was measured is not lost with a row that fails
        spent = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {time.monotonic() - start:.0f} s"
        sys.stdout.write(f"{table_of_rows(rows)}\n{spent}\n")
    sys.exit(0 if all(row.is_met for row in rows) else 1)


if __name__ == "__main__":
    main()
