"""Several hosts on one machine: trees of their own, with their own files, which share one PostgreSQL and one Redis.

They also share the interpreter and its libraries, which nobody writes to, and the machine's clock; but a host can be
made to read it wrong.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.production.topology import ROOT

INSTALLED = ("pbem", "workers", "templates", "Procfile", "pyproject.toml")
"""What of a checkout runs."""


@dataclass(frozen=True)
class Host:
    """A host: the folder of its tree, and of all files that its processes write."""

    name: str
    folder: Path

    @property
    def tree(self) -> Path:
        """Where its processes run."""
        return self.folder / "tree"

    @property
    def environ(self) -> dict[str, str]:
        """What differs in the environment of its processes."""
        return {
            "PYTHONPATH": str(self.tree), "PBEM_DATA": str(self.folder / "data"), "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
        }  # fmt: skip


AHEAD = """
import time

_true = time.time
time.time = lambda: _true() + {seconds}
"""
NOW = "return datetime.now(UTC)"


def make_host(folder: Path, name: str, ahead_s: int = 0) -> Host:
    """Installs a tree of this checkout for a new host in the folder; its clock is ahead of the others by these seconds.

    That is what `time.time` and `pbem.clock` say, by which pbem and its libraries know the time.
    """
    host = Host(name, folder / name.replace(" ", "-"))
    for part in INSTALLED:
        source, target = ROOT / part, host.tree / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for own in ("data", "home", "tmp"):
        (host.folder / own).mkdir()
    if ahead_s:
        (host.tree / "sitecustomize.py").write_text(AHEAD.format(seconds=ahead_s))
        clock = host.tree / "pbem" / "clock.py"
        before, found, after = clock.read_text().partition(NOW)
        assert found, f"the clock does not say {NOW}"
        clock.write_text(f"{before}from datetime import timedelta\n    {NOW} + timedelta(seconds={ahead_s}){after}")
    return host


def foreign_files(host: Host, pids: Iterable[int]) -> set[str]:
    """Returns the files outside its own folder that processes of the host hold open and might share with another.

    Libraries are not counted, nor the process's log, nor what is no file on a disk.
    """
    found = set[str]()
    for pid in pids:
        for place in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                file = os.readlink(place)
            except OSError:  # closed, or its process has ended
                continue
            is_device = file.startswith(("/dev/", "/proc/")) and not file.startswith("/dev/shm/")
            shared = file.startswith("/") and not is_device and not file.startswith(str(host.folder))
            if shared and not file.endswith(".log") and "site-packages" not in file and "/lib/" not in file:
                found.add(file)
    return found
