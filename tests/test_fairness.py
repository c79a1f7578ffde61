"""Two web processes share what there is: connections, of which each takes as many as it has threads, and processors."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from pbem.processors import USABLE, place
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


def placed(_environ: dict[str, Any], start: Callable[[str, list[tuple[str, str]]], object]) -> Iterable[bytes]:
    """Answers after a while, with the number of the process that did, and the processors that it may run on."""
    time.sleep(HOLD_S)
    body = f"{os.getpid()} {sorted(os.sched_getaffinity(0))}".encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@contextmanager
def _served(application: str, processes: int, threads: int) -> Iterator[socket.socket]:
    """Web processes that answer on this listener, under the settings that are shared with production."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        command = [
            sys.executable, "-m", "gunicorn", "--config", "python:pbem.fairness", "--no-control-socket",
            "--workers", str(processes), "--threads", str(threads), "--worker-class", "pbem.fairness.FairThreadWorker",
            "--bind", f"fd://{listener.fileno()}", f"tests.test_fairness:{application}",
        ]  # fmt: skip
        server = subprocess.Popen(command, cwd=ROOT, pass_fds=[listener.fileno()])
        try:
            yield listener
        finally:
            server.terminate()
            server.wait(10)


def test_each_process_keeps_to_a_processor_of_its_own() -> None:
    own = USABLE
    with _served("placed", len(own), 1) as listener:
        wait_until(lambda: len(set(_asked(listener, len(own), 1)[0])) == len(own), "all processes answer", 20)
        places = [answer.split(b" ", 1)[1] for answer in set(_asked(listener, len(own), 1)[0])]
        assert sorted(places) == sorted(f"[{one}]".encode() for one in own)


def test_where_they_do_not_come_out_even_processes_keep_to_none() -> None:
    own = USABLE
    if len(own) == 1:
        assert place(3, own) == own[0], "on one processor everything is there anyway"
        return
    with _served("placed", len(own) + 1, 1) as listener:
        wait_until(lambda: len(set(_asked(listener, len(own) + 1, 1)[0])) == len(own) + 1, "all answer", 20)
        places = {answer.split(b" ", 1)[1] for answer in _asked(listener, len(own) + 1, 1)[0]}
        assert places == {str(list(own)).encode()}


def test_a_process_that_begins_anew_takes_the_place_that_came_free() -> None:
    assert place(4, [4, 5, 4], [4, 5]) == 5
    assert place(4, [5, 4, 5], [4, 5]) == 4
    assert place(2, [], []) is None


def test_connections_that_come_at_once_are_shared_and_kept() -> None:
    with _served("slow", 2, THREADS) as listener:
        wait_until(lambda: len(set(_asked(listener, 2 * THREADS, 1)[0])) == 2, "both processes answer", 20)
        for answers in _asked(listener, 2 * THREADS, 2):
            assert sorted(Counter(answers).values()) == [THREADS, THREADS], answers


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
