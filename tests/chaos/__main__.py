"""`make chaos`: plays while parts fail, and reports what held. `python -m tests.chaos --minutes 3 --seed 1`."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.chaos.plan import KINDS, OF_HOSTS, plan_faults
from tests.chaos.relay import Relay
from tests.chaos.report import Report
from tests.chaos.run import Run, Scale
from tests.chaos.town import PARTS_OF_HOSTS
from tests.production.hosts import make_host
from tests.production.topology import run_service_parts


def carry_out(scale: Scale, folder: Path) -> Report:
    """The report of a run of this size; the logs of all processes are in the folder."""
    relay = Relay()
    # Socket paths are cut at 107 bytes.
    with (
        tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as sockets,
        run_service_parts(folder, Path(sockets), relay) as made,
    ):
        made.release()
        return Run(made, relay, scale).report()


WRONG_CLOCKS = {"web host 1": -40, "worker host 1": 40}
"""The seconds by which they are ahead."""


def main(words: Sequence[str] | None = None) -> None:
    """Runs, prints the report, and exits with 1 when a check fails."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3, help="how long things fail")
    parser.add_argument("--every", type=float, default=5, help="seconds from one fault to the next, on average")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="the same seed draws the same faults")
    parser.add_argument("--only", nargs="+", choices=sorted({part for part, _ in KINDS}), help="only these parts fail")
    parser.add_argument("--side-by-side", action="store_true", help="three workers, two beats, three shards")
    parser.add_argument(
        "--hosts", action="store_true", help="two web hosts and three worker hosts; one dies each minute"
    )
    parser.add_argument("--clocks", action="store_true", help="the clocks of two of these hosts are wrong")
    parser.add_argument("--keep", type=Path, help="a folder for the logs of all processes")
    args = parser.parse_args(words)
    seconds = args.minutes * 60
    sys.stderr.write(f"seed {args.seed}\n")
    kinds = OF_HOSTS if args.hosts else [kind for kind in KINDS if kind[0] in (args.only or kind)]
    faults = tuple(plan_faults(args.seed, seconds, min(60, seconds / 3) if args.hosts else args.every, kinds))
    if args.hosts:
        faults = tuple(replace(fault, which=number * 3) for number, fault in enumerate(faults))  # each in turn
    more: dict[str, Any] = {"workers": 3, "beats": 2, "shards": 3} if args.side_by_side or args.hosts else {}
    with tempfile.TemporaryDirectory(prefix="pbem-chaos-") as spare:
        folder = args.keep or Path(spare)
        folder.mkdir(parents=True, exist_ok=True)
        if args.hosts:
            wrong = WRONG_CLOCKS if args.clocks else {}
            more["hosts"] = tuple(make_host(folder, name, wrong.get(name, 0)) for name in PARTS_OF_HOSTS)
        report = carry_out(Scale(args.seed, seconds, faults, **more), folder)
    sys.stdout.write(f"{report}\n")
    sys.exit(0 if report.ok else 1)


if __name__ == "__main__":
    main()
