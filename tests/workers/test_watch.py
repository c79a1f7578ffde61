"""A task ends by itself before Celery's limits: after the current mail or move, and the rest stays due."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from celery import Celery
from sqlalchemy import text

from pbem import logs
from pbem.errors import Busy
from pbem.mail.mime import Mail
from pbem.services.counters import Counters
from pbem.services.mail import sender
from pbem.services.monitoring import failures
from pbem.services.play import timeouts
from pbem.services.site import Site
from pbem.workers import request, watch
from tests.harness.waiting import SECONDS, wait_until
from tests.table import House, open_house


class Hours:
    """The machine's time, and a task that began at zero."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic

    def sleep(self, seconds: float) -> None:
        """Takes no time."""


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hours]:
    """A current task, and the clock that measures its time."""
    hours = Hours()
    monkeypatch.setattr(watch, "time", hours)
    nobody = SimpleNamespace(note_end_of_run=lambda *_: None)
    monkeypatch.setattr(watch, "recorder", nobody)
    watch.note_task_begun("a task")
    yield hours
    monkeypatch.setattr(watch, "recorder", nobody)
    site: Any = SimpleNamespace(counters=Counters())
    for task in ("a task", "another"):
        watch.note_task_ended(site, task, SimpleNamespace(name="drain"), "SUCCESS", 0)


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The house of a worker."""
    for house in open_house(sqlite_url, tmp_path):
        yield House(replace(house.site, stopping=watch.is_stopping), house.clock, house.mail, house.wakes)


def due_turn_mails(house: House) -> list[tuple[Any, ...]]:
    """Returns the due turn mails that nobody has claimed."""
    with house.site.reading() as session:
        free = "SELECT id FROM outbox WHERE kind = 'turn' AND done_at IS NULL AND claimed_until IS NULL"
        return [tuple(row) for row in session.connection().execute(text(free))]


def test_each_task_has_its_own_time_limit(hours: Hours, house: House) -> None:
    hours.now = watch.ENOUGH_S
    assert not watch.is_stopping()
    hours.now += 1
    assert watch.is_stopping()
    watch.note_task_ended(house.site, "a task", SimpleNamespace(name="drain"), "SUCCESS", 0)
    assert not watch.is_stopping()
    watch.note_task_begun("another")
    assert not watch.is_stopping()


def test_a_slow_relay_ends_a_run_in_time_and_leaves_the_rest_due(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(4)
    assert len(due_turn_mails(house)) == 4
    send = house.mail.send

    def slowly(mail: Mail, to: str) -> None:
        hours.now += watch.ENOUGH_S / 2
        send(mail, to)

    monkeypatch.setattr(house.mail, "send", slowly)
    assert sender.drain(house.site, lambda: house.mail) == 3
    assert len(due_turn_mails(house)) == 1


def test_a_time_limit_reached_during_a_mail_ends_the_sending_run(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(4)

    def hanging(_mail: Mail, _to: str) -> None:
        hours.now = 200
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(house.mail, "send", hanging)
    assert sender.drain(house.site, lambda: house.mail) == 0
    assert len(due_turn_mails(house)) == 3
    assert house.mail.all_sent == []


def test_a_time_limit_hit_during_a_move_ends_the_sweep(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()
    house.time_is_up(match_id)
    tried: list[Site] = []

    def hanging(site: Site, *_: object) -> None:
        tried.append(site)
        hours.now = 200
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(timeouts, "answer_as_clock_or_stand_in", hanging)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert len(tried) == 1


def test_a_worker_with_beat_is_stuck_if_its_task_hangs_or_beat_has_ended(hours: Hours) -> None:
    done = Event()
    beat = Thread(target=done.wait)
    beat.start()
    hours.now = watch.HUNG_S
    assert not watch.is_task_stuck_or_beat_dead(beat)
    hours.now += 1
    assert watch.is_task_stuck_or_beat_dead(beat), "the task has had its time"
    watch.note_task_begun("another")
    assert not watch.is_task_stuck_or_beat_dead(beat)
    done.set()
    beat.join()
    assert watch.is_task_stuck_or_beat_dead(beat), "nobody sends what is due"


@pytest.fixture
def fresh_house(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The house of a worker that has just started."""
    monkeypatch.setattr(watch, "recorder", failures.Recorder())
    monkeypatch.setattr(failures, "LOOK_S", 0.0)
    return house


def run_task(house: House, task: str, ends: Exception | int, *args: int, logs: Exception | None = None) -> None:
    """Runs a task of this name that ends so, after it has logged the exception, as Celery does."""
    named = SimpleNamespace(name=f"workers.tasks.{task}")
    watch.note_task_begun("an id", named, args)
    if logs is not None:
        watch.note_caught(type(logs).__name__)
    watch.note_task_ended(house.site, "an id", named, "SUCCESS" if isinstance(ends, int) else "FAILURE", ends, args)
    house.clock.forward(seconds=30)


def tasks_failing(house: House) -> list[tuple[str, int, str]]:
    with house.site.reading() as session:
        found = failures.failing_tasks(session.connection(), house.clock())
    return [(one.task, one.runs, one.error) for one in found]


def test_a_task_that_raises_again_and_again_is_noted_until_it_ends_well(fresh_house: House) -> None:
    for _ in range(3):
        run_task(fresh_house, "call_hooks", Busy("locked"))
        run_task(fresh_house, "sweep", KeyError(), 1, 4)
        run_task(fresh_house, "sweep", 0, 0, 4)
    assert tasks_failing(fresh_house) == [("call_hooks", 3, "Busy"), ("sweep-1", 3, "KeyError")]
    run_task(fresh_house, "call_hooks", 0)
    run_task(fresh_house, "sweep", 0, 1, 4)
    assert tasks_failing(fresh_house) == []


def test_an_aborted_beat_round_is_recorded_as_failed(fresh_house: House) -> None:
    for _ in range(3):
        run_task(fresh_house, "go_round", RuntimeError())
    assert tasks_failing(fresh_house) == [("go_round", 3, "RuntimeError")]
    run_task(fresh_house, "go_round", 0)
    assert tasks_failing(fresh_house) == []


def test_a_task_that_logs_an_exception_and_goes_on_has_failed_in_part(fresh_house: House) -> None:
    for _ in range(3):
        run_task(fresh_house, "meet", 0, logs=ValueError("of one table"))
    assert tasks_failing(fresh_house) == [("meet in part", 3, "ValueError")]


def test_an_exception_logged_by_another_thread_is_not_noted_for_the_task(fresh_house: House) -> None:
    asked, told = Event(), Event()

    def beat() -> None:
        asked.wait()
        watch.note_caught("ConnectionError")
        told.set()

    def of_the_task() -> None:
        watch.note_caught("TimeoutError")

    other = Thread(target=beat)
    other.start()
    named = SimpleNamespace(name="workers.tasks.drain")
    for task in ("one", "another"):
        watch.note_task_begun(task, named)
        asked.set()
        told.wait(SECONDS)
        if task == "another":
            own = Thread(target=of_the_task)  # as that of a mail among several in transit
            own.start()
            own.join()
        watch.note_task_ended(fresh_house.site, task, named, "SUCCESS", 1)
    other.join()
    with fresh_house.site.reading() as session:
        noted = session.execute(text("SELECT error, runs FROM task_failures")).all()
    assert noted == [("TimeoutError", 1)]


def test_a_logged_exception_is_noted_by_its_type_without_its_message() -> None:
    heard: list[str] = []
    with structlog_as(heard.append):
        try:
            raise LookupError("alice@example.org")
        except LookupError:
            structlog.get_logger().exception("it.failed")
        structlog.get_logger().error("no exception")
    assert heard == ["LookupError"]


def test_a_log_value_that_is_not_valid_text_is_still_logged(capsys: pytest.CaptureFixture[str]) -> None:
    with structlog_as(lambda _kind: None):
        structlog.get_logger().warning("refused", reason=b"caf\xe9".decode(errors="surrogateescape"))
    assert json.loads(capsys.readouterr().out)["reason"] == "caf\udce9"


@contextmanager
def structlog_as(on_error: Callable[[str], None]) -> Iterator[None]:
    known = structlog.get_config()
    logs.configure_logging(as_json=True, on_error=on_error)
    try:
        yield
    finally:
        structlog.configure(**known)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_task_that_hangs_is_noted_before_its_process_ends_itself(
    hours: Hours, fresh_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []

    def end(status: int) -> None:
        ended.append(status)
        raise SystemExit

    monkeypatch.setattr("os._exit", end)
    watch.note_task_begun("a task", SimpleNamespace(name="workers.tasks.drain"))
    hours.now += watch.HUNG_S + 1
    others = set(threading.enumerate())
    watch.start_watch_for_stuck_task(lambda: fresh_house.site)
    wait_until(lambda: ended == [watch.STUCK], "it ends itself")
    wait_until(lambda: set(threading.enumerate()) <= others, "its threads have ended")
    with fresh_house.site.reading() as session:
        errors = session.connection().execute(text("SELECT error FROM task_failures")).scalars().all()
    assert errors == [watch.HUNG]


CRASHING = """
import os, signal
from pbem.workers.app import app

@app.task
def crash():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_the_main_process_records_failures_of_a_task_that_kills_its_child(
    house: House, redis_url: str, tmp_path: Path
) -> None:
    (tmp_path / "crashing.py").write_text(CRASHING)
    config = house.site.config
    environ = {**os.environ, "PBEM_MODE": "embedded", "PBEM_DATA": str(tmp_path), "PBEM_SECRET": config.secret}
    environ |= {"DATABASE_URL": config.database_url, "REDIS_URL": redis_url, "PYTHONPATH": str(tmp_path)}
    argv = [sys.executable, "-m", "celery", "--app", "crashing:app", "worker", "--concurrency", "1"]
    worker = subprocess.Popen(argv, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def what_is_noted() -> bool:
        with house.site.reading() as session:
            found = session.connection().execute(text("SELECT task, error FROM task_failures WHERE runs > 1"))
            return [tuple(row) for row in found] == [("crash", "WorkerLostError")]

    try:
        with Celery(broker=replace(config, redis_url=redis_url).broker_url, set_as_current=False) as app:
            app.send_task("workers.tasks.crash", ignore_result=True)
        wait_until(what_is_noted, "the deaths are noted")
    finally:
        worker.terminate()
        worker.wait(SECONDS)


def test_a_message_expires_by_the_time_of_the_site() -> None:
    at = datetime(2020, 1, 1, tzinfo=UTC)  # by the clock of this machine it has expired long ago
    message: Any = SimpleNamespace(app=SimpleNamespace(now=lambda: at), id="late", expires=at + timedelta(seconds=5))
    assert request.Request.maybe_expire(message) is None
    message.expires = at - timedelta(seconds=1)
    assert request.Request.maybe_expire(message) is True
    message.expires = None
    assert request.Request.maybe_expire(message) is None
    assert watch.Calm.Request == f"{request.__name__}:Request"
