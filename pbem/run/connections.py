"""One connection of a web process, with a time limit on everything that a client could stretch out.

* A request, headers and body together, must have arrived READ_S seconds after its first byte, and its first byte as
  long after the connection was opened. Otherwise the answer is 408, and the connection is closed.
* Headers of more than HEAD_BYTES bytes are answered with 431.
* A client that stops reading an answer has SEND_S seconds to go on; then the connection is closed.
* An idle connection is closed KEEP_ALIVE_S seconds after its last answer, unless a request has begun by then.

`Upgrade` is ignored, as RFC 9110 allows: no other protocol is spoken here. The parser cannot ignore it: it takes what
follows the headers for the other protocol, and what arrives next for a new request, so the body of a request that
offers an upgrade would be a request of its own. Such a request is parsed a second time, without `Upgrade`.

All of this happens on the event loop: a client that is slow never occupies a thread.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pbem.run.gateway import cors_headers

READ_S = 10.0
SEND_S = 60.0
KEEP_ALIVE_S = 10.0
HEAD_BYTES = 32 * 1024


@dataclass(eq=False)
class TimeLimit:
    """Calls a function when its time is up, unless it is stopped before."""

    seconds: float
    expire: Callable[[], None]
    _handle: asyncio.TimerHandle | None = field(default=None, init=False)

    @property
    def running(self) -> bool:
        """True if it has been started and neither stopped nor used up."""
        return self._handle is not None

    def start(self) -> None:
        """Starts the timer if it is not running."""
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self.seconds, self.expire)

    def stop(self) -> None:
        """Stops the timer."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class Connection(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 connection with the limits above."""

    _head_bytes: int | None = None
    """The bytes that have arrived since the headers began; None while no headers are being read."""
    _field_bytes = 0
    """The size of the address and the headers that have been parsed, trailers of a body among them."""
    _too_large = False
    _parsed_again = False
    """Whether the headers that are being read have been read before, then with `Upgrade`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the time limit for the first byte."""
        super().connection_made(transport)
        self._reading = TimeLimit(READ_S, self._end_unsent_request)
        self._sending = TimeLimit(SEND_S, self._end_untaken_answer)
        self._idle = TimeLimit(KEEP_ALIVE_S, transport.close)
        self._reading.start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops all time limits."""
        self._reading.stop()
        self._sending.stop()
        self._idle.stop()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Returns True, which keeps the connection open, while a complete request is being answered.

        An answer of unknown length ends when the client closes its side, as a client that follows a match does. A
        request that waits for news is answered now: who has left altogether closes their side in the same way.
        """
        if self._reading.running or not self._is_answering() or self.cycle.chunked_encoding:
            return False
        self.cycle.keep_alive = False
        self.cycle.message_event.set()
        return True

    def data_received(self, data: bytes) -> None:
        """Reads on, unless the headers have become too large."""
        try:
            self._parse(data)
        except httptools.HttpParserError:
            if not self._too_large:
                self._answer_400()
        if self._too_large:
            self._refuse_request(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._refuse_request(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _parse(self, data: bytes) -> None:
        """Parses what has arrived, requests that offer an upgrade twice. Raises HttpParserError."""
        rest = memoryview(data)
        while True:
            try:
                self.parser.feed_data(rest)
            except httptools.HttpParserUpgrade as upgrade:
                rest = rest[upgrade.args[0] :]
            else:
                return
            if self.parser.get_method() == b"CONNECT":
                self._answer_400()
                return
            self._parse_headers_without_upgrade()

    def _parse_headers_without_upgrade(self) -> None:
        """Parses the headers of the last request without `Upgrade`; its body comes next. Raises HttpParserError."""
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self._parsed_again = True
        self.parser.feed_data(b"\r\n".join([*lines, b"", b""]))
        self._parsed_again = False

    def _answer_400(self) -> None:
        """Answers 400 to bytes that are not a request, and closes the connection."""
        message = "Invalid HTTP request received."
        self.logger.warning(message)
        self.send_400_response(message)

    def on_message_begin(self) -> None:
        """Starts the time limit of a request with its first byte."""
        super().on_message_begin()
        self._field_bytes = 0
        if self._parsed_again:
            return
        self._head_bytes = 0
        self._idle.stop()
        self._reading.stop()
        self._reading.start()
        if not self.transport.get_write_buffer_size():
            self._sending.stop()  # all earlier answers have been taken

    def on_url(self, url: bytes) -> None:
        """Counts the address. Raises ValueError, which ends the parsing, if the headers are too large."""
        super().on_url(url)
        self._count_header_bytes(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Counts the header, however it has arrived. Raises ValueError as `on_url` does."""
        super().on_header(name, value)
        self._count_header_bytes(len(name) + len(value) + 4)

    def _count_header_bytes(self, size: int) -> None:
        self._field_bytes += size
        if self._field_bytes > HEAD_BYTES:
            self._too_large = True
            raise ValueError("the headers are too large")

    def on_headers_complete(self) -> None:
        """Hands the request to the application. The time limit goes on: it is for the body, too."""
        if self.parser.should_upgrade():
            return  # it is parsed again
        self._head_bytes = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stops the time limit: the request has arrived."""
        if self.parser.should_upgrade():
            return
        self._reading.stop()
        super().on_message_complete()
        self._start_idle_limit()

    def on_response_complete(self) -> None:
        """Starts the time limit of an answer that the client has not taken yet."""
        super().on_response_complete()
        self._unset_keepalive_if_required()  # any byte would stop uvicorn's time limit, one that begins no request, too
        self._start_idle_limit()
        if self.transport.get_write_buffer_size():
            self._sending.start()

    def _start_idle_limit(self) -> None:
        """Starts the time limit of an idle connection, if nothing is being read or answered."""
        if not self._reading.running and not self._is_answering():
            self._idle.start()

    def pause_writing(self) -> None:
        """Starts the time limit of the answer; asyncio calls this when too much of it has not been taken."""
        super().pause_writing()
        self._sending.start()

    def resume_writing(self) -> None:
        """Stops the time limit of an answer that goes on: the client has read on."""
        super().resume_writing()
        if not self.cycle.response_complete:
            self._sending.stop()

    def _end_unsent_request(self) -> None:
        if self._head_bytes is None and not self._is_answering():
            self.transport.abort()  # there is no request to answer
        else:
            self._refuse_request(HTTPStatus.REQUEST_TIMEOUT)

    def _end_untaken_answer(self) -> None:
        if self.transport.get_write_buffer_size():
            # Reset: otherwise the system keeps what it has taken of the answer, until the client reads or disappears.
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.transport.abort()

    def _is_answering(self) -> bool:
        """True if the application has a request whose answer is not complete."""
        return bool(self.cycle) and not self.cycle.response_complete

    def _owes_an_answer(self) -> bool:
        """True if an answer is being sent, or is owed to an earlier request than the one that is being read."""
        if self.pipeline:
            return True
        return self._is_answering() and (self.cycle.response_started or not self.cycle.more_body)

    def send_400_response(self, msg: str) -> None:
        """Answers 400 where no request could be read, and closes the connection."""
        if self._owes_an_answer():
            self.transport.abort()  # this answer would be taken for that one
        else:
            super().send_400_response(msg)

    def _refuse_request(self, status: HTTPStatus) -> None:
        """Answers the request that is being read, and closes the connection."""
        if self._owes_an_answer():
            self.transport.abort()
            return
        headers = [(b"connection", b"close"), (b"content-length", b"0"), *cors_headers(self.url)]
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % header for header in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", b""]))
        self.transport.close()
