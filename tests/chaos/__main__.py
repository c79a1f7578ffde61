"""`make chaos`: plays while parts fail, and reports what held. `python -m tests.chaos --minutes 3 --seed 1`."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.plan import KINDS, LASTS, plan
from tests.chaos.relay import Relay
from tests.chaos.report import Report
from tests.chaos.run import Run, Scale
from tests.production.topology import service


def carry_out(scale: Scale, folder: Path) -> Report:
    """The report of a run of this size; the logs of all processes are in the folder."""
    relay = Relay()
    # Socket paths are cut at 107 bytes.
    with (
        tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as sockets,
        service(folder, Path(sockets), relay) as made,
    ):
        made.release()
        return Run(made, relay, scale).report()


def main(words: Sequence[str] | None = None) -> None:
    """Runs, prints the report, and exits with 1 when a check fails."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3, help="how long things fail")
    parser.add_argument("--every", type=float, default=5, help="seconds from one fault to the next, on average")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="the same seed draws the same faults")
    parser.add_argument("--only", nargs="+", choices=sorted(LASTS), help="only these parts fail")
    parser.add_argument("--side-by-side", action="store_true", help="three workers, two beats, three shards")
    parser.add_argument("--keep", type=Path, help="a folder for the logs of all processes")
    args = parser.parse_args(words)
    seconds = args.minutes * 60
    sys.stderr.write(f"seed {args.seed}\n")
    kinds = [kind for kind in KINDS if kind[0] in (args.only or LASTS)]
    more = {"workers": 3, "beats": 2, "shards": 3} if args.side_by_side else {}
    scale = Scale(args.seed, seconds, tuple(plan(args.seed, seconds, args.every, kinds)), **more)
    with tempfile.TemporaryDirectory(prefix="pbem-chaos-") as spare:
        folder = args.keep or Path(spare)
        folder.mkdir(parents=True, exist_ok=True)
        report = carry_out(scale, folder)
    sys.stdout.write(f"{report}\n")
    sys.exit(0 if report.ok else 1)


if __name__ == "__main__":
    main()
