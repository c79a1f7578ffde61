"""Several hosts on one machine: trees of their own, with their own files, which share one PostgreSQL and one Redis.

They also share the interpreter and its libraries, which nobody writes to, and the machine's clock, unless a library
that changes what the clock says is loaded into a host's processes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.production.topology import ROOT

INSTALLED = ("pbem", "workers", "templates", "Procfile", "pyproject.toml")
"""What of a checkout runs."""


@dataclass(frozen=True)
class Host:
    """A host: the folder of its tree, and of all files that its processes write."""

    name: str
    folder: Path
    clock: Mapping[str, str] = field(default_factory=dict)
    """What changes the clock of its processes, as environment variables."""

    @property
    def tree(self) -> Path:
        """Where its processes run."""
        return self.folder / "tree"

    @property
    def environ(self) -> dict[str, str]:
        """What differs in the environment of its processes."""
        return {
            "PYTHONPATH": str(self.tree), "PBEM_DATA": str(self.folder / "data"), "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"), **self.clock,
        }  # fmt: skip


def make_host(folder: Path, name: str, clock: Mapping[str, str] | None = None) -> Host:
    """Installs a tree of this checkout for a new host in the folder."""
    host = Host(name, folder / name.replace(" ", "-"), clock or {})
    for part in INSTALLED:
        source, target = ROOT / part, host.tree / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for own in ("data", "home", "tmp"):
        (host.folder / own).mkdir()
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
            shared = file.startswith("/") and not file.startswith(("/dev/", "/proc/", str(host.folder)))
            if shared and not file.endswith(".log") and "site-packages" not in file and "/lib/" not in file:
                found.add(file)
    return found
