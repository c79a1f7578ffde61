"""What keeps a process from starting or a command from working, in one sentence: disks, files, rights, databases."""

from __future__ import annotations

import errno
import os
import pwd
import sqlite3
from collections.abc import Mapping

from sqlalchemy.exc import DBAPIError

from pbem.config import Config
from pbem.models.engine import error_code
from pbem.services.monitoring.probes import probe_connection

_FULL = "The disk is full: {what} cannot be written. Make room there and start again; nothing that was stored is lost."
_READ_ONLY = "{what} is read-only. Make it writable, or name another folder in PBEM_DATA."
_FORBIDDEN = (
    "{what} may not be read or written by the user {user}. Run this as its owner, or give it to them with chown."
)
_FAILING = "The disk fails when {what} is read or written. Look at the system's log (dmesg) before anything else."
_NO_FOLDER = "{what} is not a folder, or lies in a file. Name another folder in PBEM_DATA."

OF_SYSTEM: Mapping[int, str] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EIO: _FAILING,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
    errno.EISDIR: "{what} is a folder, where a file should be. Move it away.",
    errno.ENOENT: "{what} is not there. Make it, or correct the setting that names it.",
    errno.EMFILE: "This process may not open more files. Raise the limit (ulimit -n), then start again.",
}
"""What an error of the system means, by its number."""

OF_DATABASE: Mapping[str, str] = {
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _FORBIDDEN,
    "SQLITE_IOERR": _FAILING,
    "SQLITE_CANTOPEN": (
        "{what} cannot be opened: it or its folder is missing, not this user's ({user}), or there is no room for its "
        "journal. Correct that, or name another folder in PBEM_DATA."
    ),
    "SQLITE_NOTADB": "{what} is no SQLite database. Restore a backup over it, or move it away to begin with nothing.",
    "SQLITE_CORRUPT": "{what} is damaged. Restore the last backup over it; keep a copy of it as it is.",
    "SQLITE_BUSY": "{what} is locked by another process. Stop that one, then start again.",
    "SQLITE_LOCKED": "{what} is locked by another process. Stop that one, then start again.",
    "53100": "The disk of the database server is full. Make room there; nothing that was stored is lost.",
    "25006": "The database is read-only: a standby, or set so (default_transaction_read_only). Name another one.",
    "58030": "The disk of the database server fails. Look at the server's log before anything else.",
}
"""What an error of a database means, by the beginning of its `error_code`."""


def explain_error(error: BaseException, what: str = "The database") -> str | None:
    """Returns what an error of files or databases means, and what to do about it; None for any other.

    `what` stands for a database that the error does not name.
    """
    if isinstance(error, DBAPIError):
        error = error.orig or error
    if isinstance(error, sqlite3.Error | DBAPIError) or type(error).__module__.split(".")[0] == "psycopg":
        code = error_code(error)
        said = " ".join(str(error).split())[:200]
        known = next((text for begin, text in OF_DATABASE.items() if code.startswith(begin)), None)
        return _fill_in_names(known, what) if known else f"{what} does not do this: {said.rstrip('.')}."
    if not isinstance(error, OSError) or isinstance(error, ConnectionError):
        return None
    if error.errno == errno.ENOENT and error.filename is None:  # of `tempfile`, which has tried all there are
        return "No temporary file can be written. Make room in /tmp, or name a folder in TMPDIR."
    text = OF_SYSTEM.get(error.errno or 0)
    where = str(error.filename2 or error.filename) if error.filename is not None else "what this command writes"
    return _fill_in_names(text, where) if text else None


def name_of_database(url: str) -> str:
    """Returns what a sentence calls the database of this URL: the file, or none of what may be secret."""
    return f"The database {url.removeprefix('sqlite:///')}" if url.startswith("sqlite") else "The database"


def why_database_unusable(config: Config) -> str | None:
    """Returns why the file of an existing SQLite database cannot be used; None if it can, or if it is another database.

    One that is locked for a moment can be used: every process that opens it waits.
    """
    path = config.database_url.removeprefix("sqlite:///")
    if path == config.database_url or not os.path.lexists(path):
        return None
    try:
        with probe_connection(config) as connection:
            connection.exec_driver_sql("PRAGMA schema_version")
    except DBAPIError as error:
        said = explain_error(error, name_of_database(config.database_url))
        return None if error_code(error.orig).startswith("SQLITE_BUSY") else said
    return None


def _fill_in_names(text: str, what: str) -> str:
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may run as a user without a name
        user = str(os.geteuid())
    said = text.format(what=what, user=user)
    return said[0].upper() + said[1:] if not said.startswith("/") else said
