"""Two web processes share the connections that come at once: each takes as many as it has threads."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.production.topology import wait_until

ROOT = Path(__file__).parent.parent
THREADS = 4
HOLD_S = 0.5


def slow(_environ: dict[str, Any], start: Callable[[str, list[tuple[str, str]]], object]) -> Iterable[bytes]:
    """Answers after a while, with the number of the process that did."""
    time.sleep(HOLD_S)
    body = str(os.getpid()).encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def test_connections_that_come_at_once_are_shared_and_kept() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        command = [
            sys.executable, "-m", "gunicorn", "--no-control-socket", "--workers", "2", "--threads", str(THREADS),
            "--worker-class", "pbem.fairness.FairThreadWorker",
            "--bind", f"fd://{listener.fileno()}", "tests.test_fairness:slow",
        ]  # fmt: skip
        server = subprocess.Popen(command, cwd=ROOT, pass_fds=[listener.fileno()])
        try:
            wait_until(lambda: len(set(_asked(listener, 2 * THREADS, 1)[0])) == 2, "both processes answer", 20)
            for answers in _asked(listener, 2 * THREADS, 2):
                assert sorted(Counter(answers).values()) == [THREADS, THREADS], answers
        finally:
            server.terminate()
            server.wait(10)


def _asked(listener: socket.socket, count: int, times: int) -> list[list[bytes]]:
    """Who answered on so many connections, asked at once and again on the same."""
    host, port = listener.getsockname()
    lines = [HTTPConnection(host, port, timeout=10) for _ in range(count)]
    rounds = []
    for _ in range(times):
        for line in lines:
            line.request("GET", "/")
        rounds.append([line.getresponse().read() for line in lines])
    for line in lines:
        line.close()
    return rounds
