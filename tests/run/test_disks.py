"""A folder that is full, read-only, somebody else's or no folder, and files that are none of ours: one sentence each.

Nothing starts, nothing is made, and nothing that was there is lost.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import Session

from pbem.cli import main
from pbem.config import ConfigError, ensure_secret_file
from pbem.models.engine import STORES_NOTHING, make_engine
from pbem.models.tables import Player
from pbem.run.embedded import LaunchError, run_embedded
from pbem.run.reasons import OF_DATABASE
from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]
NOBODY = 65534
MOUNTS = os.geteuid() == 0 and shutil.which("unshare") is not None


def pbem(data: Path, *words: str, before: str = "", stdout: str = "") -> tuple[int, str]:
    """Returns the exit status of the command and what it said; `before` runs in a mount namespace of its own."""
    command = " ".join([sys.executable, "-m", "pbem.cli", *words])
    script = f"{before}\nexec {command} {stdout}"
    argv = ["unshare", "--mount", "sh", "-ec", script] if before else ["sh", "-ec", script]
    environ = {**os.environ, "PBEM_DATA": str(data), "PORT": "0", "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    done = subprocess.run(argv, env=environ, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stderr.strip()


def free_port() -> int:
    """Returns a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def sentence_of_refusal(data: Path) -> str:
    """Returns the sentence with which `pbem run` refuses to start."""
    mask = os.umask(0o077)
    try:
        with pytest.raises((LaunchError, ConfigError)) as caught:
            run_embedded({"PBEM_DATA": str(data), "PORT": str(free_port())})
    finally:
        os.umask(mask)
    return str(caught.value)


@pytest.fixture
def folder_with_player(sqlite_url: str, tmp_path: Path) -> Path:
    """The folder of a site that has a player."""
    ensure_secret_file(tmp_path)
    engine = make_engine(sqlite_url)
    now = datetime.now(UTC)
    with Session(engine) as session:
        alice = "alice@example.org"
        session.add(Player(address=alice, canonical=alice, language="en", zone="Europe/Paris", created_at=now))
        session.commit()
    engine.dispose()
    assert sqlite_url == f"sqlite:///{tmp_path / 'pbem.db'}"
    return tmp_path


def test_each_error_of_an_unwritable_database_is_explained_in_a_sentence() -> None:
    assert set(STORES_NOTHING) <= set(OF_DATABASE)


def test_a_data_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("")
    assert "is not a folder" in sentence_of_refusal(tmp_path / "var")


def test_a_file_that_is_no_database_is_named_and_left_alone(folder_with_player: Path) -> None:
    (folder_with_player / "pbem.db").write_bytes(b"no database" * 100)
    for name in ("pbem.db-wal", "pbem.db-shm"):
        (folder_with_player / name).unlink(missing_ok=True)
    assert "is no SQLite database" in sentence_of_refusal(folder_with_player)
    assert (folder_with_player / "pbem.db").read_bytes() == b"no database" * 100


def test_a_lost_secret_beside_players_is_not_made_again(folder_with_player: Path) -> None:
    (folder_with_player / "secret").unlink()
    said = sentence_of_refusal(folder_with_player)
    assert "Restore it from the backup" in said
    assert "pbem secret new" in said
    assert not (folder_with_player / "secret").exists()


def test_secret_new_makes_a_lost_secret_and_never_replaces_one(
    folder_with_player: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_DATA", str(folder_with_player))
    there = CliRunner().invoke(main, ["secret", "new"])
    assert there.exit_code == 1
    assert "is there already" in there.output
    (folder_with_player / "secret").unlink()
    made = CliRunner().invoke(main, ["secret", "new"])
    assert made.exit_code == 0, made.output
    assert len((folder_with_player / "secret").read_text().strip()) >= 32


@pytest.mark.parametrize(("text", "said"), [("", "empty"), ("short", "5 characters long"), ("\udcff" * 40, "no text")])
def test_an_invalid_secret_file_is_named(folder_with_player: Path, text: str, said: str) -> None:
    (folder_with_player / "secret").write_bytes(text.encode(errors="surrogateescape"))
    assert said in sentence_of_refusal(folder_with_player)
    assert (folder_with_player / "secret").read_bytes() == text.encode(errors="surrogateescape")


@pytest.mark.long
def test_a_full_disk_behind_standard_output_is_reported(folder_with_player: Path) -> None:
    code, said = pbem(folder_with_player, "run --help", stdout="> /dev/full")
    assert code == 1
    assert "The disk is full" in said


@pytest.mark.sample(1)
@pytest.mark.skipif(not MOUNTS, reason="only root mounts disks")
@pytest.mark.parametrize(
    ("disk", "said"),
    [
        (
            "mount -t tmpfs -o size=64k none {data}; head -c 99999 /dev/zero > {data}/x 2> /dev/null || true",
            "The disk is full",
        ),
        ("mount -t tmpfs none {data}; mount -o remount,ro {data}", "read-only"),
    ],
    ids=["full", "read-only"],
)
def test_an_unwritable_data_folder_is_named_at_startup(tmp_path: Path, disk: str, said: str) -> None:
    code, words = pbem(tmp_path, "run", before=disk.format(data=tmp_path))
    assert code == 1
    assert len(words.splitlines()) == 1, words
    assert said in words
    assert str(tmp_path) in words


@pytest.mark.skipif(not MOUNTS, reason="only root becomes another user")
def test_a_data_folder_of_another_user_is_refused_naming_who_runs_pbem(folder_with_player: Path) -> None:
    (folder_with_player / "secret").chmod(0o600)
    for folder in (folder_with_player, *folder_with_player.parents):
        if str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        said = sentence_of_refusal(folder_with_player)
    finally:
        os.seteuid(0)
    assert "may not be read or written by the user nobody" in said


@pytest.mark.skipif(not MOUNTS, reason="only root mounts disks")
def test_a_backup_to_a_full_disk_leaves_no_partial_file(
    folder_with_player: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    disk = tmp_path_factory.mktemp("disk")
    before = f"mount -t tmpfs -o size=64k none {disk}; trap '' EXIT"
    command = f"backup {disk}/copy; ls -A {disk}"
    script = f"{before}\n{sys.executable} -m pbem.cli {command}"
    environ = {**os.environ, "PBEM_DATA": str(folder_with_player), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        env=environ, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert "The backup was not made" in done.stderr
    assert done.stdout == ""
