"""Brings a database up to date as a host's command does: with a copy of a SQLite file from before, and a sentence.

The migrations of pbem are one transaction, and so are those of each feature, after it: if one fails, the database is as
it was before it, and the message says what had been upgraded. The copy is for what is noticed later, and for the way
back to the program from before. The last `KEPT` of them stay, since each holds all that the database held, what has
been erased from it since included.
"""

import filecmp
import os
import shutil
import sqlite3
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbem import clock, logs
from pbem.models.engine import FeatureFailed, OtherSchema, migrate, read_revisions
from pbem.models.schema import revisions
from pbem.models.schema.branches import branches
from pbem.models.schema.fresh import make_tables_if_empty

KEPT = 2
MB = 1_000_000


class NotUpgraded(Exception):
    """The database could not be brought up to date; the message says why, what has been changed, and what to do."""


def upgrade_database(url: str, say: Callable[[str], None]) -> None:
    """Upgrades the database to the newest schema.

    Calls `say` with the place of the copy made before, which only a SQLite file gets, and with the traceback of a
    failure. Raises NotUpgraded.
    """
    file = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None
    copy = None
    try:
        read_revisions(url)
        if make_tables_if_empty(url):
            return
        if file is not None and _is_older_database(file):
            copy = _copy_before_upgrade(file, clock.now())
            say(f"The database as it was before the upgrade is kept in {copy}.")
        migrate(url)
    except NotUpgraded:
        raise
    except OtherSchema as error:
        raise NotUpgraded(f"{error} The copy from before is {copy}." if copy is not None else str(error)) from error
    except Exception as error:
        say(logs.mask_secrets(traceback.format_exc()))
        raise NotUpgraded(_explain_failure(error, file, copy)) from error
    if file is not None and copy is not None:
        for old in sorted(file.parent.glob(f"{file.name}.before-*[0-9]"))[:-KEPT]:
            old.unlink()


def _is_older_database(file: Path) -> bool:
    """Returns True if the file is a database that a program from before this one has made."""
    if not file.is_file():
        return False
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection,
    ):
        if _read_revision_in_sqlite_table(connection, "alembic_version") < revisions.NEWEST_SCHEMA:
            return True
        made = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return any(
            (_read_revision_in_sqlite_table(connection, one.version_table) if one.version_table in made else "")
            < one.newest
            for one in branches()
        )
    return False  # nothing to lose, or nothing that can be read: `migrate` says what


def _read_revision_in_sqlite_table(connection: sqlite3.Connection, versions: str) -> str:
    """Returns the revision that this table of an SQLite database holds; "" if it holds none."""
    row = connection.execute(f"SELECT version_num FROM {versions}").fetchone()  # noqa: S608 - a name of ours
    return str(row[0]) if row is not None else ""


def _copy_before_upgrade(file: Path, now: datetime) -> Path:
    start = f"{file.name}.before-{revisions.NEWEST_SCHEMA}-"
    while (target := file.with_name(f"{start}{now:%Y%m%dT%H%M%S}")).exists():
        now += timedelta(seconds=1)  # that one was made before what is upgraded by now
    draft = target.with_name(f"{target.name}.{os.getpid()}.part")
    size = sum(part.stat().st_size for part in (file, file.with_name(f"{file.name}-wal")) if part.exists())
    try:
        free = shutil.disk_usage(file.parent).free
        if free < size * 1.1:
            raise OSError(f"it takes {size / MB:.0f} MB, and {free / MB:.0f} MB are free")
        copy_sqlite(file, draft)
        last = max(file.parent.glob(f"{start}*[0-9]"), default=None)
        if last is not None and filecmp.cmp(draft, last, shallow=False):  # one that fails at each start makes no more
            draft.unlink()
            return last
        os.replace(draft, target)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise NotUpgraded(
            f"The database must be upgraded, and the copy of it that is made before could not be written to "
            f"{file.parent}: {getattr(error, 'strerror', None) or error}. Nothing has been changed: "
            "make room there, and start again."
        ) from error
    return target


def copy_sqlite(source: Path, target: Path) -> None:
    """Copies a database that others write to into a new file, `target`: durable, complete, and private to its owner."""
    os.close(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)  # in one step: with a write-ahead log a reader blocks nobody
        found = new.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is not sound: {found}")
    with open(target, "rb") as file:
        os.fsync(file.fileno())


def _explain_failure(error: Exception, file: Path | None, copy: Path | None) -> str:
    """Returns what failed, what has been changed, which version to go on with, and the way back."""
    restore = (
        f"put the copy from before in its place while nothing runs: rm -f {file}-wal {file}-shm && cp {copy} {file}"
    )
    if not isinstance(error, FeatureFailed):
        return (
            f"The tables could not be brought up to date ({_describe_error(error)}); the traceback stands above. "
            "The database is as it was: go on with the version that ran before."
        ) + (f" To be sure, {restore}" if copy is not None else "")
    name = f"the feature {error.feature!r}"
    done = f"Upgraded already: {' and '.join(error.done)}" if error.done else "So is the rest of the database"
    way_back = restore if copy is not None else "restore the backup." if file is None else ""
    return (
        f"The tables of {name} could not be brought up to date ({_describe_error(error.__cause__ or error)}); the "
        f"traceback stands above. They are as they were. {done}. Go on with this version of pbem, and with the version "
        f"of {name} that ran before, or without it if it is new here."
    ) + (f" To go back to the versions from before, {way_back}" if error.done and way_back else "")


def _describe_error(error: BaseException) -> str:
    if isinstance(error, OtherSchema):
        return str(error).rstrip(".")
    said = str(error.orig) if isinstance(error, DBAPIError) else f"{type(error).__name__}: {error}"
    return logs.mask_secrets(next(iter(said.strip().splitlines()), type(error).__name__))
