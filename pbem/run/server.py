"""The web: `python -m pbem.run.server` answers pages and API on one port, in as many processes as WEB_CONCURRENCY says.

Each process has one thread that talks to all clients (`pbem.run.connections`) and a few that run the application
(`pbem.run.gateway`). The processes are forks of one that has imported what all need and keeps nothing but the port:

* A process that ends is replaced. One that cannot load the application ends them all: the next one could not either.
* A process takes a new connection only while it has a thread for it, and waits for a moment first if another has
  fewer. The system wakes the same process again and again: without that it would have all connections that stay open.
* SIGTERM and SIGINT: no process takes anything new, each answers what it has begun, for at most GRACE_S seconds. A move
  that was not answered by then may have been made; sending the same move again returns the first receipt.

`pbem run` has one process, which it starts, and starts again, itself: there the web is that process alone.
"""

from __future__ import annotations

import asyncio
import mmap
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import inf
from types import FrameType
from typing import TYPE_CHECKING

import structlog
import uvicorn

from pbem import logs
from pbem.config import THREADS, Config, config_of_process
from pbem.run.children import Fork, end_with_launcher, open_standard_streams
from pbem.run.connections import Connection
from pbem.run.gateway import Gateway
from pbem.run.listening import listening_socket
from pbem.run.parking import Parking
from pbem.run.preloading import preload_games_and_features, preload_modules, without_garbage_collection
from pbem.run.reasons import why_database_unusable

if TYPE_CHECKING:
    from flask import Flask

APPLICATION = "pbem:create_app"
GRACE_S = {"production": 30, "embedded": 5}
LOOPS: Mapping[str, str] = {"production": "auto", "embedded": "asyncio"}
"""`auto` is uvloop where there is one: it takes 0.86 of the processor time of a move, and a few megabytes more."""
KILL_AFTER_S = 5.0
"""The time after its grace period in which a process may end before it is killed."""
CONNECTIONS = 4096
"""The most connections of a process; more wait in the port's queue."""
LEAVE_S = 0.02
"""How long a process that has more connections than another leaves a new one to it."""
TICK_S, ALONE_S = 0.1, 1.0
"""How often a process notes how many connections it has; and how often the only one looks whether its parent is there,
and sets the date that its answers show in seconds."""
FRESH_S = 0.5
"""A process that has not said for this long how many connections it has counts for nothing: it has ended, or hangs."""
CANNOT_LOAD = 3
"""The status of a process that could not load the application."""
RESTART_S = 1.0
"""The pause before the replacement of a process that has ended by itself."""
PRELOADED = ("pbem.web", "pbem.api", "pbem.services.clock.web_heartbeat", "pbem.services.wakeup")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

log = structlog.get_logger()


class Shares:
    """How many connections each process has: memory that is mapped before they are forked, and shared."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._numbers = memoryview(mmap.mmap(-1, 16 * count)).cast("d")  # for each its number, and when it was noted

    def note_connections(self, process: int, connections: float) -> None:
        """Notes how many connections a process has; infinitely many for one that takes no more now."""
        self._numbers[2 * process] = connections
        self._numbers[2 * process + 1] = time.monotonic()

    def has_any_below(self, connections: int) -> bool:
        """True if a process that has fewer than this takes more."""
        least = time.monotonic() - FRESH_S
        noted = zip(self._numbers[::2].tolist(), self._numbers[1::2].tolist(), strict=True)
        return any(number < connections and at > least for number, at in noted)


class Server(uvicorn.Server):
    """uvicorn's server on a socket that other processes listen on, too; `process` is its number among them."""

    def __init__(
        self, config: uvicorn.Config, gateway: Gateway, listener: socket.socket, shares: Shares, process: int
    ) -> None:
        super().__init__(config)
        self.gateway = gateway
        self.listener = listener
        self.shares = shares
        self.process = process
        self.parent = os.getppid()
        self._told = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to take connections."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets=[])
        self._made = set[asyncio.Task[object]]()
        self._resting = self._leaving = self._listening = False
        self.gateway.on_change = self._listen_or_not
        self._listen_or_not()

    async def main_loop(self) -> None:
        """Returns when the process must end: it was told to, or its parent is gone."""
        often, tenths = (TICK_S, 1) if self.shares.count > 1 else (ALONE_S, 10)
        counter = 0
        while not await self.on_tick(counter):
            counter += tenths
            with suppress(TimeoutError):
                async with asyncio.timeout(often):
                    await self._told.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Notes the signal, and ends the wait for the next tick."""
        super().handle_exit(sig, frame)
        if self.started and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told.set)

    async def on_tick(self, counter: int) -> bool:
        """Returns whether the process must end."""
        self._share_count()
        return await super().on_tick(counter) or os.getppid() != self.parent

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes no more connections; returns when all requests are answered, or the grace period is over.

        Those that wait for news are answered at once.
        """
        self.should_exit = True  # also where it ends because its parent is gone
        self._listen_or_not()
        if self.gateway.parking is not None:
            self.gateway.parking.end()
        self.listener.close()
        await super().shutdown(sockets=[])

    @property
    def _number_of_connections(self) -> int:
        """How many connections it has; one that has just been taken may count twice."""
        return len(self.server_state.connections) + len(self._made)

    @property
    def _takes_no_more(self) -> bool:
        return self.should_exit or self._resting or self.gateway.busy

    def _share_count(self) -> None:
        self.shares.note_connections(self.process, inf if self._takes_no_more else self._number_of_connections)

    def _listen_or_not(self) -> None:
        """Watches for new connections, or leaves them to other processes."""
        self._share_count()
        if self._listening == (self._takes_no_more or self._leaving):
            self._listening = not self._listening
            if self._listening:
                self._loop.add_reader(self.listener, self._accept_in_turn)
            else:
                self._loop.remove_reader(self.listener)

    def _pause_accepting(self, seconds: float) -> None:
        self._resting = True
        self._listen_or_not()
        self._loop.call_later(seconds, self._resume_accepting)

    def _resume_accepting(self) -> None:
        self._resting = False
        self._listen_or_not()

    def _accept_in_turn(self) -> None:
        """Takes a connection, after a moment if another process has fewer."""
        self._share_count()  # its own number, too, is compared
        if self.shares.has_any_below(self._number_of_connections):
            self._leaving = True
            self._listen_or_not()
            self._loop.call_later(LEAVE_S, self._accept_after_pause)
        else:
            self._accept()

    def _accept_after_pause(self) -> None:
        self._leaving = False
        self._listen_or_not()
        if self._listening:
            self._accept()

    def _accept(self) -> None:
        """Takes a single connection: the loop can see what it asks before the next one is taken."""
        if self._number_of_connections >= CONNECTIONS:
            self._pause_accepting(0.05)
            return
        try:
            connection, _ = self.listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another process was quicker, or the client has left
        except OSError as error:  # no file descriptor is left: closing a connection frees one
            log.warning("web.cannot_accept", reason=error.strerror)
            self._pause_accepting(1)
            return
        connection.setblocking(False)
        task: asyncio.Task[object] = self._loop.create_task(
            self._loop.connect_accepted_socket(
                lambda: Connection(config=self.config, server_state=self.server_state, app_state={}), connection
            )
        )
        self._made.add(task)
        task.add_done_callback(self._made.discard)


def serve_from_command_line(argv: Sequence[str]) -> int:
    """Serves the application in the first argument (`module:factory`) until told to end; returns the exit status.

    The second one is the descriptor of a socket that listens already, if the process that forked this one holds it.
    """
    open_standard_streams()
    config = config_of_process()
    logs.configure_logging(as_json=config.log_json)
    if (wrong := why_database_unusable(config)) is not None:
        print(f"pbem: {wrong}", file=sys.stderr)  # noqa: T201
        return 1
    _raise_file_limit()
    web = Web(factory=argv[0] if argv else APPLICATION, config=config, grace_s=GRACE_S[config.mode])
    try:
        listening = socket.socket(fileno=int(argv[1])) if len(argv) > 1 else listening_socket(config)
    except OSError as error:
        print(f"pbem: cannot listen on port {config.port}: {error.strerror or error}.", file=sys.stderr)  # noqa: T201
        return 1
    with listening as listener:
        if config.mode == "embedded":
            return web.serve(listener, Shares(1), 0)
        return Processes(web, listener, config.web_processes).run()


@dataclass(frozen=True)
class Web:
    """What a web process serves."""

    factory: str
    config: Config
    grace_s: int

    def serve(self, listener: socket.socket, shares: Shares, process: int) -> int:
        """Answers on the socket in this process until it is told to end; returns the exit status.

        Meanwhile it records the web's heartbeat. `process` is its number.
        """
        try:
            module, _, factory = self.factory.partition(":")
            with without_garbage_collection():
                app: Flask = getattr(import_module(module), factory)()
        except Exception:
            log.exception("web.cannot_load", application=self.factory)
            return CANNOT_LOAD
        # Imported here: the process that forks the others does not need it.
        from pbem.games import list_faults
        from pbem.services.clock import web_heartbeat
        from pbem.services.views import waiting
        from pbem.web.features import larger_bodies

        if process == 0 and self.config.mode == "production":  # `pbem run` says it itself
            for slug, _origin, said in list_faults():
                log.warning("games.broken", game=slug, why=said)
        site = app.extensions["pbem"]
        parking = Parking(
            _places_for_waiting(self.config),
            partial(waiting.find_outdated_among_known, site),
            partial(waiting.read_places_of_players, site),
        )
        gateway = Gateway(app, THREADS, self.config.max_body, larger_bodies(self.config), parking)
        server = Server(self._uvicorn_config(gateway), gateway, listener, shares, process)
        for number in (signal.SIGTERM, signal.SIGINT):
            # Until uvicorn has installed its handlers, and when it passes its signals on to the earlier ones.
            signal.signal(number, server.handle_exit)
        web_heartbeat.start_web_heartbeat(site)
        server.run()
        site.counters.flush()  # a fork ends without Python's own exit handling
        return 0

    def _uvicorn_config(self, gateway: Gateway) -> uvicorn.Config:
        return uvicorn.Config(
            gateway,
            http=Connection,
            loop=LOOPS[self.config.mode],
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,  # its lines go where all others go
            access_log=False,  # the application writes a line for each request, with the route in place of the path
            proxy_headers=False,  # which proxies to believe is the application's business
            server_header=False,
            workers=1,  # otherwise it reads WEB_CONCURRENCY itself, and fails if it is empty
            timeout_graceful_shutdown=self.grace_s,
        )


class Processes:
    """The processes of the web, from the first to the last."""

    def __init__(self, web: Web, listener: socket.socket, count: int) -> None:
        self.web = web
        self.listener = listener
        self.count = count
        self._shares = Shares(count)
        self._running: list[Fork] = []
        self._main = os.getpid()

    def run(self) -> int:
        """Keeps the processes running until told to end, then ends them; returns the exit status."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        preload_modules(*PRELOADED)
        preload_games_and_features()
        self._running = [self._fork_process(number) for number in range(self.count)]
        log.info("web.started", port=self.listener.getsockname()[1], processes=self.count)
        status = 0
        while status == 0 and signal.sigwait(_SIGNALS) == signal.SIGCHLD:
            status = self._replace_ended()
        log.info("web.stopping")
        self._stop_processes()
        return status

    def _fork_process(self, number: int, after_s: float = 0) -> Fork:
        process = Fork(target=self._serve_in_fork, args=(number, after_s))
        process.start()
        return process

    def _serve_in_fork(self, number: int, after_s: float) -> None:
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        end_with_launcher(self._main)
        time.sleep(after_s)
        sys.exit(self.web.serve(self.listener, self._shares, number))

    def _replace_ended(self) -> int:
        """Replaces processes that have ended; returns the status to end with, or 0 to go on."""
        for number, process in enumerate(self._running):
            if process.poll() is None:
                continue
            log.warning("web.process_ended", status=process.returncode)
            if process.returncode == CANNOT_LOAD:
                return 1
            self._running[number] = self._fork_process(number, RESTART_S)
        return 0

    def _stop_processes(self) -> None:
        self.listener.close()
        for process in self._running:
            process.terminate()
        end = time.monotonic() + self.web.grace_s + KILL_AFTER_S
        for process in self._running:
            process.join(max(0, end - time.monotonic()))
            if process.poll() is None:
                log.warning("web.process_killed")
                process.kill()
                process.join()


def _raise_file_limit() -> None:
    """Raises the limit of open files to what the connections need: the usual one is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _places_for_waiting(config: Config) -> int:
    """Returns how many may wait: few enough that the system's limit of open files leaves some for others."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return config.waiting if soft == resource.RLIM_INFINITY else min(config.waiting, soft // 2)


if __name__ == "__main__":
    sys.exit(serve_from_command_line(sys.argv[1:]))
