"""The CPU time that each part of the service takes: unlike a rate, it hardly depends on other work on the machine."""

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def process_and_descendants(pid: int) -> Iterator[int]:
    """Returns the process and all its descendants; one that ends meanwhile has none."""
    yield pid
    for child in _read_proc_file(f"/proc/{pid}/task/{pid}/children").split():
        yield from process_and_descendants(int(child))


def cpu_ms_of_family(pid: int) -> float:
    """Returns the CPU time of a process and all its descendants."""
    return sum(map(_cpu_ms_of_process, process_and_descendants(pid)))


def _cpu_ms_of_process(pid: int) -> float:
    fields = _read_proc_file(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * _TICK_MS  # including children that have ended


def _read_proc_file(path: str) -> str:
    """Returns the text of a file of a process; an empty one once the process has ended."""
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):  # its parent's file counts what it has spent
        return ""


@dataclass
class Effort:
    """The CPU time that the web, PostgreSQL and this process have spent since the beginning."""

    parts: dict[str, int]
    """The root process of each part."""

    def __post_init__(self) -> None:
        self._begun = self._cpu_ms_now()

    def _cpu_ms_now(self) -> dict[str, float]:
        spent = {name: cpu_ms_of_family(pid) for name, pid in self.parts.items()}
        mine = resource.getrusage(resource.RUSAGE_SELF)
        return {**spent, "client": (mine.ru_utime + mine.ru_stime) * 1000}

    def shares(self, count: int) -> dict[str, float]:
        """Returns how many milliseconds of CPU time each of `count` things has taken, by part."""
        now = self._cpu_ms_now()
        return {name: (now[name] - self._begun[name]) / count for name in now}

    def each(self, count: int) -> str:
        """Returns the same in words."""
        each = self.shares(count)
        return " + ".join(f"{name} {spent:.2f}" for name, spent in each.items()) + " ms of CPU"
