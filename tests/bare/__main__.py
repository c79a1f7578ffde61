"""Does what README.md says on a minimal Debian: `make test-bare`.

Debian 12 and 13 are made with Debian's own packages, nothing more in them than Python, its venv, `make` and the
certificates, and kept in build/bare/. In each, somebody with this working copy runs `make run` and `make test`, plays
a turn from its mail, and meets what newcomers meet (`newcomer.py` has the steps). Ubuntu 24.04 and macOS are not run
here: `make test-pythons` has the Python of the one, `make test-wheels` looks up the packages of the other.

    make test-bare ARGS="--releases trixie"             one of them
    make test-bare ARGS="--tests tests/kit"             other words for `make test ARGS=…`; the default is all of them
    make test-bare ARGS="--no-tests"                    without `make test`, which takes minutes in each

It exits with 0 if all steps pass; where such a system cannot be made, it says why, and fails.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.bare.debian import RELEASES, USER, Away, Debian, check_machine, pack_system, unpack_system
from tests.bare.newcomer import STEPS

NEWCOMER = Path(__file__).with_name("newcomer.py").read_bytes()
FOLDER = f"/home/{USER}/pbem"
ODD = "/root/Spiele für Zwölf/pbem main"


@dataclass(frozen=True)
class Step:
    """One step of `newcomer.py`: who does it where, and what the machine denies meanwhile."""

    name: str
    folder: str = FOLDER
    user: str = USER
    network: bool = True
    read_only: bool = False


TAKEN = (
    Step("read_only_and_new", read_only=True),
    Step("without_network", network=False),
    Step("first"),
    Step("again", network=False),
    Step("read_only", read_only=True),
    Step("elsewhere"),
    Step("homeless"),
    Step("here", ODD, "root"),
    Step("again", ODD, "root", network=False),
)


def take_step(debian: Debian, step: Step, *words: str) -> None:
    """Takes a step, and prints what it was and how long it took. Raises SystemExit if it fails."""
    began = monotonic()
    said = " ".join((STEPS[step.name].__doc__ or "").split())
    where = f"{step.user} in {step.folder}{'' if step.network else ', without network'}"
    debian.root.joinpath("newcomer.py").write_bytes(NEWCOMER)
    argv = ("python3", "/newcomer.py", step.name, step.folder, *words)
    held = debian.do(step.user, *argv, network=step.network, read_only=step.folder if step.read_only else "")
    print(f"{'ok   ' if held else 'FAILED'} {monotonic() - began:6.1f} s  {said} ({where})", flush=True)  # noqa: T201
    if not held:
        sys.exit(1)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="make test-bare", description=__doc__.split("\n")[0])
    parser.add_argument("--releases", nargs="+", choices=RELEASES, default=list(RELEASES))
    parser.add_argument("--tests", default="", metavar="WORDS", help="what `make test ARGS=…` runs")
    parser.add_argument("--no-tests", action="store_true", help="leave `make test` out")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    asked = parser.parse_args()
    try:
        check_machine()
        archives = [pack_system(release) for release in asked.releases]
    except Away as away:
        sys.exit(f"make test-bare: {away}")
    for archive in archives:
        with unpack_system(archive) as debian:
            debian.do("root", "sh", "-c", 'echo; . /etc/os-release; echo "== $PRETTY_NAME, $(python3 --version)"')
            debian.put(FOLDER, USER)
            debian.put(ODD, "root")
            for step in TAKEN:
                if step.name in asked.steps:
                    take_step(debian, step)
            if not asked.no_tests and "suite" in asked.steps:
                take_step(debian, Step("suite"), asked.tests)


if __name__ == "__main__":
    main()
