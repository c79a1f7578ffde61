"""Pins threads to processors. Python runs one thread of a process at a time; threads on several processors wake each
other whenever one waits for a socket, which costs more time than it saves (docs/speed.md has the figures). So the
threads that send mails share a processor.

Only Linux can pin threads; elsewhere this does nothing.
"""

import os
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress


def _usable() -> Sequence[int]:
    if not hasattr(os, "sched_getaffinity"):
        return ()
    try:
        return sorted(os.sched_getaffinity(0))
    except OSError:  # a container may forbid to ask
        return ()


USABLE = _usable()
"""The processors that this process may use, read before any thread is pinned; empty if the system does not tell."""


def pin_to(processors: Iterable[int]) -> None:
    """Pins this thread, and the threads and processes that it starts from now on, to these processors."""
    wanted = set(processors)
    if wanted and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # this machine has lost them; then the kernel chooses
            os.sched_setaffinity(0, wanted)


@contextmanager
def share_one() -> Iterator[None]:
    """Pins this thread, and those that it starts in the block, to one processor, drawn at random each time.

    At random, because containers cannot agree otherwise: their process ids are the same.
    """
    before = _usable()
    try:
        pin_to(random.sample(USABLE, 1) if before else ())
        yield
    finally:
        pin_to(before)
