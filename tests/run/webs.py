"""A web as `pbem run` and the Procfile start it, on its own database; clients that send half of a request."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.servers import end_with
from tests.harness.waiting import wait_until
from tests.production.sink import free_port
from tests.production.topology import ROOT, SECRET, commands_of_procfile

APPLICATION = "tests.run.application:create_app"
MODES = ("embedded", "production")


@dataclass
class Web:
    """A web that answers on `port`."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Returns status and body of the answer, on a new connection."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as line:
            line.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = line.getresponse()
            return answer.status, answer.read()

    def connect(self) -> socket.socket:
        """Returns a connection with a small receive buffer."""
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(60)
        line.connect(("127.0.0.1", self.port))
        return line

    def took(self, path: str, times: int = 30) -> float:
        """Returns the seconds of the quickest of several answers, which hardly depends on the machine's load."""
        quickest = float("inf")
        for _ in range(times):
            begun = time.perf_counter()
            assert self.get(path)[0] == 200
            quickest = min(quickest, time.perf_counter() - begun)
        return quickest

    def answers(self) -> bool:
        """True if it answers now; fails if it has ended."""
        assert self.process.poll() is None, self.log.read_text()
        with suppress(OSError, http.client.HTTPException):
            return self.get("/healthz")[0] == 200
        return False

    def refuses(self) -> bool:
        """True if it accepts no connection any more."""
        with suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.port), timeout=30).close()
            return False
        return True

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Returns its exit status after the signal."""
        self.process.send_signal(number)
        return self.process.wait(40)


def environment_of_web(mode: str, folder: Path, port: int, database_url: str, redis_url: str) -> dict[str, str]:
    """Returns the environment of a web."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "PBEM_MODE": mode, "PBEM_SECRET": SECRET, "PBEM_URL": f"http://127.0.0.1:{port}", "PORT": str(port),
        "DATABASE_URL": database_url, "REDIS_URL": redis_url,
    }  # fmt: skip
    if mode == "embedded":
        return known | own | {"PBEM_DATA": str(folder)}
    more = {"SMTP_URL": "smtp://127.0.0.1:9?tls=none", "PBEM_FROM": "play@pbem.example", "WEB_CONCURRENCY": "1"}
    uncapped = {"PBEM_MATCHES_PER_IP_HOUR": "100000"}  # many requests in these tests must not reach a cap
    return known | own | more | uncapped


@contextmanager
def run_web(mode: str, folder: Path, database_url: str, redis_url: str, **more: str) -> Iterator[Web]:
    """Runs the web while the block runs; settings of the mode, and `more` of the environment."""
    port = free_port()
    environ = environment_of_web(mode, folder, port, database_url, redis_url) | more
    argv = [*shlex.split(commands_of_procfile()["web"]), APPLICATION]
    log, parent = folder / f"web-{port}.log", os.getpid()
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv, cwd=ROOT, env=environ, stdout=output, stderr=output,
            preexec_fn=lambda: end_with(parent, signal.SIGTERM),  # noqa: PLW1509 - calls into libc only
        )  # fmt: skip
    web = Web(port, process, log)
    try:
        wait_until(web.answers, "the web answers", 60)
        yield web
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


@contextmanager
def open_connections(web: Web, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Yields this many connections on which these bytes were sent, and no more."""
    with ExitStack() as stack:
        lines = [stack.enter_context(closing(web.connect())) for _ in range(count)]
        for line in lines:
            line.sendall(sent)
        yield lines


def read_all(line: socket.socket) -> bytes:
    """Returns everything that arrives on a connection until the server closes it."""
    got = b""
    with suppress(ConnectionResetError):
        while piece := line.recv(1 << 16):
            got += piece
    return got


def still_open(lines: Sequence[socket.socket]) -> bool:
    """True if the server has closed none of these connections, and answered nothing on them."""
    for line in lines:
        line.setblocking(False)
        try:
            line.recv(1)
        except BlockingIOError:
            continue
        finally:
            line.settimeout(60)
        return False
    return True


def headers_of_post(body: bytes | int = b"", path: str = "/api/v1/matches", **headers: Any) -> bytes:
    """Returns the headers of a POST of JSON with this body, or with a body of this many bytes."""
    length = body if isinstance(body, int) else len(body)
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    said = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    return f"{said}{more}\r\n".encode()


MATCH = json.dumps(
    {
        "game": "hogen",
        "seats": [{"name": name, "email": f"{name}@pbem.example"} for name in ("alice", "bob", "carol")],
    }
).encode()
HALF_HEAD = headers_of_post(MATCH)[:60]
HALF_BODY = headers_of_post(MATCH) + MATCH[:-1]
