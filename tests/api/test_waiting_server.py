"""Those who wait, on the web server of `pbem run`: they leave room for others, and none outlives the process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from pbem.config import Config
from pbem.embedded import web_argv
from pbem.services.site import Site, open_site
from tests.table import House, MovedClock, Outgoing, counted_entropy

SECRET = "s" * 48


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The site behind the server, from the side."""
    config = Config(mode="embedded", data=tmp_path, database_url=sqlite_url, secret=SECRET)
    clock = MovedClock()
    site: Site = open_site(config, now=clock, entropy=counted_entropy())
    yield House(site, clock, Outgoing(), [])
    site.engine.dispose()


@pytest.fixture
def server(house: House, tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port of a web server on the house's database, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = Config(mode="embedded", data=tmp_path, port=port, database_url="", secret=SECRET)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ |= {"PBEM_MODE": "embedded", "PBEM_DATA": str(tmp_path), "PBEM_SECRET": SECRET, "PORT": str(port)}
    environ["DATABASE_URL"] = house.site.config.database_url
    process = subprocess.Popen([sys.executable, "-m", *web_argv(config)], env=environ, cwd=Path(__file__).parents[2])
    end = time.monotonic() + 40
    while not alive(port):
        assert time.monotonic() < end, "the server answers"
        assert process.poll() is None, "the server runs"
        time.sleep(0.05)
    yield port, process
    process.kill()
    process.wait(10)


def alive(port: int) -> bool:
    """Whether the server answers."""
    try:
        return told(port, "/healthz") == (200, None)
    except OSError:
        return False


def get(port: int, path: str, token: str | None = None) -> HTTPResponse:
    """The answer's beginning; its body has not been read."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Connection": "close"} | bearer)
    return connection.getresponse()


def told(port: int, path: str) -> tuple[int, str | None]:
    """The status of an answer that ends, and when to come again."""
    answer = get(port, path)
    answer.read()
    return answer.status, answer.headers["Retry-After"]


def wait_for(true: Callable[[], bool]) -> None:
    """Returns when it is true; fails where that takes too long."""
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_while_all_places_are_taken_everybody_else_is_answered_and_a_move_reaches_those_who_wait(
    house: House, server: tuple[int, subprocess.Popen[bytes]]
) -> None:
    port, process = server
    match_id = house.begin()
    path = f"/api/v1/matches/{match_id}/events"
    tokens = [house.token("play", match_id, seat) for seat in range(3)]
    streams = [get(port, f"{path}/stream?after=1", token) for token in tokens]
    assert [stream.readline() for stream in streams] == [b"retry: 1000\n"] * 3
    for _ in range(9):
        begun = time.monotonic()
        assert told(port, f"{path}?after=1") == (200, None)
        assert told(port, f"{path}?after=1&wait=25") == (200, "2")
        assert told(port, f"{path}/stream") == (503, "5")
        assert time.monotonic() - begun < 5
    house.play(match_id, 0)
    for stream in streams:
        assert [stream.readline() for _ in range(3)] == [b"\n", b"id: 2\n", b"event: entry\n"]

    ends = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert [stream.read()[-2:] for stream in streams] == [b"\n\n"] * 3
    assert time.monotonic() - ends < 2, "they end with the process"
    assert process.wait(10) == 0


def test_who_hangs_up_leaves_his_place_and_one_waiting_is_answered_before_the_process_ends(
    house: House, server: tuple[int, subprocess.Popen[bytes]]
) -> None:
    port, process = server
    match_id = house.begin()
    path = f"/api/v1/matches/{match_id}/events"
    tokens = [house.token("play", match_id, seat) for seat in range(3)]
    streams = [get(port, f"{path}/stream?after=1", token) for token in tokens]
    for stream in streams:
        stream.close()
    for n in range(2):  # what is written to who has gone is noticed with the second write at the latest
        house.play(match_id, n)
        time.sleep(1.2)
    answers: list[tuple[int, bytes]] = []

    def wait() -> None:
        answer = get(port, f"{path}?after=3&wait=25")
        answers.append((answer.status, answer.read().strip()))

    wait_for(lambda: told(port, f"{path}?after=3&wait=1") == (200, None))
    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    thread.join(10)
    assert answers == [(200, b'{"events":[],"game":"hogen","version":3}')]
    assert process.wait(10) == 0
