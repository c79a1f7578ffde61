"""Rows about `pbem run` on an empty folder: the first page, the memory of all its processes, its work when idle.

The work until the first page is told in *additions*, too: 100,000 additions in Python, which take longer on a slower
machine, and on a busy one. It is that of all processes together.
"""

import os
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median

from benchmarks.service.effort import cpu_ms_of_family
from benchmarks.service.machine import ROOT, Machine, free_port, run_child
from benchmarks.service.report import Row

SETTLE_S, IDLE_S = 65.0, 60.0
"""Every task runs once in the first minute, and some of them never again for ten: that is no idle site yet."""
ADDITIONS, ADDED = 100_000, 15
NEWCOMER = """
import sys
# structlog loads them where they are, and they are here for the tools of this folder alone.
sys.modules.update(dict.fromkeys(("rich", "pygments")))
from pbem.cli import main
main(["run"])
"""
"""`pbem run` as those have it who install pbem and no more."""
_TICKS = os.sysconf("SC_CLK_TCK")


def _process_and_descendants(pid: int) -> list[int]:
    """Returns the process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for found in children for one in _process_and_descendants(int(found)))]


def _pss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _does_port_answer(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _addition_ms() -> list[float]:
    """Returns how many milliseconds of CPU time 100,000 additions take, a few times."""
    taken = []
    for _ in range(ADDED):
        begun, total = time.process_time(), 0
        for number in range(ADDITIONS):
            total += number
        taken.append((time.process_time() - begun) * 1000)
    return taken


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures one start, on SQLite and a Valkey of its own."""
    port, data = free_port(), machine.folder / "var"
    known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ = known | {"PORT": str(port), "PBEM_DATA": str(data), "PYTHONPATH": str(ROOT)}
    added = _addition_ms()
    start = time.monotonic()
    with run_child([sys.executable, "-c", NEWCOMER], environ, machine.folder / "run.log") as launcher:
        while not _does_port_answer(port):
            if launcher.poll() is not None or time.monotonic() > start + 60:
                raise RuntimeError((machine.folder / "run.log").read_text())
            time.sleep(0.01)
        took, spent = time.monotonic() - start, cpu_ms_of_family(launcher.pid)
        added += _addition_ms()
        yield Row("embedded: to the first page", took, 1, "s", "<=")
        time.sleep(SETTLE_S)
        family = _process_and_descendants(launcher.pid)
        sizes = [_pss_mb(pid) for pid in family]
        yield Row("embedded: PSS of all processes", sum(sizes), 210, "MB", "<=", ", ".join(f"{s:.0f}" for s in sizes))
        worked = f"{spent:.0f} ms of CPU, {median(added):.2f} an addition"
        yield Row("embedded: CPU to the first page, in additions", spent / median(added), 600, "", "<=", worked)
        before, begun = sum(map(_cpu_s, family)), time.monotonic()
        time.sleep(IDLE_S)
        share = (sum(map(_cpu_s, family)) - before) / (time.monotonic() - begun)
        yield Row("embedded: CPU when idle", share * 100, 0.5, "%", "<=", "of a core")
