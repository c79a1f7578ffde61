"""Clients that wait for news on connections of their own, all in one thread."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from types import TracebackType
from typing import Any

from benchmarks.service.matches import OpenMatch

AT_A_TIME = 50
"""This many clients come at once: all of them together would wait for the port's queue."""
LONGEST_S, COME_S = 60.0, 300.0


class Crowd:
    """One client for each seat of the matches; they ask for `path`, with the match and the version they have."""

    def __init__(self, port: int, matches: list[OpenMatch], path: str) -> None:
        self.port, self.path = port, path
        self.seats = [(match.id, token) for match in matches for token in match.tokens]
        self.greeted, self.failed, self.answers = 0, 0, 0
        self._heard: defaultdict[str, list[float]] = defaultdict(list)
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._clients: list[Follower] = []
        self.kind: type[Follower] = Follower

    def __enter__(self) -> Crowd:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._disconnect_all(), self._loop).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    async def _disconnect_all(self) -> None:
        """Hangs up; returns once every connection is closed on this side, so that the web can give the places back."""
        here = [client for client in self._clients if client.transport is not None]
        for client in here:
            client.leave()
        while not all(client.gone for client in here):
            await asyncio.sleep(0.01)

    def connect_all(self) -> None:
        """Returns when all of them have come and had a first answer: a stream's at once, another's after its wait."""
        asyncio.run_coroutine_threadsafe(self._connect_all_clients(), self._loop).result()
        end = time.monotonic() + COME_S
        while self.greeted + self.failed < len(self.seats):
            if time.monotonic() > end:
                raise RuntimeError(f"only {self.greeted} of {len(self.seats)} were answered")
            time.sleep(0.1)

    async def _connect_all_clients(self) -> None:
        for first in range(0, len(self.seats), AT_A_TIME):
            some = [self.kind(self, *seat) for seat in self.seats[first : first + AT_A_TIME]]
            self._clients += some
            await asyncio.gather(*map(self._connect, some))

    async def _connect(self, client: Follower) -> None:
        await self._loop.create_connection(lambda: client, "127.0.0.1", self.port)

    def await_news_of_match(self, match_id: str) -> Callable[[int], list[float]]:
        """Returns what waits until this many clients have heard of one thing more in the match, and returns when."""
        with self._changed:
            before = len(self._heard[match_id])

        def wait(count: int) -> list[float]:
            with self._changed:
                done = self._changed.wait_for(lambda: len(self._heard[match_id]) >= before + count, LONGEST_S)
                if not done:
                    raise RuntimeError(f"only {len(self._heard[match_id]) - before} of {count} have heard")
                return self._heard[match_id][before:]

        return wait

    def note_news(self, match_id: str) -> None:
        """Notes that a client has heard something just now."""
        with self._changed:
            self._heard[match_id].append(time.perf_counter())
            self._changed.notify_all()


class Follower(asyncio.Protocol):
    """A client on one connection, which comes again whenever its answer ends."""

    def __init__(self, crowd: Crowd, match_id: str, token: str) -> None:
        self.crowd, self.match_id, self.token = crowd, match_id, token
        self.version, self.got, self.greeted, self.gone = 1, b"", False, False
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asks."""
        self.transport = transport
        self.send_request()

    def send_request(self) -> None:
        """Sends the request."""
        path = f"/api/v1/{self.crowd.path.format(self.match_id, self.version)}"
        self.transport.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Takes a piece of a stream, or of an answer."""
        self.crowd.greeted += not self.greeted
        self.greeted = True
        self.got += data
        head, found, body = self.got.partition(b"\r\n\r\n")
        if not found:
            return
        if not head.startswith(b"HTTP/1.1 200") or b"retry-after:" in head.lower():
            self.crowd.failed += 1
            self.leave()
        elif b"text/event-stream" in head:
            self.got = head + found + self.hear(body)
        elif len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]):
            self.got = b""
            self.crowd.answers += 1
            if (version := json.loads(body)["version"]) > self.version:
                self.version = version
                self.crowd.note_news(self.match_id)
            self.send_request()

    def hear(self, told: bytes) -> bytes:
        """Notes what a stream tells; returns what is to be read again when more of it has come."""
        for _ in range(told.count(b"event: entry")):
            self.version += 1
            self.crowd.note_news(self.match_id)
        return b""

    def leave(self) -> None:
        """Hangs up."""
        self.transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """Notes that the connection is closed."""
        self.gone = True


class OwnCrowd(Crowd):
    """One client for each player, with a token of theirs; it follows all their matches in one stream."""

    def __init__(self, port: int, tokens: list[str]) -> None:
        super().__init__(port, [], "me/stream")
        self.seats, self.kind = [("", token) for token in tokens], OwnFollower


class OwnFollower(Follower):
    """A client that is first told how all matches stand, and then of each that changes."""

    def hear(self, told: bytes) -> bytes:
        """Notes the matches that have changed, in whole messages."""
        whole, end, rest = told.rpartition(b"\n\n")
        for message in (whole + end).split(b"\n\n"):
            if b"event: current" in message:
                self.version = 2
            elif b"event: match" in message and self.version == 2:
                self.crowd.note_news(json.loads(message.partition(b"data: ")[2])["id"])
        return rest
