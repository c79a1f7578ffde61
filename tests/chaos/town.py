"""The production topology, whose processes are killed at random and restarted as a host's systemd would."""

from __future__ import annotations

import os
import signal
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random

import psycopg
import redis

from pbem.services.monitoring.probes import BEAT_KEY
from tests.production.hosts import Host, foreign_files
from tests.production.topology import ROOT, Process, Service

RECOVERY_S = 120.0
AT_ONCE_S = 2.0
TASK = '"event":"task"'
PARTS_OF_HOSTS = {
    "web host 0": ("web",), "web host 1": ("web",), "worker host 0": ("worker", "beat"),
    "worker host 1": ("worker", "beat"), "worker host 2": ("worker", "inbound"),
}  # fmt: skip
"""Which processes run on which host, where there are several."""
ANSWERS = {"worker": "worker.ready", "beat": "beat.ready", "inbound": "inbox.open"}


def processes_of_group(group: int) -> list[int]:
    """Returns the process ids of a group that are alive."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, pgrp, *_ = place.read_text().rpartition(")")[2].split()
            if int(pgrp) == group and state not in "ZX":
                found.append(int(place.parent.name))
    return sorted(found)


def living_descendants(of: int) -> set[int]:
    """Returns the process ids of the children of a process that are alive, of their children, and so on."""
    children: dict[int, set[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = place.read_text().rpartition(")")[2].split()
            if state not in "ZX":
                children.setdefault(int(parent), set()).add(int(place.parent.name))
    found = set[int]()
    waiting = {of}
    while waiting:
        waiting = set().union(*(children.get(pid, set()) for pid in waiting))
        found |= waiting
    return found


@dataclass
class Part:
    """One place in the topology and the process that fills it now."""

    name: str
    command: str
    at: int
    process: Process | None = None
    expected_end: bool = False
    host: Host | None = None
    """Where it runs; None: all run in this checkout."""


@dataclass
class Recovery:
    """A part that was restarted and does not work yet."""

    part: str
    since: float
    works: Callable[[], bool]
    process: Process | None = None


@dataclass
class Town:
    """All processes, which parts are away, and how long each took to come back."""

    service: Service
    luck: Random
    webs: int = 2
    workers: int = 2
    beats: int = 1
    hosts: Sequence[Host] = ()
    """One for each of `PARTS_OF_HOSTS`, or none: then all run in this checkout."""
    parts: list[Part] = field(default_factory=list)
    waiting: list[Recovery] = field(default_factory=list)
    recovered: list[tuple[str, float]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    postgres_up: bool = True
    redis_up: bool = True

    def open(self) -> None:
        """Starts everything, and returns when all of it works."""
        self.parts = [
            *(Part(f"web {n}", "web", n) for n in range(self.webs)),
            *(Part(f"worker {n}", "worker", n) for n in range(self.workers)),
            *(Part(f"beat {n}" if n else "beat", "beat", n) for n in range(self.beats)),
            Part("inbound", "inbound", 0),
        ]
        if self.hosts:
            self.parts = [
                Part(f"{command} of {host.name}", command, int(host.name[-1]), host=host)
                for host in self.hosts for command in PARTS_OF_HOSTS[host.name]
            ]  # fmt: skip
        for part in self.parts:
            self.start(part)
        self.await_all(RECOVERY_S)
        self.recovered.clear()

    def start(self, part: Part) -> None:
        """Starts the part's process. Returns at once; how long it takes until it works is measured."""
        more = {"PORT": str(self.service.ports[part.at])} if part.command == "web" else {}
        tree, own = (ROOT, {}) if part.host is None else (part.host.tree, part.host.environ)
        process = self.service.start_in(tree, part.command, more | own)
        part.process, part.expected_end = process, False
        self.groups.append(process.popen.pid)
        if part.command == "web":
            url = f"http://127.0.0.1:{self.service.ports[part.at]}/healthz"
            self.measure(part.command, lambda: does_url_answer(url), process)
        else:
            self.measure(part.command, lambda: ANSWERS[part.command] in process.output, process)

    def measure(self, part: str, works: Callable[[], bool], process: Process | None = None) -> None:
        """Starts to measure how long the part takes to work; for a process, unless it is killed before."""
        self.waiting.append(Recovery(part, time.monotonic(), works, process))

    def kill(self, part: Part, how: str) -> bool:
        """Kills the part's process with -9; returns whether the test must restart it."""
        if part.process is None or part.process.popen.poll() is not None:
            return False
        main = part.process.popen.pid
        if how == "child":
            children = [pid for pid in processes_of_group(main) if pid != main]
            if children:
                os.kill(self.luck.choice(children), signal.SIGKILL)
            return False
        part.expected_end = True
        self.waiting = [one for one in self.waiting if one.process is not part.process]
        if how == "main":
            os.kill(main, signal.SIGKILL)
            part.process.popen.wait()
        else:
            part.process.kill()
        return True

    def kill_host(self, which: int) -> list[Part]:
        """Kills all processes of one of the hosts with -9; returns the parts that the test must start again."""
        host = self.hosts[which % len(self.hosts)]
        return [part for part in self.parts if part.host is host and self.kill(part, "all")]

    def files_in_common(self) -> list[str]:
        """Returns what processes of hosts hold open that is not their host's own."""
        return [
            f"{part.name} uses {file}"
            for part in self.parts if part.host is not None and part.process is not None
            for file in sorted(foreign_files(part.host, processes_of_group(part.process.popen.pid)))
        ]  # fmt: skip

    def kill_postgres(self, how: str) -> bool:
        """Kills the database, or one of its connection processes; returns whether the test must restart it."""
        if not self.postgres_up:
            return False
        if how == "child":
            with suppress(psycopg.OperationalError), psycopg.connect(self.service.database_url) as own:
                serving = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> %s"
                pids = [pid for (pid,) in own.execute(serving, [own.info.backend_pid])]
                with suppress(ProcessLookupError):
                    os.kill(self.luck.choice(pids), signal.SIGKILL) if pids else None
            self.measure("postgres", self.database_answers)
            return False
        self.postgres_up = False
        self.service.postgres.stop(signal.SIGKILL)
        return True

    def start_postgres(self) -> bool:
        """Starts the database; returns False if remains of the old one prevent it."""
        begun = time.monotonic()
        try:
            self.service.postgres.start()
        except RuntimeError as error:
            if "pre-existing shared memory" not in str(error):
                self.complaints.append(f"PostgreSQL did not start: {error}")
            return False
        self.postgres_up = True
        self.waiting.append(Recovery("postgres", begun, self.database_answers))
        return True

    def kill_redis(self) -> bool:
        """Kills the broker with all its messages; returns whether the test must restart it."""
        if not self.redis_up:
            return False
        self.redis_up = False
        self.service.broker.kill()
        return True

    def start_redis(self) -> None:
        """Starts the broker."""
        self.service.broker.start()
        self.redis_up = True
        done = self.tasks_done()
        self.measure("redis", lambda: self.broker_works(done))

    def database_answers(self) -> bool:
        """True if all web servers reach the broker."""
        return all(does_url_answer(f"http://127.0.0.1:{port}/readyz") for port in self.service.ports[: self.webs])

    def broker_works(self, done: int) -> bool:
        """True if beat has reconnected, and a worker has done a task that came through the broker."""
        try:
            with redis.Redis.from_url(self.service.broker.url, socket_timeout=AT_ONCE_S) as client:
                return bool(client.exists(BEAT_KEY)) and self.tasks_done() > done
        except redis.RedisError:
            return False

    def tasks_done(self) -> int:
        """Returns the number of tasks that the workers have logged."""
        return sum(process.output.count(TASK) for process in self.service.processes if process.name == "worker")

    def look(self) -> None:
        """Notes which processes work again, and which ended though nobody killed them."""
        now = time.monotonic()
        for one in self.waiting[:]:
            if one.works():
                self.waiting.remove(one)
                self.recovered.append((one.part, now - one.since))
            elif now - one.since > RECOVERY_S:
                self.waiting.remove(one)
                self.complaints.append(f"{one.part} does not work {RECOVERY_S:.0f} s after it was started again")
        for part in self.parts:
            if part.process and not part.expected_end and part.process.popen.poll() is not None:
                last = part.process.output[-600:]
                self.complaints.append(f"{part.name} ended by itself, {part.process.popen.returncode}: {last}")
                self.start(part)

    def await_all(self, seconds: float) -> None:
        """Returns when everything that was started works, or after a time limit."""
        end = time.monotonic() + seconds
        while self.waiting and time.monotonic() < end:
            self.look()
            time.sleep(0.1)

    def left_behind(self) -> list[int]:
        """Returns the processes whose main process is gone but which have not ended."""
        now = {part.process.popen.pid for part in self.parts if part.process}
        return [pid for group in self.groups if group not in now for pid in processes_of_group(group)]

    def close(self) -> None:
        """Stops all parts in order; a part that does not stop cleanly is a complaint."""
        for part in self.parts:
            if part.process is not None and part.process.popen.poll() is None:
                part.expected_end = True
                part.process.popen.send_signal(signal.SIGTERM)
        for part in self.parts:
            if part.process is not None:
                status = part.process.popen.wait(60)
                if status != 0:
                    self.complaints.append(f"{part.name} was told to end and did with {status}")


def does_url_answer(url: str) -> bool:
    """True if the address answers at once with status 200."""
    try:
        with urllib.request.urlopen(url, timeout=AT_ONCE_S) as answer:
            return bool(answer.status == 200)
    except (OSError, HTTPException):
        return False
