"""Code that runs in a process of a worker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pbem.discovery import packages_of_features
from pbem.services.hooks import tasks_of
from pbem.workers.schedule import TASKS
from tests.harness.waiting import SECONDS

ALL = tuple(packages_of_features())
NAMES = {*TASKS, *tasks_of(ALL)}
"""The tasks of a site on which all features are on."""


def run_code(code: str, database_url: str, data: Path, *, status: int = 0, **settings: str) -> str:
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
