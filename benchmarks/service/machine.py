"""The servers of the measured service: a PostgreSQL on disk with fsync, a Redis, the Procfile's web, a mail sink.

Everything listens on loopback or on a socket in a folder of its own, and ends with this process.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from benchmarks.service.effort import Effort, cpu_ms_of_family
from benchmarks.service.sink import START_S, run_sink
from pbem.config import Config
from pbem.models.engine import migrate
from pbem.services.site import Site, open_site
from tests.harness import servers

ROOT = Path(__file__).parents[2]
SECRET = "Kq7wZt2mXc9LrV4bNs8HjP5dFg3YaU6e"  # noqa: S105 - of a service that lives for a minute
REST_S, REST_MS = 0.5, 20.0
"""A web that spends no more CPU milliseconds than this in this many seconds has loaded the application."""
POSTGRES = {"wal_level": "replica", "shared_buffers": "256MB", "max_connections": "100", "max_wal_size": "2GB"}


def free_port() -> int:
    """Returns a free port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, eq=False)
class Web:
    """A running web, and its CPU time since it first answered."""

    port: int
    pid: int
    effort: Effort


@dataclass
class Machine:
    """The servers, and the processes of the service that can be started on them."""

    database: servers.PostgresThatStops
    redis_url: str
    sink_port: int
    folder: Path

    def empty(self) -> str:
        """Creates a database with the newest tables; returns its name."""
        name = self.database.create()
        migrate(self.database.url(name))
        return name

    def libpq(self, name: str) -> str:
        """Returns the address of a database as psycopg takes it."""
        return f"postgresql://postgres@/{name}?host={self.database.folder}"

    def environ(self, name: str, port: int) -> dict[str, str]:
        """Returns the environment of a process of the service."""
        known = {key: value for key, value in os.environ.items() if not key.startswith("PBEM_")}
        return known | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
            "PBEM_MODE": "production", "PBEM_URL": f"http://127.0.0.1:{port}", "PBEM_SECRET": SECRET,
            "PBEM_FROM": "play@pbem.example", "PBEM_MAIL_HOLD": "0", "SMTP_URL": f"smtp://127.0.0.1:{self.sink_port}?tls=none",
            "DATABASE_URL": self.libpq(name), "REDIS_URL": self.redis_url, "PORT": str(port), "WEB_CONCURRENCY": "2",
        }  # fmt: skip

    def site(self, name: str, settings: Mapping[str, str] | None = None, **replaced: Any) -> Site:
        """Opens the service's site in this process, with the environment of its processes and these settings."""
        environ = self.environ(name, free_port()) | dict(settings or {})
        return open_site(Config.from_env(environ, "production"), **replaced)

    @property
    def postmaster(self) -> int:
        """The root process of PostgreSQL."""
        return int((self.database.folder / "data" / "postmaster.pid").read_text().split()[0])

    @contextmanager
    def web(
        self, name: str, factory: str = "benchmarks.service.endless:create_app", processes: int = 2
    ) -> Iterator[Web]:
        """Runs the Procfile's web in this many processes, with the application that this factory makes."""
        port = free_port()
        environ = self.environ(name, port) | {"WEB_CONCURRENCY": str(processes)}
        with self.running("web", environ, factory) as web:
            await_port(port, web)
            _await_all_processes(web.pid)
            yield Web(port, web.pid, Effort({"web": web.pid, "PostgreSQL": self.postmaster}))

    @contextmanager
    def worker(self, environ: Mapping[str, str]) -> Iterator[int]:
        """Runs the Procfile's worker; yields the id of its root process as soon as it takes tasks."""
        with self.running("worker", environ) as worker:
            end = time.monotonic() + START_S
            while b"worker.ready" not in (log := (self.folder / "worker.log").read_bytes()):
                if time.monotonic() > end:
                    raise RuntimeError(log.decode(errors="replace"))
                time.sleep(0.05)
            yield worker.pid

    @contextmanager
    def running(self, name: str, environ: Mapping[str, str], *more: str) -> Iterator[subprocess.Popen[bytes]]:
        """Runs a command of the Procfile, with these words behind it; its log has its name."""
        command = " ".join(["exec", _commands_of_procfile()[name], *more])
        with run_child(["/bin/sh", "-c", command], environ, self.folder / f"{name}.log") as process:
            yield process


def _await_all_processes(web: int) -> None:
    """Waits until all processes of the web have loaded the application: the first to do so would have all clients."""
    before, spent, end = float("-inf"), 0.0, time.monotonic() + START_S
    while spent - before > REST_MS:
        if time.monotonic() > end:
            raise RuntimeError("the web does not come to rest")
        time.sleep(REST_S)
        before, spent = spent, cpu_ms_of_family(web)


def _commands_of_procfile() -> dict[str, str]:
    lines = (ROOT / "Procfile").read_text().splitlines()
    return {name: command for name, _, command in (line.partition(": ") for line in lines if line.strip())}


@contextmanager
def run_child(argv: list[str], environ: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a process, and all that it starts, while the block runs."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv, cwd=ROOT, env=dict(environ), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Waits until somebody listens on the port. Raises RuntimeError if the process has ended, or after a time limit."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError(f"nobody listens on port {port}")


@contextmanager
def machine(kept: Path | None = None, **settings: str) -> Iterator[Machine]:
    """Runs the servers while the block runs; PostgreSQL with these settings, its data in a folder that is kept."""
    with ExitStack() as stack:
        database = stack.enter_context(servers.durable_postgres(on_disk=True, kept=kept, **POSTGRES | settings))
        redis_url = stack.enter_context(servers.redis_server())
        port = stack.enter_context(run_sink(free_port()))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="pbem-run-")))
        yield Machine(database, redis_url, port, folder)


def execute(address: str, *statements: str) -> None:
    """Runs the statements, each in a transaction of its own."""
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
