"""The wake-up: every call is followed by another send, and a burst of calls wakes the worker only a few times."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery import Celery
from kombu.exceptions import OperationalError

from pbem.config import Config
from pbem.services import wakeup
from pbem.services.hooks import tasks_of
from pbem.services.play import bots, timeouts
from pbem.services.wakeup import (
    Wakeup,
    fold_keeper_for,
    note_worker_begun,
    open_with_broker,
    tasks_run_by_wakeup,
    wakeup_for,
)
from tests.harness.sent import count_statements
from tests.harness.waiting import SECONDS, wait_until
from tests.table import House


class Held:
    """A wake-up whose calls succeed, and whose rests end, when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rest_s: float) -> None:
        self.did: list[str] = []
        """What its thread has begun: to send, or to rest for that many seconds."""
        self._go_on = threading.Semaphore(0)
        clock = SimpleNamespace(sleep=lambda s: self._takes(f"rest {s:g}"))
        monkeypatch.setattr(wakeup, "time", clock)
        self.wakeup = Wakeup(lambda: self._takes("send"), rest_s)

    def _takes(self, what: str) -> None:
        self.did.append(what)
        assert self._go_on.acquire(timeout=SECONDS)

    def go_on(self, *then: str) -> None:
        """Ends what its thread does; returns when it has begun what follows, which is `then`."""
        before = len(self.did)
        for _ in range(len(then) or 1):
            self._go_on.release()
        wait_until(lambda: len(self.did) == before + len(then), f"then {then} follows")
        assert tuple(self.did[before:]) == then


@pytest.mark.long
def test_wake_ups_during_another_are_merged_and_do_not_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Held(monkeypatch, 0.2)

    def rush() -> None:
        for _ in range(100):
            held.wakeup()  # returns although the broker hangs: otherwise this test would never end

    rush()
    wait_until(lambda: held.did == ["send"], "the first call is answered")
    rush()
    held.go_on("rest 0.05")
    held.go_on("rest 0.15")
    rush()
    held.go_on("send")
    held.go_on("rest 0.05")
    assert not held.wakeup.pending.is_set(), "all that came meanwhile became one"
    held.go_on()


@pytest.mark.long
def test_a_single_wake_up_is_sent_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch, 60)
    held.wakeup()
    wait_until(lambda: held.did, "something is done")
    assert held.did == ["send"]
    held.go_on("rest 15")  # a bot may have to answer the next move
    held.go_on()


def test_after_a_failed_send_the_next_wake_up_is_sent() -> None:
    tried: list[int] = []

    def send() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OperationalError

    wake = Wakeup(send, rest_s=0.01)
    wake()
    wait_until(lambda: len(tried) == 1, "it was tried")
    wake()
    wait_until(lambda: len(tried) == 2, "it is tried again")


def test_a_wake_up_is_a_single_message_and_only_one_is_queued(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def send(_app: object, name: str, given: tuple[tuple[str, ...]], **_: object) -> None:
        asked.append((name, given[0]))

    monkeypatch.setattr(Celery, "send_task", send)
    config = Config(mode="embedded", data=tmp_path, database_url="sqlite://", secret="", redis_url=redis_url)
    one, other = wakeup_for(config), wakeup_for(config)
    one.wake_now()
    assert asked == [("workers.tasks.go_round", tasks_run_by_wakeup(config.features))]
    other.wake_now()
    one.wake_now()
    assert len(asked) == 1, "the message of another process waits for a worker"
    note_worker_begun(redis_url)
    other.wake_now()
    assert len(asked) == 2, "what is due since a worker has begun needs another one"


def test_counters_are_added_up_in_redis_only_with_metrics_on(redis_url: str, tmp_path: Path) -> None:
    for features, adds in ((("feed", "metrics"), True), (("feed",), False)):
        config = Config(
            mode="embedded", data=tmp_path, database_url="sqlite://", secret="", redis_url=redis_url, features=features
        )
        assert open_with_broker(config).counters.flush() is adds


def test_a_wake_up_message_no_worker_begins_is_followed_by_another(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Celery, "send_task", lambda *given, **_: asked.append(given))
    monkeypatch.setattr(wakeup, "SENT_MS", 100)
    config = Config(mode="embedded", data=tmp_path, database_url="sqlite://", secret="", redis_url=redis_url)
    one, other = wakeup_for(config), wakeup_for(config)
    one.wake_now()
    other()
    wait_until(lambda: len(asked) == 2, "the worker may be one that never says that it has begun")
    assert one.wake_now() == 0.1
    wait_until(lambda: one.wake_now() is None, "the other has sent all it had to")
    assert len(asked) == 3


def test_a_wake_up_message_that_fails_keeps_no_other_from_being_sent(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def send(*given: object, **_: object) -> None:
        asked.append(given)
        if len(asked) == 1:
            raise OperationalError

    monkeypatch.setattr(Celery, "send_task", send)
    config = Config(mode="embedded", data=tmp_path, database_url="sqlite://", secret="", redis_url=redis_url)
    wake = wakeup_for(config)
    wake.wake_now()
    wake.wake_now()
    assert len(asked) == 2


def test_an_idle_wake_up_task_sends_one_statement(house: House) -> None:
    jobs: dict[str, Callable[..., int]] = {
        "bots": bots.is_any_bot_asked,
        "orders": timeouts.let_undelayed_orders_answer,
    }
    jobs |= {name: one.must_think or one.run for name, one in tasks_of(house.site.config.features).items() if one.wakes}
    asked = {name: count_statements(house.site.engine, partial(job, house.site)) for name, job in jobs.items()}
    assert asked == dict.fromkeys(jobs, 1)


def test_storing_folds_of_two_matches_queues_a_task_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def send(_app: object, name: str, given: tuple[str, ...], **_: object) -> None:
        asked.append(f"{name} {given[0]}")

    monkeypatch.setattr(Celery, "send_task", send)
    keep = fold_keeper_for("redis://localhost:1/0")
    for match_id in ("a", "b"):
        keep(match_id)
    wait_until(lambda: len(asked) == 2, "both are asked for")
    assert sorted(asked) == ["workers.tasks.keep_folds a", "workers.tasks.keep_folds b"]
