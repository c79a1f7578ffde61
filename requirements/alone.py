"""Runs a command while no other one does that was started this way in the same folder: what it installs is shared.

The lock is on the Makefile. The command inherits it, so it ends with the command, however that ends.
"""

import fcntl
import os
import sys
from pathlib import Path


def main() -> None:
    lock = os.open(Path(__file__).parents[1] / "Makefile", os.O_RDONLY)
    os.set_inheritable(lock, True)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("pbem: another make installs into this folder; this one waits for it.", file=sys.stderr, flush=True)  # noqa: T201
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks
    os.execvp(sys.argv[1], sys.argv[1:])


main()
