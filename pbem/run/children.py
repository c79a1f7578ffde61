"""The child processes of `pbem run`: starts, supervises and stops them, with all processes they started themselves."""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
FAST_S = 20.0
FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0

CALL = signal.SIGUSR1
"""What a child sends to the launcher to call for the one that is forked only on demand."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(eq=False)
class Child:
    """A process in a group of its own, which Ctrl-C does not reach; Linux ends it if the launcher dies.

    `fast_deaths` counts the ends in a row that came less than FAST_S seconds after the start. Of the launcher's file
    descriptors it has `fds` alone.
    """

    name: str
    argv: list[str]
    environ: Mapping[str, str]
    patience_s: float
    fds: tuple[int, ...] = ()
    fast_deaths: int = field(default=0, init=False)
    process: subprocess.Popen[bytes] | Fork | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)
    _again_at: float | None = field(default=None, init=False)

    def start(self) -> None:
        """Starts the process; standard output goes to standard error, which is the log."""
        self._started = time.monotonic()
        self._again_at = None
        self.process = self._start_process()

    def _start_process(self) -> subprocess.Popen[bytes] | Fork:
        launcher = os.getpid()
        return subprocess.Popen(
            self.argv,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            process_group=0,
            pass_fds=self.fds,
            preexec_fn=lambda: end_with_launcher(launcher),  # noqa: PLW1509 - the launcher has one thread
        )

    def has_ended(self) -> bool:
        """True if the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def restart_if_needed(self) -> None:
        """Restarts the process after it ended, after a pause that grows with each early death in a row."""
        if self._again_at is not None:
            if time.monotonic() >= self._again_at:
                self.start()
            return
        if self.process is None or self.process.poll() is None:
            return
        # What it has started would get in the way of its successor: a second beat, a port in use.
        self._kill_group()
        fast = time.monotonic() - self._started < FAST_S
        self.fast_deaths = self.fast_deaths + 1 if fast else 1
        delay = min(FIRST_DELAY_S * 2 ** (self.fast_deaths - 1), LONGEST_DELAY_S)
        self._again_at = time.monotonic() + delay
        code = self.process.returncode
        how = f"status {code}" if code is None or code >= 0 else signal.Signals(-code).name
        said = f"ended by itself ({how}); it starts again in {delay:g} s"
        print(f"pbem: {self.name} {said}", file=sys.stderr, flush=True)  # noqa: T201

    def stop(self, hurry: Callable[[], bool]) -> None:
        """Guarantees that the process and its group are gone: asks, waits, kills; `hurry()` ends the wait."""
        self._again_at = None
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.terminate()
            deadline = time.monotonic() + self.patience_s
            while self.process.poll() is None and time.monotonic() < deadline and not hurry():
                time.sleep(0.02)
        self._kill_group()
        self.process.wait()

    def _kill_group(self) -> None:
        # PermissionError: macOS raises it for a group that contains only zombies.
        if self.process is not None and self.process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


class Twin(Child):
    """A child that runs a Python program, `argv[0]` the module: a fork of the launcher, which has imported it already.

    The modules are read once and shared in memory. The child has every file descriptor of the launcher open, except for
    `fds`.
    """

    def _start_process(self) -> Fork:
        process = Fork(target=self._run_in_fork, args=(os.getpid(),), name=self.name)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # the launcher's handlers are not for the child
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return process

    def _run_in_fork(self, launcher: int) -> None:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)  # this one's signals are not for the launcher
        for number in (*_SIGNALS, signal.SIGCHLD, CALL):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        end_with_launcher(launcher, f"pbem {self.name}")
        for fd in self.fds:
            os.close(fd)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        os.environ.clear()
        os.environ.update(self.environ)
        sys.argv = list(self.argv)
        runpy.run_module(self.argv[0], run_name="__main__", alter_sys=True)


class OnCall(Twin):
    """A twin that runs only when it is called: it ends as soon as it has done what it was called for."""

    called = False

    def restart_if_needed(self) -> None:
        """Starts the process if it was called since it was last started and does not run."""
        if self.called and (self.process is None or self.process.poll() is not None):
            self.called = False
            self.start()

    def has_ended(self) -> bool:
        """False: that it has ended is no reason to look after it."""
        return False


class Fork(ForkProcess):
    """A fork with the interface of a subprocess."""

    def poll(self) -> int | None:
        """Returns its exit status; None while it runs."""
        return self.exitcode

    def wait(self) -> None:
        """Waits until it has ended."""
        self.join()

    @property
    def returncode(self) -> int | None:
        return self.exitcode


def open_standard_streams() -> None:
    """Guarantees that standard output and error are there: closed ones are nowhere, and so is what they are told."""
    for fd, name in ((1, "stdout"), (2, "stderr")):
        try:
            os.fstat(fd)
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != fd:
                os.dup2(nowhere, fd)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(fd, "w", encoding="utf-8", closefd=False))


def end_with_launcher(launcher: int, name: str | None = None) -> None:
    """Runs in a child: has Linux end it together with its launcher (which may have died already), and sets its name."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if name is not None:
            _libc.prctl(PR_SET_NAME, name.encode())
        if os.getppid() != launcher:
            os._exit(1)
