"""A task ends by itself before Celery's limits: after the current mail or move, and the rest stays due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import text

from pbem.mail.mime import Mail
from pbem.services.counters import Counters
from pbem.services.mail import sender
from pbem.services.play import timeouts
from pbem.services.site import Site
from pbem.workers import watch
from tests.table import House, open_house


class Hours:
    """The machine's time, and a task that began at zero."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hours]:
    """A current task, and the clock that measures its time."""
    hours = Hours()
    monkeypatch.setattr(watch, "time", hours)
    watch.begin_task("a task")
    yield hours
    site: Any = SimpleNamespace(counters=Counters())
    for task in ("a task", "another"):
        watch.end_task(site, task, SimpleNamespace(name="drain"), "SUCCESS", 0)


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The house of a worker."""
    for house in open_house(sqlite_url, tmp_path):
        yield House(replace(house.site, stopping=watch.stopping), house.clock, house.mail, house.wakes)


def due(house: House) -> list[tuple[Any, ...]]:
    """Returns the due turn mails that nobody has claimed."""
    with house.site.reading() as session:
        free = "SELECT id FROM outbox WHERE kind = 'turn' AND done_at IS NULL AND claimed_until IS NULL"
        return [tuple(row) for row in session.connection().execute(text(free))]


def test_a_task_has_its_time_and_the_next_one_its_own(hours: Hours, house: House) -> None:
    hours.now = watch.ENOUGH_S
    assert not watch.stopping()
    hours.now += 1
    assert watch.stopping()
    watch.end_task(house.site, "a task", SimpleNamespace(name="drain"), "SUCCESS", 0)
    assert not watch.stopping()
    watch.begin_task("another")
    assert not watch.stopping()


def test_a_slow_relay_ends_a_run_in_time_and_leaves_the_rest_due(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(4)
    assert len(due(house)) == 4
    send = house.mail.send

    def slowly(mail: Mail, to: str) -> None:
        hours.now += watch.ENOUGH_S / 2
        send(mail, to)

    monkeypatch.setattr(house.mail, "send", slowly)
    assert sender.drain(house.site, lambda: house.mail) == 3
    assert len(due(house)) == 1


def test_a_limit_that_strikes_in_the_middle_of_a_mail_ends_the_run_with_it(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(4)

    def hanging(_mail: Mail, _to: str) -> None:
        hours.now = 200
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(house.mail, "send", hanging)
    assert sender.drain(house.site, lambda: house.mail) == 0
    assert len(due(house)) == 3
    assert house.mail.sent == []


def test_a_limit_that_strikes_in_the_middle_of_a_move_ends_the_sweep_with_it(
    hours: Hours, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()
    house.time_is_up(match_id)
    tried: list[Site] = []

    def hanging(site: Site, *_: object) -> None:
        tried.append(site)
        hours.now = 200
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(timeouts, "play_fallback", hanging)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert len(tried) == 1


def test_a_worker_with_beat_inside_is_stuck_when_its_task_hangs_or_beat_has_ended(hours: Hours) -> None:
    done = Event()
    beat = Thread(target=done.wait)
    beat.start()
    hours.now = watch.HUNG_S
    assert not watch.is_stuck(beat)
    hours.now += 1
    assert watch.is_stuck(beat), "the task has had its time"
    watch.begin_task("another")
    assert not watch.is_stuck(beat)
    done.set()
    beat.join()
    assert watch.is_stuck(beat), "nobody sends what is due"
