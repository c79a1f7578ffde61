"""Beat's schedule: every task exists, calls its service, and expires when the next one comes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.workers.schedule import SELDOM, SELDOM_S, TASKS, schedule, schedule_of_one
from tests.harness.waiting import SECONDS

SAID = """
from pbem.workers import tasks
from pbem.workers.app import app
for name, entry in sorted(app.conf.beat_schedule.items()):
    assert entry["options"]["expires"] <= entry["schedule"], name
    print(name, app.tasks[entry["task"]]())
"""


def run(code: str, database_url: str, data: Path, *, status: int = 0, **settings: str) -> str:
    """Returns what the code prints in a process of its own, which ends so, with the settings of an embedded site."""
    environment = {
        **os.environ,
        "PBEM_MODE": "embedded",
        "PBEM_DATA": str(data),
        "PBEM_SECRET": "a secret of more than 32 letters for tests",
        "DATABASE_URL": database_url,
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def test_every_task_of_the_schedule_runs_and_finds_nothing_to_do_in_an_empty_service(
    sqlite_url: str, tmp_path: Path
) -> None:
    said = run(SAID, sqlite_url, tmp_path)
    lines = {line for line in said.splitlines() if "checkpoint.made" not in line}  # an empty day has one, too
    assert {f"{name} 0" for name in TASKS} == lines


ALONE = """
from pbem.workers import single

class Idle:
    exitcode = 0
    def __init__(self, *_, **__): ...
    def start(self): ...
    def stop(self): ...

single.app.Worker = single.EmbeddedService = Idle
single.main()
print(*single.app.conf.beat_schedule, sep="\\n")
"""


def test_an_only_worker_gets_each_task_once_however_many_shards_and_seldom_what_it_is_woken_for() -> None:
    alone = schedule_of_one()
    assert set(alone) == set(TASKS) < set(schedule(3))
    assert all(entry["args"] == () for entry in alone.values())
    assert {name for name, entry in alone.items() if entry["schedule"] != TASKS[name][0]} == set(SELDOM)
    assert all(alone[name]["schedule"] == alone[name]["options"]["expires"] == SELDOM_S for name in SELDOM)


@pytest.mark.long
def test_the_worker_of_an_embedded_site_has_that_schedule(sqlite_url: str, tmp_path: Path) -> None:
    assert set(run(ALONE, sqlite_url, tmp_path, PBEM_SHARDS="3").split()) == set(TASKS)
