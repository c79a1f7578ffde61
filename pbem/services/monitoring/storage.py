"""Whether the database can store anything, and how much room its disk has: what can be told without writing.

For SQLite that is its disk, for PostgreSQL what the server says of itself; how full the disk of another machine is,
only a write would show.
"""

import hashlib
import hmac
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from pbem.config import Config

FULL_BYTES = 1 << 20
"""With less room than this on its disk a database is full: the next moves need it."""
SCARCE_BYTES, SCARCE_SHARE = 200 << 20, 0.03
"""With less than both, its disk is almost full."""
SECRET_MARK = "secret:"  # noqa: S105 - the beginning of a name
"""What the names of the rows begin with that say since when a secret has been used. They end with its fingerprint."""


@dataclass(frozen=True)
class Disk:
    """The disk that a folder is on: its free and total bytes for this user, and whether it is read-only."""

    folder: Path
    free: int
    total: int
    read_only: bool

    @property
    def state(self) -> str:
        """Returns "ok", "scarce", "full" or "read_only"."""
        if self.read_only:
            return "read_only"
        if self.free < FULL_BYTES:
            return "full"
        return "scarce" if self.free < min(SCARCE_BYTES, SCARCE_SHARE * self.total) else "ok"


def disk_of(config: Config) -> Disk | None:
    """Returns the disk of the SQLite database; None for another database. Raises OSError."""
    path = config.database_url.removeprefix("sqlite:///")
    if path == config.database_url or not path:
        return None
    folder = Path(path).absolute().parent
    usage = shutil.disk_usage(folder)
    read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY) or not os.access(path, os.W_OK)
    return Disk(folder, usage.free, usage.total, read_only)


def state_of_storage(config: Config, connection: Connection) -> str:
    """Returns whether the database that answers stores anything: "ok", "full" or "read_only"."""
    if connection.dialect.name != "sqlite":
        return "read_only" if connection.execute(text("SHOW transaction_read_only")).scalar() == "on" else "ok"
    try:
        disk = disk_of(config)
    except OSError:  # the folder is gone, under a file that is open still
        return "read_only"
    return "ok" if disk is None or disk.state == "scarce" else disk.state


def mark_of_secret(secret: str) -> str:
    """Returns the name of the row for this secret. It tells nothing of it: 64 bits of a keyed hash."""
    return f"{SECRET_MARK}{hmac.new(secret.encode(), b'pbem: which secret', hashlib.sha256).hexdigest()[:16]}"
