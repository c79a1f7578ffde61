"""The bridge between the event loop, which talks to clients, and the application, which runs in threads.

A request is read whole on the event loop before a thread is asked to answer it, and an answer of known length is sent
from the event loop after the thread is free again: a thread works only while the application does. An answer without a
`Content-Length` goes on while it is made, so it keeps its thread until it ends.

A request that has to wait for news has no thread meanwhile. The application answers it at once and says, by the `Visit`
in its environment (`pbem.services.views.waiting`), what its caller knows. The answer is kept until their time is up;
when there is news, the application is called again. In a stream the answers are sent one after the other, as pieces of
one. The next piece is made when the client has taken the one before, so that a slow reader costs no memory.

A client whose time was up asks the same again. Where all that decides the answer is what its pause knows
(`Pause.renews`), the same request of the same client waits on with the same answer, and the application is not called:
the next look finds whether there was news meanwhile, of which a new link of the seat is one.

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
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote_to_bytes

from pbem.run.parking import Parking, Place, Waited, Woken

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

    from pbem.services.views.waiting import Pause

BODIES_BYTES = 64 * 1024 * 1024
"""The most bytes kept of all unfinished bodies; beyond that, those that began first are answered with 503, so that a
client that sends half of many bodies gives way to later ones."""
ALIVE_S = 15.0
"""Heartbeat interval of an idle stream, in seconds: proxies cut silent connections."""
AGAIN = 2
"""This many threads at most answer those who have waited, so that the others stay free for requests that arrive."""
VISIT = "pbem.visit"
NO_BODY = (204, 304)
API = b"/api/v1/"
BUSY = json.dumps(
    {
        "type": "about:blank", "title": "Service Unavailable", "status": 503, "code": "busy",
        "detail": "Too many requests are being sent at once. Please send yours again.",
    }
).encode()  # fmt: skip
"""The problem that answers a request whose body was dropped, in English: the application has not seen the request."""

T = TypeVar("T")
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
    Those who wait have places in `parking`; without one nobody can.
    """

    def __init__(
        self,
        application: WSGIApplication,
        threads: int,
        max_body: int,
        larger: Mapping[str, Larger] | None = None,
        parking: Parking | None = None,
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
        self.parking = parking
        self._again = asyncio.Semaphore(AGAIN)
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="web")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers one request."""
        try:
            body, length = await self._read_body(scope, receive)
        except ClientLeft:
            return
        except TooManyBodies:
            await _answer_503(send, scope["raw_path"])
            return
        exchange = _Exchange(self, partial(_wsgi_environ, scope, body, length), receive, send)
        await exchange.run(None if length or self.parking is None else _key_of_request(scope))

    async def call_in_thread(self, call: Callable[[], T], *, again: bool) -> T:
        """Returns what the function returns, which a thread calls; `again` for somebody who has waited."""
        async with self._again if again else nullcontext():
            self._count_answering(+1)
            try:
                return await asyncio.get_running_loop().run_in_executor(self.pool, call)
            finally:
                self._count_answering(-1)

    async def _read_body(self, scope: Message, receive: Receive) -> tuple[bytes, int]:
        """Returns the body and its length. Raises ClientLeft, TooManyBodies."""
        announced = next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)
        most = self._largest_body_read(scope)
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
                    self._count_body_bytes(patience, len(body))
        except TimeoutError:
            raise TooManyBodies from None
        finally:
            self._forget_body(patience)
        return bytes(body), len(body)

    def _largest_body_read(self, scope: Message) -> int:
        """Returns the size of the largest body that is read, by what stands before it."""
        if (one := self.larger.get(scope["raw_path"])) is None:
            return self.max_body
        size, is_allowed = one
        said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        return size if is_allowed(said.decode("latin-1")) else self.max_body

    def _count_body_bytes(self, patience: asyncio.Timeout, size: int) -> None:
        """Counts the bytes kept of a body; gives up the oldest unfinished bodies where all of them take too much."""
        if not size:
            return
        self.kept_bytes += size - self.unfinished.get(patience, 0)
        self.unfinished[patience] = size
        while self.kept_bytes > BODIES_BYTES:
            first = next(iter(self.unfinished))
            self._forget_body(first)
            first.reschedule(asyncio.get_running_loop().time())

    def _forget_body(self, patience: asyncio.Timeout) -> None:
        """Counts a body no longer among those that have not arrived whole."""
        self.kept_bytes -= self.unfinished.pop(patience, 0)

    @property
    def busy(self) -> bool:
        """Whether every thread has a request to answer."""
        return self._answering >= self.threads

    def _count_answering(self, change: int) -> None:
        before = self.busy
        self._answering += change
        if self.busy != before:
            self.on_change()


class _Exchange:
    """One request and its answer, for which the application is called once, or each time there is news."""

    def __init__(self, gateway: Gateway, environ: Callable[[], WSGIEnvironment], receive: Receive, send: Send) -> None:
        self._gateway = gateway
        self._make_environ = environ
        self._environ: WSGIEnvironment = {}
        self._receive = receive
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._status = 0
        self._headers: list[tuple[str, str]] = []
        self._started = False
        self._gone: asyncio.Future[Message] | None = None
        """Done when the client has left, of which the only message tells that can follow a whole request."""
        self._place = Place(gateway.parking) if gateway.parking is not None else None
        self._until: float | None = None

    async def run(self, request: Hashable = None) -> None:
        """Lets a thread answer, again for those who wait and have news; sends the answer.

        `request` identifies one that may be a renewed wait.
        """
        try:
            if await self._wait_where_waited_before(request):
                while await self._call_and_send(request):
                    pass
        except ClientLeft:
            return
        finally:
            if self._gone is not None:
                self._gone.cancel()
            if self._place is not None:
                self._place.leave()

    async def _wait_where_waited_before(self, request: Hashable) -> bool:
        """Waits on where this request has waited before; false if it has been answered thereby. Raises ClientLeft."""
        parking, place = self._gateway.parking, self._place
        waited = parking.find_answer(request, self._loop.time()) if parking is not None else None
        if waited is None or place is None or not place.ask_to_pause(waited.pause):
            return True
        self._status, self._headers = waited.status, waited.headers
        return await self._wait_for_news_or_send_answer(request, waited.pause, waited.body)

    async def _wait_for_news_or_send_answer(self, request: Hashable, pause: Pause, body: bytes) -> bool:
        """True once there is news; else the answer has been sent. Raises ClientLeft."""
        parking = self._gateway.parking
        assert parking is not None, "who has no place does not wait"
        if await self._await_news(parking, pause):
            return True
        if pause.renews and request is not None:
            parking.keep_answer(request, Waited(self._loop.time(), pause, self._status, self._headers, body))
        await self._send_piece(body, more=False)
        return False

    async def _call_and_send(self, request: Hashable) -> bool:
        """Calls the application; true if it has to be called again, else the answer has been sent."""
        body = await self._gateway.call_in_thread(self._call_application, again=self._until is not None)
        pause = self._place.paused if self._place is not None else None
        if self._status >= HTTPStatus.BAD_REQUEST:
            pause = None
            if self._started:
                body = b""  # a stream that has begun can only end; a client that comes again is told the problem
        if pause is None:
            await self._send_piece(body, more=False)
            return False
        if pause.alive is not None:
            await self._send_piece(body, more=True)
            body = b""
        return await self._wait_for_news_or_send_answer(request, pause, body)

    async def _await_news(self, parking: Parking, pause: Pause) -> bool:
        """True once there is news for the client; false if the time is up before. Raises ClientLeft."""
        gone = self._gone = self._gone or asyncio.ensure_future(self._receive())
        self._until = self._until or self._loop.time() + pause.most_s
        while True:
            left = self._until - self._loop.time()
            woken = await parking.wait(pause, min(left, ALIVE_S) if pause.alive else left, gone)
            if woken is Woken.LEFT:
                if gone.result()["type"] == "http.disconnect":
                    raise ClientLeft
                return False  # the client has closed its side: it gets its answer now
            if woken is not Woken.TIME or not pause.alive or left <= ALIVE_S:
                return woken is Woken.NEWS
            await self._send_piece(pause.alive, more=True)

    def _call_application(self) -> bytes:
        """Runs in a thread: calls the application and returns the rest of its answer, which is all of it or nothing."""
        self._environ = self._make_environ()
        if self._place is not None:
            self._place.begin_call()
            self._environ[VISIT] = self._place
        pieces = self._gateway.application(self._environ, self._start_response)
        try:
            if self._is_answer_sent_whole():
                return b"".join(pieces)
            for piece in pieces:
                asyncio.run_coroutine_threadsafe(self._send_piece(piece, more=True), self._loop).result()
            return b""
        finally:
            if hasattr(pieces, "close"):
                pieces.close()

    def _start_response(self, status: str, headers: list[tuple[str, str]], _error: Any = None) -> Callable[..., object]:
        self._status, self._headers = int(status[:3]), headers
        return lambda _: None  # the deprecated `write`, which Flask does not use

    def _is_answer_sent_whole(self) -> bool:
        """True if the end of this answer is known by now; of events, a piece is known whole."""
        if self._status in NO_BODY or self._environ["REQUEST_METHOD"] == "HEAD":
            return True
        told = {name.lower(): value for name, value in self._headers}
        return "content-length" in told or told.get("content-type", "").startswith("text/event-stream")

    async def _send_piece(self, piece: bytes, *, more: bool) -> None:
        """Sends a piece of the answer. Raises ClientLeft, before the last one also if they have closed their side."""
        if more:
            self._gone = self._gone or asyncio.ensure_future(self._receive())
            if self._gone.done():
                raise ClientLeft
        if not self._started:
            self._started = True
            headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self._headers]
            await self._send({"type": "http.response.start", "status": self._status, "headers": headers})
        await self._send({"type": "http.response.body", "body": piece, "more_body": more})


def cors_headers(path: bytes) -> list[tuple[bytes, bytes]]:
    """Returns the headers that let pages of other sites read an answer that does not come from the application."""
    return [(b"access-control-allow-origin", b"*")] if path.startswith(API) else []


async def _answer_503(send: Send, path: bytes) -> None:
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


def _key_of_request(scope: Message) -> Hashable:
    """Returns all that the application could read of a request without a body."""
    client = scope["client"][0] if scope["client"] else ""
    said = scope["method"], scope["raw_path"], scope["query_string"], scope["http_version"], scope["scheme"], client
    return (*said, *scope["headers"])


def _wsgi_environ(scope: Message, body: bytes, length: int) -> WSGIEnvironment:
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
