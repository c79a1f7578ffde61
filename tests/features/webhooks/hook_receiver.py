"""A server that receives webhook calls: it keeps the requests and answers as configured."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

import msgspec


@dataclass
class Got:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


@dataclass
class Receiver:
    """The requests, and the next answers: a status, or one with headers."""

    port: int
    got: list[Got] = field(default_factory=list)
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)

    def url(self, path: str = "/hook", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def bodies(self) -> list[Any]:
        """The JSON of everything that came, oldest first."""
        return [got.json for got in self.got]


@contextmanager
def run_receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on a port of this machine, with TLS where a context is given."""
    here: Receiver

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            here.got.append(Got(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(here.status)
            for name, value in here.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    class Server(ThreadingHTTPServer):
        def server_bind(self) -> None:
            # The standard method looks up the address's name, which takes seconds if no resolver answers.
            TCPServer.server_bind(self)
            self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a handshake that is broken off is expected
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    here = Receiver(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
