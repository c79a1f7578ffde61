"""Clients that play over HTTP: bytes on persistent sockets, so that they take little of the machine."""

import select
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.service.matches import Answer, OpenMatch


def answer(match: OpenMatch, said: Answer) -> bytes:
    """Returns the request that sends this answer."""
    body = b'{"key":"%s","move":%s}' % (said.key.encode(), said.move)
    head = (
        f"POST /api/v1/matches/{match.id}/moves HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {match.tokens[said.seat]}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def request_of_page(path: str) -> bytes:
    """Returns the request for a page, as a browser sends it."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Language: en\r\nAccept-Encoding: gzip\r\n\r\n".encode()


class Line:
    """A persistent connection, reopened when the server has closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.open()

    def open(self) -> None:
        """Connects."""
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""

    def send_and_time(self, request: bytes, status: int) -> float:
        """Sends a request; returns how long the answer took, in seconds. Raises RuntimeError for an unexpected one."""
        if self._has_ended():
            self.open()
        start = time.perf_counter()
        self.socket.sendall(request)
        while not self.read_answer(status):
            pass
        return time.perf_counter() - start

    def _has_ended(self) -> bool:
        """Returns whether the server has closed the line, as it does with one that has been idle."""
        readable, _, _ = select.select([self.socket], [], [], 0)
        return bool(readable) and not self.socket.recv(1, socket.MSG_PEEK)

    def read_answer(self, status: int) -> bool:
        """Reads what has arrived; returns whether the answer is complete. Raises RuntimeError for an unexpected one."""
        piece = self.socket.recv(1 << 18)
        self.got += piece
        head, found, body = self.got.partition(b"\r\n\r\n")
        if not piece:
            raise RuntimeError(f"the server hung up after {self.got[:300]!r}")
        if not found:
            return False
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) < length:
            return False
        if not head.startswith(b"HTTP/1.1 %d" % status):
            raise RuntimeError(self.got[:2000].decode(errors="replace"))
        if b"connection: close" in head.lower():
            self.socket.close()
            self.open()
        self.got = b""
        return True


@dataclass(frozen=True)
class Rush:
    """How long each answer took, and all of them together, in seconds."""

    took: list[float]
    spent: float
    answered: int
    """The number of answers, including those before the measured time."""

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.took) / self.spent


class _Worked:
    """A queue of requests that one connection sends, each after the answer to the previous one."""

    def __init__(self, port: int, queue: Sequence[bytes], status: int) -> None:
        self.line, self.waiting, self.status = Line(port), iter(queue), status
        self.begun = 0.0

    def send_next(self) -> bool:
        """Sends the next request; False when there is none."""
        request = next(self.waiting, None)
        if request is not None:
            self.begun = time.perf_counter()
            self.line.socket.sendall(request)
        return request is not None


def at_once(port: int, queues: Sequence[Sequence[bytes]], status: int, warm: float, seconds: float) -> Rush:
    """Works off all queues concurrently; answers in the first `warm` seconds are not counted.

    Ends when a queue is empty or the time is up, so the concurrency is constant. Raises RuntimeError if a queue is
    empty before anything was counted.
    """
    took, answered = list[float](), 0
    with selectors.DefaultSelector() as ready:
        for queue in queues:
            worked = _Worked(port, queue, status)
            ready.register(worked.line.socket, selectors.EVENT_READ, worked)
            worked.send_next()
        start = time.perf_counter() + warm
        while True:
            for found, _ in ready.select(30):
                worked, old = found.data, found.data.line.socket
                if not worked.line.read_answer(status):
                    continue
                now = time.perf_counter()
                answered += 1
                if now > start:
                    took.append(now - worked.begun)
                if now > start + seconds or not worked.send_next():
                    if now <= start:
                        raise RuntimeError("a queue was too short to measure anything")
                    return Rush(took, now - start, answered)
                if worked.line.socket is not old:
                    ready.unregister(old)
                    ready.register(worked.line.socket, selectors.EVENT_READ, worked)
