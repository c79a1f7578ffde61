"""The bridge between the event loop, which talks to clients, and the application, which runs in threads.

A request is read whole on the event loop before a thread is asked to answer it, and an answer of known length is sent
from the event loop after the thread is free again: a thread works only while the application does. An answer without a
`Content-Length` goes on while it is made, so it keeps its thread until it ends; `pbem.services.views.waiting` limits
how many of these there are.

The application is called as PEP 3333 says, with these differences to what the client sent:

* `CONTENT_LENGTH` is the size of the body that has arrived. A body larger than the application takes is not read to
  its end; its length tells the application to refuse it.
* Headers with an underscore in their name are left out: `X_Forwarded_For` would pass for `X-Forwarded-For`.
* `REMOTE_ADDR` is the peer of the connection. Which proxies to believe is the application's business.
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

BODIES_BYTES = 64 * 1024 * 1024
"""The most bytes kept of all unfinished bodies; beyond that, those that began first are answered with 503, so that a
client that sends half of many bodies gives way to later ones."""
NO_BODY = (204, 304)
API = b"/api/v1/"
BUSY = json.dumps(
    {
        "type": "about:blank", "title": "Service Unavailable", "status": 503, "code": "busy",
        "detail": "Too many requests are being sent at once. Please send yours again.",
    }
).encode()  # fmt: skip
"""The problem that answers a request whose body was dropped, in English: the application has not seen the request."""

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


Larger = tuple[int, Callable[[str], bool]]
"""The size of a larger body, and whether the request's `Authorization` allows it."""


class ClientLeft(Exception):
    """The client has closed the connection; there is nobody to answer."""


class TooManyBodies(Exception):
    """The bodies that are still arriving take too much memory together."""


class Gateway:
    """An ASGI application that runs a WSGI application in a fixed number of threads.

    `max_body` is the size in bytes of the largest body that the application takes; `larger` has that of some paths,
    for those whose `Authorization` the second part of its value accepts: of others, not more is read than elsewhere.
    """

    def __init__(
        self, application: WSGIApplication, threads: int, max_body: int, larger: Mapping[str, Larger] | None = None
    ) -> None:
        self.application = application
        self.threads = threads
        self.max_body = max_body
        self.larger = {path.encode(): one for path, one in (larger or {}).items()}
        self.on_change: Callable[[], None] = lambda: None
        """Called when `busy` has changed."""
        self._answering = 0
        self.unfinished: dict[asyncio.Timeout, int] = {}
        """What is kept of bodies that have not arrived whole, in bytes, the first begun first; to be ended early."""
        self.kept_bytes = 0
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="web")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers one request."""
        try:
            body, length = await self._read(scope, receive)
        except ClientLeft:
            return
        except TooManyBodies:
            await _refuse(send, scope["raw_path"])
            return
        self._count(+1)
        try:
            await _Exchange(self.application, _environ(scope, body, length), receive, send).run(self._pool)
        finally:
            self._count(-1)

    async def _read(self, scope: Message, receive: Receive) -> tuple[bytes, int]:
        """Returns the body and its length. Raises ClientLeft, TooManyBodies."""
        announced = next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)
        most = self._most(scope)
        if announced > most:
            return b"", announced
        body = bytearray()
        try:
            async with asyncio.timeout(None) as patience:
                while len(body) <= most:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientLeft
                    if patience.when() is not None:
                        raise TooManyBodies  # the body was dropped, though this piece arrived in time
                    body += message["body"]
                    if not message["more_body"]:
                        break
                    self._keep(patience, len(body))
        except TimeoutError:
            raise TooManyBodies from None
        finally:
            self._forget(patience)
        return bytes(body), len(body)

    def _most(self, scope: Message) -> int:
        """Returns the size of the largest body that is read, by what stands before it."""
        if (one := self.larger.get(scope["raw_path"])) is None:
            return self.max_body
        size, is_allowed = one
        said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        return size if is_allowed(said.decode("latin-1")) else self.max_body

    def _keep(self, patience: asyncio.Timeout, size: int) -> None:
        """Counts the bytes kept of a body; gives up the oldest unfinished bodies where all of them take too much."""
        if not size:
            return
        self.kept_bytes += size - self.unfinished.get(patience, 0)
        self.unfinished[patience] = size
        while self.kept_bytes > BODIES_BYTES:
            first = next(iter(self.unfinished))
            self._forget(first)
            first.reschedule(asyncio.get_running_loop().time())

    def _forget(self, patience: asyncio.Timeout) -> None:
        """Counts a body no longer among those that have not arrived whole."""
        self.kept_bytes -= self.unfinished.pop(patience, 0)

    @property
    def busy(self) -> bool:
        """Whether every thread has a request to answer."""
        return self._answering >= self.threads

    def _count(self, change: int) -> None:
        before = self.busy
        self._answering += change
        if self.busy != before:
            self.on_change()


class _Exchange:
    """One call of the application, and its answer."""

    def __init__(self, application: WSGIApplication, environ: WSGIEnvironment, receive: Receive, send: Send) -> None:
        self._application = application
        self._environ = environ
        self._receive = receive
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._status = 0
        self._headers: list[tuple[str, str]] = []
        self._started = False
        self._gone: asyncio.Task[Message] | None = None

    async def run(self, pool: ThreadPoolExecutor) -> None:
        """Lets a thread answer; sends the answer."""
        try:
            body = await self._loop.run_in_executor(pool, self._call)
            await self._tell(body, more=False)
        except ClientLeft:
            return
        finally:
            if self._gone is not None:
                self._gone.cancel()

    def _call(self) -> bytes:
        """Runs in a thread: calls the application and returns the rest of its answer, which is all of it or nothing."""
        pieces = self._application(self._environ, self._start_response)
        try:
            if self._is_bounded():
                return b"".join(pieces)
            for piece in pieces:
                asyncio.run_coroutine_threadsafe(self._tell(piece, more=True), self._loop).result()
            return b""
        finally:
            if hasattr(pieces, "close"):
                pieces.close()

    def _start_response(self, status: str, headers: list[tuple[str, str]], _error: Any = None) -> Callable[..., object]:
        self._status, self._headers = int(status[:3]), headers
        return lambda _: None  # the deprecated `write`, which Flask does not use

    def _is_bounded(self) -> bool:
        """True if the end of the answer is known by now."""
        if self._status in NO_BODY or self._environ["REQUEST_METHOD"] == "HEAD":
            return True
        return any(name.lower() == "content-length" for name, _ in self._headers)

    async def _tell(self, piece: bytes, *, more: bool) -> None:
        """Sends a piece of the answer. Raises ClientLeft."""
        if more and self._gone is None:
            self._gone = self._loop.create_task(_gone(self._receive))
        if self._gone is not None and self._gone.done():
            raise ClientLeft
        if not self._started:
            self._started = True
            headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self._headers]
            await self._send({"type": "http.response.start", "status": self._status, "headers": headers})
        await self._send({"type": "http.response.body", "body": piece, "more_body": more})


async def _gone(receive: Receive) -> Message:
    """Waits until the client has left, the only message that can follow a whole request."""
    return await receive()


def cors_headers(path: bytes) -> list[tuple[bytes, bytes]]:
    """Returns the headers that let pages of other sites read an answer that does not come from the application."""
    return [(b"access-control-allow-origin", b"*")] if path.startswith(API) else []


async def _refuse(send: Send, path: bytes) -> None:
    """Answers with 503, under the API as a problem."""
    body = BUSY if path.startswith(API) else b""
    headers = [
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        (b"retry-after", b"5"),
        *cors_headers(path),
    ]
    if body:
        headers += [
            (b"content-type", b"application/problem+json"),
            (b"access-control-expose-headers", b"Retry-After"),
        ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _environ(scope: Message, body: bytes, length: int) -> WSGIEnvironment:
    """Returns the WSGI environment of a request."""
    host, port = scope["server"] or ("localhost", None)
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        **_header_variables(scope["headers"]),
    }
    if length or "CONTENT_LENGTH" in environ:
        environ["CONTENT_LENGTH"] = str(length)
    return environ


def _header_variables(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Returns the headers by their names in a WSGI environment, without those about the transfer of the body."""
    found: dict[str, str] = {}
    for raw, value in headers:
        if b"_" in raw or raw == b"transfer-encoding":
            continue
        name = raw.decode("latin-1").upper().replace("-", "_")
        if name not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            name = f"HTTP_{name}"
        text = value.decode("latin-1")
        found[name] = f"{found[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{text}" if name in found else text
    return found
