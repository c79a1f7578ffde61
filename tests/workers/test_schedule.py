"""Beat's schedule: every task exists, calls its service, and expires when the next one comes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAID = """
from pbem.workers import tasks
from pbem.workers.app import app
for name, entry in sorted(app.conf.beat_schedule.items()):
    assert entry["options"]["expires"] <= entry["schedule"], name
    print(name, app.tasks[entry["task"]]())
"""


def test_every_task_of_the_schedule_runs_and_finds_nothing_to_do_in_an_empty_service(
    sqlite_url: str, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "PBEM_MODE": "embedded",
        "PBEM_DATA": str(tmp_path),
        "PBEM_SECRET": "a secret of more than 32 letters for tests",
        "DATABASE_URL": sqlite_url,
    }
    done = subprocess.run([sys.executable, "-c", SAID], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = {line for line in done.stdout.splitlines() if "checkpoint.made" not in line}  # an empty day has one, too
    names = (
        "archive",
        "bots",
        "checkpoint",
        "digest",
        "drain",
        "draw",
        "hooks",
        "inbox",
        "lapse",
        "remind",
        "sweep",
        "tidy",
        "watch",
    )
    assert {f"{name} 0" for name in names} == lines
