"""Which processors run what. Python runs one thread of a process at a time: threads that live across processors wake
each other at every wait for a socket, which costs more than it brings (docs/speed.md has the figures). So the threads
that send mails share one.

Linux can pin threads; elsewhere nothing is pinned.
"""

import os
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress


def _mine() -> Sequence[int]:
    if not hasattr(os, "sched_getaffinity"):
        return ()
    try:
        return sorted(os.sched_getaffinity(0))
    except OSError:  # a container may forbid to ask
        return ()


USABLE = _mine()
"""The processors this process was given; none where the system does not tell. Read before anything keeps to one."""


def pin_to(processors: Iterable[int]) -> None:
    """Lets this thread, and the threads and processes it starts from now on, run on these processors only."""
    wanted = set(processors)
    if wanted and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # taken from this machine since; then the kernel places them as it likes
            os.sched_setaffinity(0, wanted)


@contextmanager
def share_one() -> Iterator[None]:
    """Threads that are started in the block share one processor, each time another one.

    By chance: process ids, the only thing that several containers could go by, are the same in all of them.
    """
    before = _mine()
    try:
        pin_to(random.sample(USABLE, 1) if before else ())
        yield
    finally:
        pin_to(before)
