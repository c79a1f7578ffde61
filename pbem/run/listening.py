"""The socket of the web, and the data folder of a running `pbem run`, with its address for commands that ask it.

Its port comes from the environment in which it was started, which another terminal does not share. The file stays
behind where the site was killed, so it means nothing once the folder is not locked.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.config import Config

FILE, LOCK = "address", "lock"
QUEUE = 2048
"""The connections that wait for the web to take them."""
WAIT_S, TICK_S = 5.0, 0.1


class Held(Exception):
    """Another `pbem run` works on this data folder."""


@contextmanager
def lock_data_folder(config: Config) -> Iterator[int]:
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


def address_of_running_site(data: Path) -> str | None:
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


def listening_socket(config: Config) -> socket.socket:
    """Returns the socket that the web answers on."""
    host = config.host if config.mode == "embedded" else "0.0.0.0"  # noqa: S104 - behind a proxy, or in a container
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    listener = socket.create_server((host, config.port), family=family, backlog=QUEUE, dualstack_ipv6=both)
    listener.setblocking(False)
    # Accepted sockets inherit it: headers and body are sent in two pieces; the second must not wait for the client.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
