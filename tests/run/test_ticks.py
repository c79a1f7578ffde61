"""What a web process does when nothing happens, and that it ends at once when it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from pbem.run import server
from pbem.run.gateway import Gateway
from pbem.run.server import Server, Shares
from tests.harness.waiting import SECONDS

FOREVER_S, AWHILE_S = 3600.0, 0.35
"""Of the ticks of uvicorn's own, several would come until the signal does."""


class Counted(Server):
    """A server that counts its ticks; a signal from outside comes a while after one of them."""

    ticks = 0
    last = 1

    async def on_tick(self, counter: int) -> bool:
        self.ticks += 1
        if self.ticks == self.last:
            threading.Timer(AWHILE_S, os.kill, (os.getpid(), signal.SIGTERM)).start()
        return await super().on_tick(counter)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    handled = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn passes its signals on
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made
    signal.signal(signal.SIGTERM, handled)


def ticks_of_web(listener: socket.socket, processes: int, last: int, loop: str) -> int:
    """Returns how often one of this many processes has ticked by its end: the signal comes after its `last` tick."""
    gateway = Gateway(lambda _environ, _start: [], 1, 100)
    settings = uvicorn.Config(gateway, loop=loop, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    serving = Counted(settings, gateway, listener, Shares(processes), 0)
    serving.last = last
    with asyncio.Runner(loop_factory=settings.get_loop_factory()) as runner:
        runner.run(asyncio.wait_for(serving.serve(), SECONDS))
    return serving.ticks


@pytest.mark.parametrize("mode", server.LOOPS)
def test_the_only_web_process_ticks_rarely_and_a_signal_ends_its_wait(
    listener: socket.socket, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ALONE_S", FOREVER_S)
    assert ticks_of_web(listener, 1, 1, server.LOOPS[mode]) == 2


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", server.LOOPS)
def test_web_processes_tick_twice_as_often_as_their_shares_go_stale(
    listener: socket.socket, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ALONE_S", FOREVER_S)
    assert ticks_of_web(listener, 2, 3, server.LOOPS[mode]) >= 4
    assert server.TICK_S < server.FRESH_S / 2
