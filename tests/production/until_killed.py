"""Runs the production topology until it is killed, as a run of tests may be.

`python -m tests.production.until_killed FOLDER SOCKETS`; a socket's path must be short.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tests.production.topology import run_service_parts


def run_until_killed(folder: Path, sockets: Path) -> None:
    """Starts all, prints the process ids of web, worker and beat in one line once each works, and waits."""
    with run_service_parts(folder, sockets) as made:
        print(*(process.popen.pid for process in made.open("web", "worker", "beat")), flush=True)  # noqa: T201 - the test reads it
        signal.pause()


if __name__ == "__main__":
    run_until_killed(*(Path(word) for word in sys.argv[1:]))
