"""What a web process does when nothing happens, and that it ends at once when it is told to."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator

import pytest
import uvicorn

from pbem.run import server
from pbem.run.gateway import Gateway
from pbem.run.server import Server, Shares
from tests.harness.waiting import SECONDS

FOREVER_S = 3600.0


class Counted(Server):
    """A server that counts its ticks, and gets a signal soon after one of them."""

    ticks = 0
    last = 1

    async def on_tick(self, counter: int) -> bool:
        self.ticks += 1
        if self.ticks == self.last:
            asyncio.get_running_loop().call_later(0.1, signal.raise_signal, signal.SIGTERM)
        return await super().on_tick(counter)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    handled = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn passes its signals on
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made
    signal.signal(signal.SIGTERM, handled)


def serve(listener: socket.socket, processes: int, last: int) -> int:
    """Returns how often one of so many processes has ticked by its end: the signal comes soon after its `last` tick."""
    gateway = Gateway(lambda _environ, _start: [], 1, 100)
    settings = uvicorn.Config(gateway, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    serving = Counted(settings, gateway, listener, Shares(processes), 0)
    serving.last = last
    asyncio.run(asyncio.wait_for(serving.serve(), SECONDS))
    return serving.ticks


def test_the_only_process_waits_long_and_a_signal_ends_the_wait(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ALONE_S", FOREVER_S)
    assert serve(listener, 1, last=1) == 2


def test_one_of_several_ticks_often_enough_for_the_others_to_count_on_it(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ALONE_S", FOREVER_S)
    assert serve(listener, 2, last=3) >= 4
    assert server.TICK_S < server.FRESH_S / 2
