"""A task that fails again and again is told to `/readyz`, to the doctor and to Prometheus, until it no longer does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from pbem.features.metrics.figures import database_figures
from pbem.models.engine import WRITE
from pbem.services.clock import outages
from pbem.services.monitoring import failures, health
from pbem.services.monitoring.failures import Failing, Recorder
from tests.table import START, House


@pytest.fixture(autouse=True)
def looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process looks at every success whether others have failed; really it does so every ten seconds."""
    monkeypatch.setattr(failures, "LOOK_S", 0.0)


def read_health_of(house: House) -> health.Health:
    return health.read_health(house.site.config, house.clock())


def tasks_failing(house: House) -> list[Failing]:
    with house.site.reading() as session:
        return failures.failing_tasks(session.connection(), house.clock())


def fail_three_times(
    house: House, *processes: Recorder, task: str = "call_hooks", error: str = "OperationalError"
) -> None:
    """Three runs fail, half a minute apart, each in the next process."""
    for run in range(3):
        house.clock.forward(seconds=30 if run else 0)
        processes[run % len(processes)].note_end_of_run(house.site, task, error)


def test_a_task_failing_in_many_processes_is_reported_until_one_succeeds(house: House) -> None:
    one, another = Recorder(), Recorder()
    fail_three_times(house, one, another)
    assert tasks_failing(house) == [Failing("call_hooks", START, 3, "OperationalError")]
    found = read_health_of(house)
    assert (found.tasks, found.readiness_word, found.ready) == ("failing", "degraded", True)
    figures = database_figures(house.site.config, house.clock())
    assert figures is not None
    assert figures.failing == {"call_hooks": 60}
    another.note_end_of_run(house.site, "sweep", None)
    assert read_health_of(house).tasks == "failing", "another task has worked, not this one"
    another.note_end_of_run(house.site, "call_hooks", None)
    assert (read_health_of(house).tasks, tasks_failing(house)) == ("ok", [])


@pytest.mark.on_postgresql
def test_occasional_failures_of_a_task_are_not_reported(house: House) -> None:
    recorder = Recorder()
    for _ in range(10):
        for error in ("Busy", "Busy", None):
            recorder.note_end_of_run(house.site, "sweep", error)
            house.clock.forward(seconds=30)
    assert tasks_failing(house) == []
    for _ in range(5):
        recorder.note_end_of_run(house.site, "drain", "Busy")
    assert tasks_failing(house) == [], "five at once are one"


def test_a_task_that_always_finds_the_database_busy_is_reported(house: House) -> None:
    fail_three_times(house, Recorder(), error="Busy")
    assert [one.error for one in tasks_failing(house)] == ["Busy"]


def test_a_failing_shard_of_a_task_is_reported_though_others_succeed(house: House) -> None:
    recorder = Recorder()
    for _ in range(4):
        recorder.note_end_of_run(house.site, "sweep-1", "KeyError")
        recorder.note_end_of_run(house.site, "sweep-0", None)
        house.clock.forward(seconds=30)
    assert [one.task for one in tasks_failing(house)] == ["sweep-1"]


def test_a_partial_failure_is_reported_despite_idle_runs_between_its_tries(house: House) -> None:
    recorder = Recorder()
    for seconds in range(0, 200, 10):
        recorder.note_end_of_run(house.site, "play_bots", None, "ValueError" if seconds % 60 == 0 else None)
        house.clock.forward(seconds=10)
    assert [(one.task, one.runs) for one in tasks_failing(house)] == [("play_bots in part", 4)]
    for _ in range(4):
        house.clock.forward(seconds=60)
        recorder.note_end_of_run(house.site, "play_bots", None)
    assert tasks_failing(house) == []


def test_a_task_that_is_no_longer_sent_is_forgotten(house: House) -> None:
    fail_three_times(house, Recorder())
    house.clock.forward(minutes=59)
    assert len(tasks_failing(house)) == 1
    house.clock.forward(minutes=2)
    assert tasks_failing(house) == []


def test_failures_noted_with_the_clock_ahead_still_end_with_a_success(house: House) -> None:
    recorder = Recorder()
    house.clock.forward(days=400)
    for caught in (False, True):
        recorder.note_end_of_run(house.site, "meet", None if caught else "KeyError", "KeyError" if caught else None)
    house.clock.forward(days=-400)
    fail_three_times(house, recorder, task="meet")
    assert [one.task for one in tasks_failing(house)] == ["meet"]
    recorder.note_end_of_run(house.site, "meet", None)
    assert tasks_failing(house) == []
    with house.site.reading() as session:
        assert session.connection().execute(text("SELECT count(*) FROM task_failures")).scalar() == 0


@pytest.mark.on_postgresql
def test_a_failure_whose_note_cannot_be_written_is_counted_with_the_next(
    impatient_house: House,
) -> None:
    house, recorder = impatient_house, Recorder()
    with house.site.engine.connect().execution_options(**{WRITE: True}) as other:
        other.execute(text("UPDATE task_failures SET runs = runs"))
        if other.dialect.name == "sqlite":
            with capture_logs() as lines:
                recorder.note_end_of_run(house.site, "drain", "Busy")
            assert [line["event"] for line in lines] == ["task.not_noted"]
        else:
            recorder.note_end_of_run(house.site, "drain", "Busy")
        other.rollback()
    for _ in range(2):
        house.clock.forward(seconds=30)
        recorder.note_end_of_run(house.site, "drain", "Busy")
    assert tasks_failing(house) == [Failing("drain", START, 3, "Busy")]


def test_a_sweep_that_has_stopped_is_reported(house: House) -> None:
    assert read_health_of(house).tasks == "ok", "nobody has swept yet"
    outages.record_heartbeat(house.site, "sweep")
    house.clock.forward(minutes=11)
    assert (read_health_of(house).tasks, read_health_of(house).readiness_word) == ("silent", "degraded")


def test_the_record_of_a_failing_task_contains_nothing_private(house: House) -> None:
    fail_three_times(house, Recorder())
    with house.site.reading() as session:
        rows: Callable[..., Any] = session.connection().execute
        noted = [tuple(row) for row in rows(text("SELECT task, error, runs FROM task_failures"))]
    assert noted == [("call_hooks", "OperationalError", 3)]
