"""The data folder of a running `pbem run`: locked for it, and with its address in a file for commands that ask it.

Its port comes from the environment in which it was started, which another terminal does not share. The file stays
behind where the site was killed, so it means nothing once the folder is not locked.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.config import Config

FILE, LOCK = "address", "lock"
WAIT_S, TICK_S = 5.0, 0.1


class Held(Exception):
    """Another `pbem run` works on this data folder."""


@contextmanager
def hold_folder(config: Config) -> Iterator[int]:
    """Locks the data folder while the block runs, and keeps the site's address in it; yields the lock's descriptor.

    Two Valkeys on one append-only file would corrupt it. Valkey inherits the lock, so that after a killed launcher the
    next one waits until Valkey has written out. Raises Held.
    """
    path = config.data / FILE
    with open(config.data / LOCK, "a", encoding="ascii") as file:
        deadline = time.monotonic() + WAIT_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise Held from error
                time.sleep(TICK_S)
        draft = path.with_name(f"{FILE}.{os.getpid()}")
        draft.write_text(f"{config.url}\n", encoding="utf-8")
        draft.replace(path)
        try:
            yield file.fileno()
        finally:
            path.unlink(missing_ok=True)


def read_address(data: Path) -> str | None:
    """Returns the address of the `pbem run` that works on this data folder; None if none does."""
    try:
        with open(data / LOCK, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        try:
            return (data / FILE).read_text(encoding="utf-8").partition("\n")[0]
        except FileNotFoundError:
            return None
    except OSError:
        return None
    return None
