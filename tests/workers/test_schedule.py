"""Beat's schedule: every task exists, calls its service, and expires when the next one comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.workers import watch
from pbem.workers.schedule import ROUNDS, TASKS, schedule_of_single_worker, schedule_of_site
from tests.workers.process import ALL, NAMES, run_code

SAID = """
from pbem.workers import tasks
from pbem.workers.app import app
for name, entry in sorted(app.conf.beat_schedule.items()):
    assert entry["options"]["expires"] <= entry["schedule"], name
    print(name, app.tasks[entry["task"]]())
"""


def test_every_scheduled_task_runs_on_an_empty_site_and_returns_0(sqlite_url: str, tmp_path: Path) -> None:
    said = run_code(SAID, sqlite_url, tmp_path)
    lines = {line for line in said.splitlines() if "checkpoint.made" not in line}  # an empty day has one, too
    assert {f"{name} 0" for name in NAMES} == lines


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


def test_a_sole_worker_gets_each_task_once_in_one_message_per_period() -> None:
    alone = schedule_of_single_worker(ALL)
    assert sorted(name for entry in alone.values() for name in entry["args"][0]) == sorted(NAMES)
    assert {entry["schedule"] for entry in alone.values()} == set(ROUNDS)
    assert all(entry["schedule"] == entry["options"]["expires"] for entry in alone.values())
    assert len(schedule_of_site(3, ALL)) > len(NAMES)


def test_a_sole_worker_delays_only_tasks_that_are_woken_or_can_wait() -> None:
    periods = {name: period_s for period_s, names in ROUNDS.items() for name in names}
    rarer = {name for name, period_s in periods.items() if period_s > TASKS[name][0]}
    assert rarer == {"drain", "play_bots"}
    assert periods["drain"] == 10


@pytest.mark.long
def test_an_embedded_sites_worker_has_the_schedule_of_a_sole_worker(sqlite_url: str, tmp_path: Path) -> None:
    alone = run_code(ALONE, sqlite_url, tmp_path, PBEM_SHARDS="3").splitlines()
    assert set(alone) == set(schedule_of_single_worker(ALL))


IN_TURN = """
import random
from pbem.workers import tasks
from pbem.services.mail import sender
from pbem.services.play import timeouts
from pbem.services.results import tallying

random.sample = lambda names, _: sorted(names)
timeouts.let_undelayed_orders_answer = lambda site: print("follow") or 0
sender.drain = lambda site: print("drain") or 0
tasks.go_round(["follow", "drain"])
print("by beat")
tasks.go_round(["follow", "drain"], True)
"""


def test_a_wake_ups_tasks_run_in_order_and_a_beat_rounds_in_any(sqlite_url: str, tmp_path: Path) -> None:
    lines = run_code(IN_TURN, sqlite_url, tmp_path).splitlines()
    assert lines == ["follow", "drain", "by beat", "drain", "follow"]


CUT_SHORT = """
from pbem.workers import tasks
from pbem.services.mail import sender
from pbem.services.play import timeouts

messages = []
tasks.go_round.apply_async = lambda given, **_: messages.append(given)
tasks.ROUND_S = -1
timeouts.let_undelayed_orders_answer = lambda site: print("follow") or 0
sender.drain = lambda site: print("drain") or 0
messages.append((["follow", "drain"],))
while messages:
    print("round")
    tasks.go_round(*messages.pop())
print("by beat")
tasks.go_round(["drain", "drain"], True)
print(messages)
"""


def test_tasks_left_over_from_a_long_round_get_another_message(sqlite_url: str, tmp_path: Path) -> None:
    lines = run_code(CUT_SHORT, sqlite_url, tmp_path).splitlines()
    assert lines == ["round", "follow", "round", "drain", "by beat", "drain", "[]"]


ROUND = """
from celery.signals import worker_shutting_down
from pbem.workers import tasks
from pbem.workers.app import app
from pbem.services.mail import sender
from pbem.services.results import tallying

def breaks(site):
    raise RuntimeError("the mail server is odd")

told = []
sender.drain = breaks
tallying.tally_matches = lambda site: told.append("tallied") or 3
print(tasks.go_round(["drain", "tally"]), *told)
worker_shutting_down.send(sender=None)
print(tasks.go_round(["tally"]), *told)
"""


@pytest.mark.long
def test_a_failing_task_delays_no_other_and_a_stopping_worker_begins_none(sqlite_url: str, tmp_path: Path) -> None:
    lines = run_code(ROUND, sqlite_url, tmp_path).splitlines()
    assert [line for line in lines if "tallied" in line] == ["0 tallied"] * 2
    assert any("state=FAILURE" in line and "task=drain" in line for line in lines)
    assert any("state=SUCCESS" in line and "task=tally" in line and "done=3" in line for line in lines)


def test_a_round_of_tasks_ends_within_the_celery_time_limit(sqlite_url: str, tmp_path: Path) -> None:
    limit = run_code("from pbem.workers.app import app\nprint(app.conf.task_soft_time_limit)", sqlite_url, tmp_path)
    assert float(limit) > watch.ROUND_S + watch.ENOUGH_S
