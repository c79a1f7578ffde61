"""Waiting requests on the web server of `pbem run`: they leave room for others, and none outlives the process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from pbem.config import THREADS, Config
from pbem.run.parking import EACH
from pbem.services.site import Site, open_site
from tests.harness.waiting import SECONDS, wait_until
from tests.table import House, MovedClock, Outgoing, entropy_by_count

SECRET = "s" * 48


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The site behind the server, opened directly."""
    config = Config(mode="embedded", data=tmp_path, database_url=sqlite_url, secret=SECRET)
    clock = MovedClock()
    site: Site = open_site(config, now=clock, entropy=entropy_by_count())
    yield House(site, clock, Outgoing(), [])
    site.engine.dispose()


@pytest.fixture
def server(house: House, tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port of a web server on the house's database, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ |= {"PBEM_MODE": "embedded", "PBEM_DATA": str(tmp_path), "PBEM_SECRET": SECRET, "PORT": str(port)}
    environ["DATABASE_URL"] = house.site.config.database_url
    process = subprocess.Popen([sys.executable, "-m", "pbem.run.server"], env=environ, cwd=Path(__file__).parents[3])
    wait_until(lambda: process.poll() is not None or does_server_answer(port), "the server answers")
    assert process.poll() is None, "the server runs"
    yield port, process
    process.kill()
    process.wait(SECONDS)


def does_server_answer(port: int) -> bool:
    """Whether the server answers."""
    try:
        return status_and_delay(port, "/healthz") == (200, None)
    except OSError:
        return False


def open_answer(port: int, path: str, token: str | None = None) -> HTTPResponse:
    """The start of the answer; its body has not been read."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", path, headers={"Connection": "close"} | bearer)
    return connection.getresponse()


def send_request(port: int, path: str, token: str) -> HTTPConnection:
    """A connection on which something was asked for; its answer has not been read."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    return connection


def status_and_delay(port: int, path: str, token: str | None = None) -> tuple[int, str | None]:
    """The status of a complete answer, and when to try again."""
    answer = open_answer(port, path, token)
    answer.read()
    return answer.status, answer.headers["Retry-After"]


@pytest.mark.long
def test_waiting_requests_take_no_thread_and_a_move_answers_all_of_them(
    house: House, server: tuple[int, subprocess.Popen[bytes]]
) -> None:
    port, process = server
    match_id = house.begin()
    path = f"/api/v1/matches/{match_id}/events"
    tokens = [house.token("play", match_id, seat) for seat in range(3) for _ in range(EACH // 2)]
    streams = [open_answer(port, f"{path}/stream?after=1", token) for token in tokens]
    assert [stream.readline() for stream in streams] == [b"retry: 1000\n"] * len(tokens)
    waiting = [send_request(port, f"{path}?after=1&wait=25", token) for token in tokens]
    assert len(streams) + len(waiting) > 3 * THREADS
    assert status_and_delay(port, f"{path}?after=1") == (200, None)
    house.play(match_id, 0)
    for stream in streams:
        assert [stream.readline() for _ in range(3)] == [b"\n", b"id: 2\n", b"event: entry\n"]
    assert {json.loads(one.getresponse().read())["version"] for one in waiting} == {2}

    waiting = [send_request(port, f"{path}?after=2&wait=25", token) for token in tokens]
    assert status_and_delay(port, f"{path}?after=1") == (200, None)  # they have all arrived before
    process.send_signal(signal.SIGTERM)
    assert [stream.read()[-2:] for stream in streams] == [b"\n\n"] * len(streams)
    assert {json.loads(one.getresponse().read())["version"] for one in waiting} == {2}
    assert process.wait(SECONDS) == 0


@pytest.mark.long
def test_a_client_that_disconnects_frees_its_waiting_place(
    house: House, server: tuple[int, subprocess.Popen[bytes]]
) -> None:
    port, _ = server
    match_id = house.begin()
    path = f"/api/v1/matches/{match_id}/events"
    token = house.token("play", match_id, 0)
    streams = [open_answer(port, f"{path}/stream?after=1", token) for _ in range(EACH)]
    assert status_and_delay(port, f"{path}?after=1&wait=25", token) == (200, "2")
    assert status_and_delay(port, f"{path}/stream", token) == (503, "5")
    for stream in streams:
        stream.close()
    wait_until(lambda: status_and_delay(port, f"{path}?after=1&wait=1", token) == (200, None), "their places are free")
