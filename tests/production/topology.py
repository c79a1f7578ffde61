"""The production topology on this machine: the Procfile's own commands, a real PostgreSQL and Redis, a mail sink."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pbem.models.engine import migrate
from tests.harness.servers import PostgresThatStops, durable_postgres, end_with
from tests.harness.waiting import SECONDS, wait_until
from tests.production.sink import Sink, free_port
from tests.workers.broker import Broker

ROOT = Path(__file__).parents[2]
SECRET = "x7Qm2kLw9RtYb4Zp0HsVc6NdJf8GaUe1"
METRICS_TOKEN = "a-token-for-the-scraper"


def commands_of_procfile() -> dict[str, str]:
    """The commands of the Procfile by their names."""
    lines = (ROOT / "Procfile").read_text().splitlines()
    return {name: command for name, _, command in (line.partition(": ") for line in lines if line.strip())}


@dataclass
class Process:
    """One process of the topology, with its output in a file."""

    name: str
    popen: subprocess.Popen[bytes]
    log: Path
    url: str
    """Where it answers, if it is a web server."""

    def works(self) -> bool:
        """True if the process does its work; fails if it has ended instead."""
        assert self.popen.poll() is None, self.output
        return _answers(f"{self.url}/healthz") if self.name == "web" else f"{self.name}.ready" in self.output

    @property
    def output(self) -> str:
        """The output so far."""
        return self.log.read_text(errors="replace")

    def end(self, seconds: float = SECONDS) -> int:
        """Returns the exit status after SIGTERM."""
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(seconds)

    def kill(self) -> None:
        """Ends it and all processes it started at once."""
        try:
            os.killpg(self.popen.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.popen.wait()


@dataclass
class Answer:
    """An answer from the web."""

    status: int
    headers: Message
    """Its names are the same in capitals and small letters."""
    text: str
    url: str

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


def send_request(
    url: str, body: Any = None, *, form: Mapping[str, str] | None = None, method: str | None = None, **headers: str
) -> Answer:
    """The answer to a GET, or to a POST of JSON or of a form, unless `method` says else; redirects are followed."""
    data = json.dumps(body).encode() if body is not None else urlencode(form).encode() if form is not None else None
    sent = {"Accept-Language": "en", **({"Content-Type": "application/json"} if body is not None else {})}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=data, headers=sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return Answer(answer.status, answer.headers, answer.read().decode(), answer.url)
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read().decode(), url)


@dataclass
class Service:
    """The services around the processes, and the processes."""

    folder: Path
    postgres: PostgresThatStops
    broker: Broker
    sink: Sink
    ports: tuple[int, int] = field(default_factory=lambda: (free_port(), free_port()))
    processes: list[Process] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The public address: the first web's."""
        return f"http://127.0.0.1:{self.ports[0]}"

    @property
    def database_url(self) -> str:
        """The address of the database."""
        return f"postgresql://postgres@/postgres?host={self.postgres.folder}"

    def environ(self, **more: str) -> dict[str, str]:
        """The environment of every process."""
        known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
        return {
            **known,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            # This checkout, even if another pbem is installed.
            "PYTHONPATH": str(ROOT),
            "PBEM_MODE": "production",
            "PBEM_URL": self.url,
            "PBEM_SECRET": SECRET,
            "PBEM_FROM": "play@pbem.example",
            "PBEM_MAIL_HOLD": "0",
            "PBEM_METRICS_TOKEN": METRICS_TOKEN,
            "SMTP_URL": f"smtp://127.0.0.1:{self.sink.port}?tls=none",
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.broker.url,
            "WEB_CONCURRENCY": "1",
            # Celery's warning to root; a host's service does not run as root.
            "PYTHONWARNINGS": "ignore:You're running the worker:UserWarning",
            "WORKER_CONCURRENCY": "1",
            **self.settings,
            **more,
        }

    def start(self, name: str, **more: str) -> Process:
        """Starts a command of the Procfile by the shell, like the programs that read Procfiles."""
        return self.start_in(ROOT, name, more)

    def start_in(self, tree: Path, name: str, more: Mapping[str, str]) -> Process:
        """Does the same in another tree than this checkout."""
        log = self.folder / f"{name}-{len(self.processes)}.log"
        parent = os.getpid()
        with log.open("wb") as output:
            popen = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {commands_of_procfile()[name]}"],
                cwd=tree,
                env=self.environ(**more),
                stdout=output,
                stderr=output,
                start_new_session=True,
                # SIGTERM: a killed main process leaves it to its children to notice.
                preexec_fn=lambda: end_with(parent, signal.SIGTERM),  # noqa: PLW1509 - calls into libc only
            )
        self.processes.append(Process(name, popen, log, f"http://127.0.0.1:{more.get('PORT')}"))
        return self.processes[-1]

    def release(self) -> None:
        """Runs the release command to its end."""
        process = self.start("release")
        assert process.popen.wait(SECONDS) == 0, process.output
        self.processes.remove(process)

    def migrate(self) -> None:
        """Makes the tables as the release command does, without a process for it."""
        migrate(self.database_url.replace("postgresql://", "postgresql+psycopg://"))

    def web(self, at: int = 0, **more: str) -> Process:
        """Starts a web server; returns once it answers."""
        return self._working(self.start("web", PORT=str(self.ports[at]), **more))

    def worker(self) -> Process:
        """Starts a worker; returns once it is ready."""
        return self._working(self.start("worker"))

    def beat(self) -> Process:
        """Starts beat; returns once it keeps time."""
        return self._working(self.start("beat"))

    def open(self, *names: str) -> list[Process]:
        """Starts these processes side by side; returns once each works. Each web server has a port of its own."""
        ports = iter(self.ports)
        started = [self.start(name, **({"PORT": str(next(ports))} if name == "web" else {})) for name in names]
        return [self._working(process) for process in started]

    @staticmethod
    def _working(process: Process) -> Process:
        wait_until(process.works, f"{process.name} works")
        return process

    @staticmethod
    def close(*processes: Process) -> None:
        """Stops all of them; returns when each has ended with status 0."""
        for process in processes:
            process.popen.send_signal(signal.SIGTERM)
        for process in processes:
            assert process.popen.wait(SECONDS) == 0, process.output

    def pbem(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of `pbem` in its own process."""
        argv = [sys.executable, "-m", "pbem.cli", *words]
        return subprocess.run(
            argv, cwd=ROOT, env=self.environ(**more), capture_output=True, text=True, check=False, timeout=SECONDS
        )

    def everything_said(self) -> str:
        """The output of all processes."""
        return "".join(process.output for process in self.processes)

    def kill(self) -> None:
        """Ends everything at once."""
        for process in self.processes:
            process.kill()


def _answers(url: str) -> bool:
    try:
        return send_request(url).status == 200
    except OSError:
        return False


@contextmanager
def run_service_parts(
    folder: Path, sockets: Path, sink: Sink | None = None,
    database: AbstractContextManager[PostgresThatStops] | None = None,
) -> Iterator[Service]:  # fmt: skip
    """Runs database, broker and mail sink during the block, without any process of pbem and without tables."""
    sink, broker = sink or Sink(), Broker(sockets)
    with database or durable_postgres() as postgres:
        broker.start()
        sink.start()
        made = Service(folder, postgres, broker, sink)
        try:
            yield made
        finally:
            made.kill()
            sink.stop()
            broker.kill()
