"""boardgame.io on a PostgreSQL: its packages, its server, and moves on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.service.clients import Rush
from benchmarks.service.machine import Machine, await_port, free_port, run_child

HERE = Path(__file__).parent
PLACE = HERE.parents[1] / "build" / "peer"
PINS = ("package.json", "package-lock.json")
LONGEST_S = 120


class MissingPeer(Exception):
    """boardgame.io cannot be run here; its text says what is missing."""


def install_peer() -> str:
    """Returns the program that runs JavaScript, with the pinned packages in `build/peer`. Raises MissingPeer."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise MissingPeer("boardgame.io needs node and npm; on Debian: apt-get install nodejs npm")
    PLACE.mkdir(parents=True, exist_ok=True)
    wanted = b"".join((HERE / pin).read_bytes() for pin in PINS)
    marker = PLACE / ".installed"
    if not marker.exists() or marker.read_bytes() != wanted:
        for pin in PINS:
            shutil.copy(HERE / pin, PLACE / pin)
        done = subprocess.run(
            [npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=PLACE, check=False, stdout=sys.stderr
        )
        if done.returncode:
            raise MissingPeer("npm cannot fetch boardgame.io (see above); it needs the net once")
        marker.write_bytes(wanted)
    return node


@contextmanager
def run_peer(node: str, machine: Machine) -> Iterator[int]:
    """Runs boardgame.io on a database of its own while the block runs; yields its port."""
    port, name = free_port(), machine.database.create()
    folder = str(machine.database.folder)
    database = {"PGHOST": folder, "PGDATABASE": name, "PGUSER": "postgres", "PORT": str(port)}
    environ = _node_environ() | database
    with run_child([node, str(HERE / "server.js")], environ, machine.folder / "peer.log") as process:
        await_port(port, process)
        yield port


def time_moves_of_peer(
    node: str, port: int, *, at_once: int, each: int, moves: int, warm: float, seconds: float
) -> Rush:
    """Returns how long moves took in `each` matches of this many moves, one after the other, `at_once` of them.

    Raises CalledProcessError if a move was not answered.
    """
    told = json.dumps({"atOnce": at_once, "each": each, "moves": moves, "warm": warm, "seconds": seconds})
    done = subprocess.run(
        [node, str(HERE / "client.js"), str(port), told], env=_node_environ(), check=True, stdout=subprocess.PIPE,
        timeout=LONGEST_S,
    )  # fmt: skip
    found = json.loads(done.stdout)
    took = [one / 1000 for one in found["took"]]
    return Rush(took, found["spent"], len(took))


def _node_environ() -> dict[str, str]:
    """Returns the environment of a program that finds the packages."""
    return {**os.environ, "NODE_ENV": "production", "NODE_PATH": str(PLACE / "node_modules")}
