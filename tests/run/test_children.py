"""The children of `pbem run` are restarted, stop when asked to, and never outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.run import children
from pbem.run.children import Child, OnCall, Twin
from tests.harness.waiting import SECONDS, wait_until
from tests.processes import is_zombie

STAYS = "import signal; signal.pause()"
DEAF = """
import os, pathlib, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(os.environ["READY"]).touch()
signal.pause()
"""
POLITE = """
import os, pathlib, signal, sys, time
def bye(*_):
    pathlib.Path(os.environ["NOTE"]).write_text("bye")
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
pathlib.Path(os.environ["READY"]).touch()
while True:
    time.sleep(0.1)
"""


@pytest.fixture
def child() -> Iterator[Callable[..., Child]]:
    """Makes children that run a piece of Python, and ends them after the test."""
    made: list[Child] = []

    def make(program: str, patience_s: float = SECONDS, **environ: str) -> Child:
        made.append(Child("Bob", [sys.executable, "-c", program], {**os.environ, **environ}, patience_s))
        return made[-1]

    yield make
    for one in made:
        one.stop(lambda: True)


@contextmanager
def launcher(program: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that starts a child, and the child's process id, which it prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.stdout.close()
    finally:
        process.kill()
        process.wait()


def _pid(one: Child) -> int:
    assert one.process is not None
    assert one.process.pid is not None
    return one.process.pid


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody has waited for answers kill(0) as well.
    return not is_zombie(pid)


def test_a_child_that_ends_by_itself_starts_again_later_each_time(
    child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(children, "FIRST_DELAY_S", 0.05)
    monkeypatch.setattr(children, "FAST_S", 3600.0)
    bob = child("raise SystemExit(3)")
    bob.start()

    def third_death() -> bool:
        bob.restart_if_needed()
        return bob.fast_deaths == 3

    wait_until(third_death, "it ends for the third time")
    said = capfd.readouterr().err
    assert [part for part in ("0.05 s", "0.1 s", "0.2 s") if part in said] == ["0.05 s", "0.1 s", "0.2 s"]
    assert "Bob ended by itself (status 3)" in said


def test_a_child_that_lived_long_restarts_with_the_first_delay_again(
    child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "FAST_S", 0.0)
    monkeypatch.setattr(children, "FIRST_DELAY_S", 0.01)
    bob = child("raise SystemExit(0)")
    bob.start()
    first = _pid(bob)

    def is_started_again() -> bool:
        bob.restart_if_needed()
        return _pid(bob) != first

    wait_until(is_started_again, "it starts again")
    wait_until(bob.has_ended, "it ends again")
    bob.restart_if_needed()
    assert bob.fast_deaths == 1


def test_stopping_a_child_process_sends_sigterm_first(child: Callable[..., Child], tmp_path: Path) -> None:
    ready, note = tmp_path / "ready", tmp_path / "note"
    bob = child(POLITE, NOTE=str(note), READY=str(ready))
    bob.start()
    wait_until(ready.exists, "it would hear SIGTERM")
    bob.stop(lambda: False)
    assert note.read_text() == "bye"
    assert bob.has_ended()


def test_stopping_kills_a_child_that_ignores_sigterm(child: Callable[..., Child], tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    bob = child(DEAF, patience_s=0.3, READY=str(ready))
    bob.start()
    wait_until(ready.exists, "it is deaf to SIGTERM")
    bob.stop(lambda: False)
    assert bob.process is not None
    assert bob.process.returncode == -signal.SIGKILL


def test_a_second_ctrl_c_kills_a_child_at_once(child: Callable[..., Child], tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    bob = child(DEAF, patience_s=3600, READY=str(ready))  # if it waited, this test would never end
    bob.start()
    wait_until(ready.exists, "it is deaf to SIGTERM")
    bob.stop(lambda: True)
    assert bob.process is not None
    assert bob.process.returncode == -signal.SIGKILL


def test_a_restarted_childs_former_subprocesses_are_gone(
    child: Callable[..., Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "FIRST_DELAY_S", 3600.0)
    note = tmp_path / "note"
    bob = child(
        "import subprocess, sys, os, pathlib\n"
        f"beat = subprocess.Popen([sys.executable, '-c', {STAYS!r}])\n"
        "pathlib.Path(os.environ['NOTE']).write_text(str(beat.pid))",
        NOTE=str(note),
    )
    bob.start()
    wait_until(bob.has_ended, "it ends")
    beat = int(note.read_text())
    assert _alive(beat)
    bob.restart_if_needed()
    wait_until(lambda: not _alive(beat), "what it started is gone")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the children of a killed process")
def test_children_end_when_the_launcher_is_killed() -> None:
    program = (
        "import os, signal, sys\n"
        "from pbem.run.children import Child\n"
        f"bob = Child('Bob', [sys.executable, '-c', {STAYS!r}], os.environ, 5)\n"
        "bob.start(); print(bob.process.pid, flush=True); signal.pause()"
    )
    with launcher(program) as (process, bob):
        assert _alive(bob)
        process.kill()
        process.wait()
        wait_until(lambda: not _alive(bob), "the child is gone")


TWIN = """
import os, signal, sys, time
from contextlib import contextmanager
from pathlib import Path
note = Path(sys.argv[1])
try:
    os.fstat(int(sys.argv[2]))
    lock = "open"
except OSError:
    lock = "closed"
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
heard = signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
note.write_text(f"{__name__} {os.environ['WHO']} {lock} {heard} {os.getpgid(0) == os.getpid()} {'json' in sys.modules}")
while True:
    time.sleep(0.1)
"""


def test_a_twin_runs_a_module_in_a_fork_with_earlier_imports_until_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "twin_of_bob.py").write_text(TWIN)
    monkeypatch.syspath_prepend(tmp_path)
    note = tmp_path / "note"
    with (tmp_path / "lock").open("w") as lock:
        bob = Twin("Bob", ["twin_of_bob", str(note), str(lock.fileno())], {"WHO": "Bob"}, SECONDS, (lock.fileno(),))
        bob.start()
        try:
            wait_until(lambda: note.exists() and note.read_text(), "it has said who it is")
        finally:
            bob.stop(lambda: False)
    assert note.read_text() == "__main__ Bob closed True True True"
    assert bob.has_ended()
    assert bob.process is not None
    assert bob.process.returncode == 3


def test_after_a_failed_fork_the_launcher_still_handles_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room() -> int:
        raise BlockingIOError("no room for another process")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fork", no_room)
        with pytest.raises(BlockingIOError):
            Twin("Bob", ["twin_of_bob"], {}, 5).start()
    deaf = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # otherwise later tests would ignore signals, too
    assert deaf == set()


def test_a_twin_that_ends_by_itself_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(children, "FIRST_DELAY_S", 0.05)
    monkeypatch.setattr(children, "FAST_S", 3600.0)
    (tmp_path / "twin_of_carol.py").write_text("raise SystemExit(4)")
    monkeypatch.syspath_prepend(tmp_path)
    carol = Twin("Carol", ["twin_of_carol"], {}, 5)
    carol.start()

    def second_death() -> bool:
        carol.restart_if_needed()
        return carol.fast_deaths == 2

    wait_until(second_death, "it ends for the second time")
    carol.stop(lambda: True)
    assert "Carol ended by itself (status 4)" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the children of a killed process")
def test_twins_end_when_the_launcher_is_killed(tmp_path: Path) -> None:
    (tmp_path / "twin_of_dave.py").write_text(STAYS)
    program = (
        "import os, signal\n"
        "from pbem.run.children import Twin\n"
        "dave = Twin('Dave', ['twin_of_dave'], os.environ, 5)\n"
        "dave.start(); print(dave.process.pid, flush=True); signal.pause()"
    )
    with launcher(program, PYTHONPATH=f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}") as (process, dave):
        assert _alive(dave)
        process.kill()
        process.wait()
        wait_until(lambda: not _alive(dave), "the child is gone")


ONCE = """
import os, pathlib
note = pathlib.Path(os.environ["NOTE"])
note.write_text(note.read_text() + "x" if note.exists() else "x")
go_on = pathlib.Path(os.environ["GO_ON"])
while not go_on.exists():
    pass
"""


def test_a_child_on_call_runs_when_called_and_again_if_called_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "once_for_bob.py").write_text(ONCE)
    monkeypatch.syspath_prepend(tmp_path)
    note, go_on = tmp_path / "note", tmp_path / "go_on"
    one = OnCall("Bob", ["once_for_bob"], {**os.environ, "NOTE": str(note), "GO_ON": str(go_on)}, SECONDS)
    try:
        one.restart_if_needed()
        assert one.process is None, "nobody has called it"
        one.called = True
        one.restart_if_needed()
        wait_until(note.exists, "it runs")
        one.called = True
        one.restart_if_needed()
        assert one.called, "it is still at it"
        go_on.touch()
        wait_until(lambda: one.process is not None and one.process.poll() is not None, "it ends")
        one.restart_if_needed()
        wait_until(lambda: note.read_text() == "xx", "it is at it again")
        wait_until(lambda: one.process is not None and one.process.poll() is not None, "it ends")
        one.restart_if_needed()
        assert note.read_text() == "xx", "nobody has called it again"
    finally:
        one.stop(lambda: True)
