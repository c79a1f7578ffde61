"""What the processes of `pbem run` load at their start, and what they leave until somebody needs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.servers import copy_sqlite
from tests.harness.waiting import SECONDS

HEAVY = {
    "alembic", "skia", "numpy", "PIL", "resvg_py", "lxml", "cryptography.hazmat", "dkim", "dns", "email_validator",
    "flufl", "pywebpush", "aiosmtpd", "imap_tools", "rich.console",
}  # fmt: skip
"""Packages that take milliseconds or megabytes, and that only some do with what the site offers."""

STARTED = """
import json, sys
from pbem.run import children, embedded, server
embedded.preload_for_children()
shared = [*sys.modules]
from pbem import create_app
app = create_app()
status = app.test_client().get("/", base_url="http://localhost:8000").status_code
from pbem.workers import single, tasks
print(json.dumps([status, shared, [*sys.modules]]))
"""

MIGRATED = """
import json, sys
from pbem.models import tables
from pbem.models.schema.upgrade import upgrade_database
upgrade_database(sys.argv[1], print)
print(json.dumps([*sys.modules]))
"""


def _read(program: str, folder: Path, *arguments: str) -> list[object]:
    """Runs this program on the folder of a `pbem run`, and returns what it says in JSON."""
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environ |= {"PBEM_MODE": "embedded", "PBEM_DATA": str(folder), "PBEM_SECRET": "s" * 32, "REDIS_URL": "unix:///none"}
    argv = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=SECONDS, check=True)
    said: list[object] = json.loads(done.stdout)
    return said


def test_rarely_used_libraries_are_not_imported_at_startup(tmp_path: Path, sqlite_migrated: Path) -> None:
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    status, shared, loaded = _read(STARTED, tmp_path)
    assert status == 200
    assert isinstance(shared, list)
    assert isinstance(loaded, list)
    assert HEAVY & {*loaded} == set()
    alone = [name for name in loaded if name not in shared]  # what both children load by themselves is in memory twice
    assert [name for name in alone if name.startswith("pbem.games.")] == []
    assert [name for name in alone if name.endswith((".pages", ".api", ".tasks"))] == ["pbem.workers.tasks"]


@pytest.mark.parametrize("file", ["pbem.db", "new.db"])
def test_a_new_database_is_created_without_importing_alembic(tmp_path: Path, sqlite_migrated: Path, file: str) -> None:
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    assert "alembic" not in _read(MIGRATED, tmp_path, f"sqlite:///{tmp_path / file}")
