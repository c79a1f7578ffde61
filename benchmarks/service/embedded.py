"""Rows about `pbem run` on an empty folder: the first page, the memory of all its processes, its work when idle."""

import os
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchmarks.service.machine import ROOT, Machine, child, free_port
from benchmarks.service.report import Row

SETTLE_S, IDLE_S = 65.0, 60.0
"""Every task runs once in the first minute, and some of them never again for ten: that is no idle site yet."""
_TICKS = os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> list[int]:
    """Returns the process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for found in children for one in _family(int(found)))]


def _pss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures one start, on SQLite and a Valkey of its own."""
    port, data = free_port(), machine.folder / "var"
    known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ = known | {"PORT": str(port), "PBEM_DATA": str(data), "PYTHONPATH": str(ROOT)}
    start = time.monotonic()
    with child([sys.executable, "-m", "pbem.cli", "run"], environ, machine.folder / "run.log") as launcher:
        while not _answers(port):
            if launcher.poll() is not None or time.monotonic() > start + 60:
                raise RuntimeError((machine.folder / "run.log").read_text())
            time.sleep(0.01)
        yield Row("embedded: to the first page", time.monotonic() - start, 1, "s", "<=")
        time.sleep(SETTLE_S)
        family = _family(launcher.pid)
        sizes = [_pss_mb(pid) for pid in family]
        yield Row("embedded: PSS of all processes", sum(sizes), 180, "MB", "<=", ", ".join(f"{s:.0f}" for s in sizes))
        before, begun = sum(map(_cpu_s, family)), time.monotonic()
        time.sleep(IDLE_S)
        spent = (sum(map(_cpu_s, family)) - before) / (time.monotonic() - begun)
        yield Row("embedded: CPU when idle", spent * 100, 0.5, "%", "<=", "of a core")
