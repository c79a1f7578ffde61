"""Makes the databases of one schema, on SQLite and on PostgreSQL: `python -m tests.upgrades.make NAME [CHECKOUT]`.

NAME is the schema's number, and what follows it tells apart databases that programs with the same number made
(`0019-b70c00fe`). CHECKOUT is the folder of the program that makes them, with its `.venv`: this one unless given. It
plays by its own `play.py`, which knows its functions.
For an old one, `git worktree add FOLDER COMMIT && make -C FOLDER .venv/.run`. Files that are there already are kept:
databases of a schema that has been on main are never made again.
"""

import lzma
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.harness.servers import postgres_programs, postgres_server

HERE = Path(__file__).parent
KEPT = HERE / "kept"


def make_databases(name: str, checkout: Path) -> None:
    """Makes both databases, with what their program says of them."""
    with tempfile.TemporaryDirectory() as scratch, postgres_server() as server:
        database = server.create()
        _play(checkout, server.url(database), Path(scratch) / "postgresql")
        dump = [f"{postgres_programs() / 'pg_dump'}", "--no-owner", "--no-privileges", "-U", "postgres"]
        sql = subprocess.run([*dump, "-h", f"{server.folder}", database], check=True, capture_output=True).stdout
        _keep(name, "postgresql.sql", sql)
        _keep(name, "postgresql.json", (Path(scratch) / "postgresql" / "kept.json").read_bytes())
        file = Path(scratch) / "pbem.db"
        _play(checkout, f"sqlite:///{file}", Path(scratch) / "sqlite")
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
        _keep(name, "sqlite.db", file.read_bytes())
        _keep(name, "sqlite.json", (Path(scratch) / "sqlite" / "kept.json").read_bytes())


def _play(checkout: Path, url: str, folder: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    play = checkout / "tests" / "upgrades" / "play.py"
    subprocess.run([python, play, url, folder], cwd=checkout, env={**os.environ, "PYTHONPATH": "."}, check=True)


def _keep(name: str, what: str, content: bytes) -> None:
    folder = KEPT / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{what}.xz").open("xb") as file:
        file.write(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    make_databases(sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else HERE.parents[1]).resolve())
