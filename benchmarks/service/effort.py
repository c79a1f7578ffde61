"""How much of the processor each part of the machine takes: unlike a rate it hardly depends on who else is at work."""

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> Iterator[int]:
    """The process and all that descend from it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def _spent_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) * _TICK_MS  # with that of children that have ended


@dataclass
class Effort:
    """What web and PostgreSQL have spent since the beginning, and this process with them."""

    parts: dict[str, int]
    """The process that each part descends from."""

    def __post_init__(self) -> None:
        self._begun = self._now()

    def _now(self) -> dict[str, float]:
        spent = {name: sum(map(_spent_ms, family(pid))) for name, pid in self.parts.items()}
        mine = resource.getrusage(resource.RUSAGE_SELF)
        return {**spent, "client": (mine.ru_utime + mine.ru_stime) * 1000}

    def each(self, count: int) -> str:
        """In words, how many milliseconds of a processor each of `count` things has taken."""
        now = self._now()
        each = {name: (now[name] - self._begun[name]) / count for name in now}
        return " + ".join(f"{name} {spent:.2f}" for name, spent in each.items()) + " ms of CPU"
