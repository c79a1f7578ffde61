"""The process that takes mail in: it begins, acknowledges, and ends in order."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.features.inbox.ways.lmtp import MAIL, TO, Client
from tests.harness.servers import copy_sqlite
from tests.harness.waiting import SECONDS, wait_until


@pytest.fixture
def environ(tmp_path: Path, sqlite_migrated: Path) -> dict[str, str]:
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return known | {"PBEM_MODE": "embedded", "PBEM_SECRET": "s" * 32, "PBEM_DATA": str(tmp_path)}


@pytest.fixture
def path() -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield f"{folder}/lmtp"


def start_intake(environ: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pbem.cli", "inbound"],
        env=environ,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


def does_socket_listen(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def rows_kept(environ: dict[str, str]) -> list[bytes]:
    with closing(sqlite3.connect(Path(environ["PBEM_DATA"]) / "pbem.db")) as connection:
        return [raw for (raw,) in connection.execute("SELECT raw FROM inbox")]


def test_the_intake_process_stores_what_it_acknowledges_and_ends_on_signal(environ: dict[str, str], path: str) -> None:
    environ |= {"PBEM_LMTP": path, "PBEM_REPLY_TO": "play+{token}@pbem.example"}
    processes = [running := start_intake(environ)]
    try:
        wait_until(lambda: does_socket_listen(path) or running.poll() is not None, "the server to listen")
        client = Client(path)
        assert client.give(MAIL, TO) == ["250 2.0.0 OK"]
        running.kill()
        running.wait(SECONDS)
        assert rows_kept(environ) == [MAIL]
        client.close()
        processes.append(again := start_intake(environ))
        wait_until(
            lambda: does_socket_listen(path) or again.poll() is not None,
            "the next server to listen, on the same socket",
        )
        client = Client(path)
        assert client.give(MAIL, TO) == ["250 2.0.0 OK"]
        client.close()
        again.send_signal(signal.SIGTERM)
        assert again.wait(SECONDS) == 0
        assert rows_kept(environ) == [MAIL]
        assert not os.path.exists(path)
        assert "Traceback" not in (again.stderr.read() if again.stderr else "")
    finally:
        for process in processes:
            process.kill()
            process.wait(SECONDS)


@pytest.mark.long
def test_without_an_intake_the_intake_process_waits_to_be_stopped(environ: dict[str, str]) -> None:
    running = start_intake(environ)
    try:
        wait_until(
            lambda: running.poll() is not None or has_signal_handler(running.pid, signal.SIGTERM),
            "it to wait for a signal",
        )
        running.send_signal(signal.SIGTERM)
        assert running.wait(SECONDS) == 0
    finally:
        running.kill()
        running.wait(SECONDS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_with_the_feature_off_the_intake_process_says_so_and_waits(
    environ: dict[str, str], number: signal.Signals
) -> None:
    running = start_intake(environ | {"PBEM_FEATURES": "push"})
    try:
        assert running.stderr is not None
        said = running.stderr.readline()
        assert "belongs to the feature inbox, which PBEM_FEATURES leaves out. It waits" in said
        assert running.poll() is None
        running.send_signal(number)
        assert running.wait(SECONDS) == 0
        assert running.stderr.read() == ""
    finally:
        running.kill()
        running.wait(SECONDS)


def test_with_the_feature_off_a_wrong_core_setting_ends_the_intake_process(environ: dict[str, str]) -> None:
    running = start_intake(environ | {"PBEM_FEATURES": "push", "PBEM_TURN_SECONDS": "never"})
    _, said = running.communicate(timeout=SECONDS)
    assert running.returncode == 1
    assert "PBEM_TURN_SECONDS" in said


def has_signal_handler(pid: int, number: signal.Signals) -> bool:
    """True if the process has a handler for this signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:\t")[2].split()[0], 16)
    return bool(caught >> (number - 1) & 1)


@pytest.mark.long
def test_a_port_already_in_use_is_reported_in_a_sentence(environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        running = start_intake(environ | {"PBEM_LMTP": where})
        _, said = running.communicate(timeout=SECONDS)
    assert running.returncode == 1
    assert f"Cannot listen at {where}" in said
    assert "Traceback" not in said
