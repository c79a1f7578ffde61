"""Bots think in a process of their own, which is called for only when there is something to think about."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis

from pbem.run.children import CALL
from pbem.services.monitoring import probes
from pbem.services.play import bots
from pbem.services.site import Site
from pbem.services.wakeup import SENT
from pbem.workers import thinking, watch
from tests.table import open_house
from tests.workers.process import run_code

EAGER = """
from pbem.services.play import bots
from pbem.workers import tasks
from pbem.workers.app import app

app.conf.task_always_eager = True
todo = [3]
bots.is_any_bot_asked, bots.is_any_thinker_asked = lambda site: True, lambda site: bool(todo)
bots.play_thinkers = lambda site: print("thinks") or todo.pop()
for _ in range(2):
    print(tasks.play_bots.delay().state)
"""
QUEUED = """
from pbem.services.play import bots
from pbem.workers import tasks

bots.is_any_bot_asked = bots.is_any_thinker_asked = lambda site: True
tasks.play_bots()
"""
AGAIN = f"{QUEUED}tasks.play_bots()\n"
FORKED = (
    """
import os
from pbem.workers import thinking, watch
thinking.set_launcher_to_fork(os.getppid())
"""
    + QUEUED
)


@pytest.mark.long
def test_with_eager_tasks_bots_think_at_once_and_only_if_needed(sqlite_url: str, tmp_path: Path) -> None:
    said = [line for line in run_code(EAGER, sqlite_url, tmp_path).splitlines() if line in ("thinks", "SUCCESS")]
    assert said == ["thinks", "SUCCESS", "SUCCESS"]


@pytest.mark.long  # the next one shows it, too
def test_thinking_tasks_have_their_own_queue(sqlite_url: str, tmp_path: Path, redis_url: str) -> None:
    run_code(QUEUED, sqlite_url, tmp_path, REDIS_URL=redis_url)
    with redis.Redis.from_url(redis_url) as client:
        assert client.llen(probes.THINKING) == 1
        assert client.llen("celery") == 0
        client.delete(probes.THINKING)


@pytest.mark.long
def test_without_a_thinking_worker_repeated_calls_queue_one_thought(
    sqlite_url: str, tmp_path: Path, redis_url: str
) -> None:
    run_code(AGAIN, sqlite_url, tmp_path, REDIS_URL=redis_url)
    with redis.Redis.from_url(redis_url) as client:
        assert client.llen(probes.THINKING) == 1
        assert client.llen("celery") == 0
        client.delete(probes.THINKING)


@pytest.mark.long
def test_the_worker_of_pbem_run_calls_its_launcher_and_queues_no_thought(
    sqlite_url: str, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[int] = []
    before = signal.signal(CALL, lambda number, _: called.append(number))
    try:
        run_code(FORKED, sqlite_url, tmp_path, REDIS_URL=redis_url)
    finally:
        signal.signal(CALL, before)
    assert called == [CALL]
    with redis.Redis.from_url(redis_url) as client:
        assert client.llen(probes.THINKING) == 0


def test_no_thinking_process_is_called_once_the_launcher_has_died(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "launcher", None)
    thinking.set_launcher_to_fork(os.getpid())  # not the parent of this process
    for house in open_house(sqlite_url, tmp_path):
        thinking.call_for_thought(house.site.config, None)


@pytest.mark.parametrize("played", [0, 1])
def test_the_thinking_process_wakes_the_worker_if_a_bot_has_moved(
    played: int, sqlite_url: str, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = iter((played, 0))
    monkeypatch.setattr(bots, "play_thinkers", lambda site: next(answered))
    for house in open_house(sqlite_url, tmp_path, redis_url=redis_url):
        thinking.think_until_nothing_is_left(replace(house.site.config), lambda: False)
    with redis.Redis.from_url(redis_url) as client:
        assert client.llen("celery") == played
        client.delete("celery", SENT)


HANGS = """
from threading import Event
from pbem.services.play import bots
from pbem.workers import thinking, watch

watch.HUNG_S, watch.LOOK_S = 0.2, 0.1
bots.play_thinkers = lambda site: Event().wait()
thinking.main()
"""


@pytest.mark.long
def test_a_bot_that_hangs_while_thinking_ends_the_process(sqlite_url: str, tmp_path: Path, redis_url: str) -> None:
    run_code(HANGS, sqlite_url, tmp_path, status=watch.STUCK, REDIS_URL=redis_url)


def test_a_thinking_run_ends_at_its_time_limit_and_the_next_begins(
    sqlite_url: str, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping: list[bool] = []

    def play(site: Site) -> int:
        before = time.monotonic()
        with monkeypatch.context() as patched:
            patched.setattr(watch, "time", SimpleNamespace(monotonic=lambda: before + watch.ENOUGH_S / 2))
            stopping.append(site.stopping())
            patched.setattr(watch, "time", SimpleNamespace(monotonic=lambda: before + watch.ENOUGH_S + 1))
            stopping.append(site.stopping())
        return int(len(stopping) == 2)

    monkeypatch.setattr(bots, "play_thinkers", play)
    for house in open_house(sqlite_url, tmp_path, redis_url=redis_url):
        thinking.think_until_nothing_is_left(replace(house.site.config), lambda: False)
    assert stopping == [False, True] * 2


def test_a_feature_whose_thinking_task_fails_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[tuple[str, str | None]] = []

    def fail(_: Site) -> int:
        raise RuntimeError("no")

    site: Any = SimpleNamespace(config=SimpleNamespace(features=("first", "second")))
    monkeypatch.setattr(thinking, "thoughts_of", lambda _: [("first", fail), ("second", lambda _: 2)])
    monkeypatch.setattr(watch.recorder, "note_end_of_run", lambda _, name, error: noted.append((name, error)))
    assert thinking.do_thoughts_of_features(site) == 2
    assert noted == [("think: first", "RuntimeError"), ("think: second", None)]
