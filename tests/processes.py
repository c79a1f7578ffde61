"""The processes of this machine, without `ps` where Linux tells it in files: a bare system has none."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def command_lines() -> str:
    """Returns the command lines of all processes."""
    if not (PROC / "self").exists():
        return subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, check=True).stdout
    lines = []
    for file in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return "\n".join(lines)


def is_zombie(pid: int) -> bool:
    """True if the process has ended, and nobody has waited for it yet."""
    if not (PROC / "self").exists():
        argv = ["ps", "-o", "stat=", "-p", str(pid)]
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip().startswith("Z")
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "Z"
