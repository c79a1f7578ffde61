"""Where a running `pbem run` listens, kept as a file in its data folder for commands that ask it something.

The port comes from the environment of the user who started it, which another terminal does not share. The file is there
while the site runs. It stays behind where the site was killed, so it also names the process that wrote it, and means
nothing once that process is gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.config import Config

FILE = "address"


@contextmanager
def keep_address(config: Config) -> Iterator[None]:
    """Keeps the site's address in its data folder while the block runs."""
    path = config.data / FILE
    draft = path.with_name(f"{FILE}.{os.getpid()}")
    draft.write_text(f"{config.url}\n{os.getpid()} {_start_time(os.getpid())}\n", encoding="utf-8")
    draft.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def read_address(data: Path) -> str | None:
    """Returns the address of the `pbem run` that works on this data folder; None if none does."""
    try:
        url, process = (data / FILE).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ValueError):
        return None  # a file of another form says nothing about who wrote it
    pid, _, started = process.partition(" ")
    return url if pid.isdecimal() and _runs(int(pid)) and _start_time(int(pid)) == started else None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # it belongs to somebody else
    return True


def _start_time(pid: int) -> str:
    """Returns when the process started, in ticks since the machine booted: it tells a reused process id apart.

    "gone" for a zombie, "" on a system without /proc.
    """
    try:
        # The second field, the program's name in parentheses, may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return fields[19] if fields[0] != "Z" else "gone"
