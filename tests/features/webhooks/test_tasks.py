"""The task of webhooks is sent to several workers, each with its share of the matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.workers.schedule import schedule_of_single_worker, schedule_of_site
from tests.workers.process import ALL, run_code

SHARES = """
from pbem.features.webhooks.tasks import TASKS
from pbem.workers import tasks
from pbem.workers.app import app

object.__setattr__(TASKS["call_hooks"], "run", lambda site, shard: 10 * shard.number + shard.of)
task = app.tasks["workers.tasks.call_hooks"]
print(task(), task(1, 3))
"""


@pytest.mark.parametrize("on", [True, False])
def test_the_webhook_task_without_a_share_handles_every_match(sqlite_url: str, tmp_path: Path, on: bool) -> None:
    said = run_code(SHARES, sqlite_url, tmp_path, PBEM_FEATURES="webhooks" if on else "none")
    assert said.split() == (["1", "13"] if on else ["0", "0"])


def test_several_workers_each_get_a_share_of_the_webhook_task() -> None:
    alone, three = schedule_of_site(1, ALL), schedule_of_site(3, ALL)
    assert [alone[name]["args"] for name in alone if name.startswith("call_hooks")] == [()]
    assert {name: one["args"] for name, one in three.items() if name.startswith("call_hooks")} == {
        "call_hooks": (0, 3), "call_hooks-1": (1, 3), "call_hooks-2": (2, 3),
    }  # fmt: skip
    assert sum("call_hooks" in one["args"][0] for one in schedule_of_single_worker(ALL).values()) == 1
