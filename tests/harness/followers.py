"""Clients that wait for news at the web server's gateway, in a time of their own that passes as soon as nothing is due.

All of it runs in one thread, so what happens at which moment is the same every time.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, TestResponse

from pbem.run.gateway import Gateway
from pbem.run.parking import Parking
from pbem.services.views import waiting

Plans = Mapping[float, Callable[[], object]]


class _Leaping(selectors.DefaultSelector):
    """A selector that does not wait: where nothing has happened, the time has passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found:
            assert timeout is not None, "nothing will ever happen"
            self.now += max(timeout, 0)
        return found


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._leaping = _Leaping()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.now


class _AtOnce(Executor):
    """Calls every function where it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done = Future[Any]()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is for who asks for the result
            done.set_exception(error)
        return done


class Followers:
    """The clients of one application, and the places where they wait."""

    def __init__(self, app: Flask, places: int = 9) -> None:
        site = app.extensions["pbem"]
        self.app = app
        self.parking = Parking(
            places, partial(waiting.find_outdated_among_known, site), partial(waiting.read_places_of_players, site)
        )
        self.parking.pool = cast(Any, _AtOnce())
        self.at = 0.0
        """How long the last answer took, in seconds."""
        self.pieces: list[tuple[float, bytes]] = []
        """The pieces of its body, and when each was sent."""

    def get(
        self, path: str, headers: Mapping[str, str], plans: Plans | None = None, *, leaves: float | None = None,
        reads: float = float("inf"), method: str = "GET",
    ) -> TestResponse:  # fmt: skip
        """Returns the answer; what is planned happens meanwhile, and a client who `leaves` gets what has been sent.

        One who `reads` no longer than that takes nothing afterwards.
        """
        asked = EnvironBuilder(path=path, method=method, headers=Headers(dict(headers)))
        # In a thread of its own: in this one, the loop of a browser may be running.
        with ThreadPoolExecutor(1) as alone:
            head = alone.submit(self._run, _scope(asked), plans or {}, leaves, reads).result()
        status, fields = head if head is not None else (0, [])
        got = b"".join(piece for _, piece in self.pieces)
        return TestResponse([got], str(status), Headers(fields), asked.get_request())

    def _run(
        self, scope: Any, plans: Plans, leaves: float | None, reads: float
    ) -> tuple[int, list[tuple[str, str]]] | None:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            return runner.run(self._answer(scope, plans, leaves, reads))

    async def _answer(
        self, scope: Any, plans: Plans, leaves: float | None, reads: float
    ) -> tuple[int, list[tuple[str, str]]] | None:
        loop = asyncio.get_running_loop()
        left = asyncio.Event()
        messages: list[Any] = [{"type": "http.request", "body": b"", "more_body": False}]
        head: list[tuple[int, list[tuple[str, str]]]] = []
        self.pieces = []

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Mapping[str, Any]) -> None:
            if loop.time() > reads:
                await left.wait()
                return
            if message["type"] == "http.response.start":
                fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
                head.append((message["status"], fields))
            else:
                self.pieces.append((loop.time(), message["body"]))

        for moment, happens in plans.items():
            loop.call_at(moment, happens)
        if leaves is not None:
            loop.call_at(leaves, left.set)
        gateway = Gateway(self.app, 1, 1024, parking=self.parking)
        gateway.pool = cast(Any, _AtOnce())
        await gateway(scope, receive, send)
        self.at = loop.time()
        return head[0] if head else None


def _scope(asked: EnvironBuilder) -> Any:
    return {
        "type": "http", "method": asked.method, "raw_path": asked.path.encode(),
        "query_string": asked.query_string.encode(), "http_version": "1.1", "scheme": "http",
        "server": ("localhost", 80), "client": ("127.0.0.1", 40000),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in asked.headers],
    }  # fmt: skip
