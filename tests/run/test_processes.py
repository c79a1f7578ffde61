"""The processes of a web: connections are shared, dead processes replaced, and a stop answers all open requests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pbem.config import THREADS, Config
from pbem.run.listening import listening_socket
from pbem.run.server import LEAVE_S
from tests.harness.servers import PostgresServer
from tests.harness.waiting import wait_until
from tests.production.sink import free_port
from tests.production.topology import ROOT, SECRET
from tests.run.webs import HALF_HEAD, Web, environment_of_web, open_connections, read_all, run_web


def child_processes(pid: int) -> list[int]:
    """The processes that this one has started and that are alive."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(OSError):
            if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                found.append(int(child))
    return found


def is_alive(pid: int) -> bool:
    """True if there is such a process and it has not ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.fixture
def own(mode: str, database: str, redis_apart: str, tmp_path: Path) -> Iterator[Web]:
    """A web of this test alone, in two processes where the mode has several."""
    with run_web(mode, tmp_path, database, redis_apart, WEB_CONCURRENCY="2") as started:
        yield started


@pytest.fixture
def two(postgres_migrated: str, postgres: PostgresServer, redis_apart: str, tmp_path: Path) -> Iterator[Web]:
    """A web in two processes, separate for each test: one test ends it."""
    name = postgres.create(postgres_migrated)
    url = postgres.url(name).replace("postgresql+psycopg:", "postgresql:")
    with run_web("production", tmp_path, url, redis_apart, WEB_CONCURRENCY="2") as started:
        yield started
    postgres.drop(name)


def requests_begun(folder: Path) -> int:
    """Returns the number of requests to /test/held that are being answered."""
    return len(list(folder.glob("begun*")))


@pytest.mark.long
def test_a_stopping_server_answers_begun_requests_and_takes_no_new_ones(own: Web, folder: Path) -> None:
    with ThreadPoolExecutor(2) as pool, open_connections(own, 5, HALF_HEAD) as lines:
        held = pool.submit(own.get, f"/test/held?folder={folder}")
        waits = pool.submit(own.get, f"/test/waits?folder={folder}")
        wait_until(lambda: requests_begun(folder) and (folder / "waits").exists(), "both have begun")
        own.process.send_signal(signal.SIGTERM)
        wait_until(own.refuses, "nothing new is taken")
        assert waits.result(30) == (200, b"True"), "who waits is let go"
        assert {read_all(line) for line in lines} == {b""}, "who has sent half a request, too"
        assert own.process.poll() is None
        (folder / "go").touch()
        assert held.result(30)[0] == 200
        assert own.process.wait(30) == 0, own.log.read_text()
    assert "Traceback" not in own.log.read_text()


@pytest.mark.long
def test_a_process_takes_a_connection_only_while_it_has_a_thread_for_it(two: Web, folder: Path) -> None:
    with ThreadPoolExecutor(2 * THREADS) as pool:
        answers = []
        for number in range(2 * THREADS):
            answers.append(pool.submit(two.get, f"/test/held?folder={folder}"))
            wait_until(lambda: requests_begun(folder) > number, f"request {number} is being answered")  # noqa: B023
        (folder / "go").touch()
        assert sorted(Counter(answer.result(30)[1] for answer in answers).values()) == [THREADS, THREADS]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["embedded", pytest.param("production", marks=pytest.mark.long)], indirect=True)
def test_an_empty_number_of_processes_counts_as_unset(
    mode: str, database: str, redis_apart: str, tmp_path: Path
) -> None:
    with run_web(mode, tmp_path, database, redis_apart, WEB_CONCURRENCY="") as started:
        assert started.get("/healthz") == (200, b"ok")


def test_a_killed_process_is_replaced_and_none_outlives_its_parent(two: Web) -> None:
    first = child_processes(two.process.pid)
    assert len(first) == 2
    for pid in first:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(child_processes(two.process.pid)) == 2, "there are two again")
    wait_until(two.answers, "it answers again")
    assert not set(first) & set(child_processes(two.process.pid))
    assert two.log.read_text().count('"web.process_ended"') == 2
    second = child_processes(two.process.pid)
    two.process.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in second), "they have ended")
    assert two.refuses()


def test_connections_of_the_web_server_have_tcp_nodelay(tmp_path: Path) -> None:
    config = Config(mode="embedded", data=tmp_path, port=free_port(), database_url="sqlite://", secret=SECRET)
    with listening_socket(config) as listener, socket.create_connection(listener.getsockname()):
        listener.setblocking(True)
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "status"), [("embedded", 3), pytest.param("production", 1, marks=pytest.mark.long)])
def test_a_web_that_cannot_load_its_application_ends_and_says_why(
    mode: str, status: int, sqlite_url: str, redis_apart: str, tmp_path: Path
) -> None:
    url = sqlite_url if mode == "embedded" else "postgresql://pbem@127.0.0.1:9/pbem"
    environ = environment_of_web(mode, tmp_path, free_port(), url, redis_apart)
    argv = [sys.executable, "-m", "pbem.run.server", "tests.run.application:none"]
    ended = subprocess.run(argv, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == status
    assert "has no attribute 'none'" in ended.stdout + ended.stderr


def test_wrong_settings_are_all_named_before_a_process_is_started() -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ |= {"PBEM_MODE": "production", "WEB_CONCURRENCY": "many", "PORT": "0"}
    argv = [sys.executable, "-m", "pbem.run.server"]
    ended = subprocess.run(argv, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    for name in ("PORT", "WEB_CONCURRENCY", "PBEM_URL", "DATABASE_URL"):
        assert f"* {name}" in ended.stderr


OPEN = 16


def pid_of(line: socket.socket) -> int:
    """Returns the process that answers on this connection, which stays open."""
    line.sendall(b"GET /test/asked HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with line.makefile("rb") as answer:
        length = next(int(head.split(b":")[1]) for head in answer if head.lower().startswith(b"content-length:"))
        while answer.readline().strip():
            pass
        return int(json.loads(answer.read(length))["pid"])


def connections_by_process(web: Web) -> Counter[int]:
    """Returns how many of some connections that stay open each process has."""
    with open_connections(web, OPEN, b"") as lines:
        return Counter(pid_of(line) for line in lines)


@pytest.mark.long
def test_connections_that_stay_open_are_shared_evenly(two: Web) -> None:
    wait_until(lambda: len(connections_by_process(two)) == 2, "the second process has begun, too")
    found = connections_by_process(two)
    assert len(found) == 2, "the system wakes the same process again and again"
    assert min(found.values()) >= OPEN // 4, found


@pytest.mark.long
def test_the_replacement_of_a_killed_web_process_takes_connections(two: Web) -> None:
    wait_until(lambda: len(connections_by_process(two)) == 2, "both take connections")
    killed = child_processes(two.process.pid)[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(
        lambda: len(found := connections_by_process(two)) == 2 and killed not in found,
        "its replacement takes connections",
    )


@pytest.mark.long
def test_a_process_that_hangs_keeps_no_connection_waiting(two: Web) -> None:
    wait_until(lambda: len(connections_by_process(two)) == 2, "both take connections")
    hung, many = child_processes(two.process.pid)[0], 16 * OPEN
    os.kill(hung, signal.SIGSTOP)
    try:
        wait_until(lambda: sum(connections_by_process(two).values()) == OPEN, "the other takes them")
        begun = time.monotonic()
        with open_connections(two, many, b"") as lines:
            assert [pid_of(line) for line in lines].count(hung) == 0
        assert time.monotonic() - begun < many * LEAVE_S, "each would have been left to it for a moment"
    finally:
        os.kill(hung, signal.SIGCONT)
