"""Chunks as tasks: what is sent, how many wait at a time, and what is said where nobody answers; no broker is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from celery.exceptions import TimeoutError as NoAnswer
from kombu.exceptions import OperationalError

from pbem.features.lab import distribution
from pbem.features.lab.distribution import NoWorkers, tallies_from_workers
from pbem.features.lab.plans import Plan
from pbem.features.lab.tallies import Tally
from pbem.services.monitoring.probes import THINKING
from tests.features.lab.chunks import chunks_of
from tests.harness.cases import cases

PLAN, THINKERS = Plan("hogen", 3, "5e" * 32), Plan("hogen", 3, "5e" * 32, ("easy",))
PLAYED = msgspec.to_builtins(Tally(3))


class Result:
    """A task: it is ready after this many waits, and then holds what its worker has told."""

    def __init__(self, app: Workers, told: object, waits: int) -> None:
        self.app, self.told, self.waits = app, told, waits

    def ready(self) -> bool:
        return self.waits == 0

    def get(self, **how: object) -> object:
        self.app.said.append(("get", how))
        if self.waits:
            self.waits -= 1
            raise NoAnswer
        return self.told

    def successful(self) -> bool:
        return not isinstance(self.told, Exception)

    def forget(self) -> None:
        self.app.said.append("forget")

    def revoke(self) -> None:
        self.app.said.append("revoke")


class Workers:
    """Celery, with as many workers as it is given answers to each question whether somebody is there."""

    def __init__(
        self, *, answers: Sequence[int] = (1,), told: object = PLAYED, waits: int = 0, error: Any = None
    ) -> None:
        self.answers, self.told, self.waits, self.error = (
            [*answers],
            told,
            waits,
            error,
        )
        self.said: list[object] = []
        self.sent: list[tuple[str, list[Any], dict[str, Any]]] = []
        self.conf = self
        self.control = self
        self.begun: object = None

    def __call__(self, *args: object, **more: object) -> Workers:
        self.begun = args, more
        return self

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *raised: object) -> None:
        self.said.append("closed")

    def update(self, settings: object) -> None:
        self.said.append(settings)

    def _answer(self) -> int:
        if self.error:
            raise self.error
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def broadcast(self, *args: object, **more: object) -> list[str]:
        self.said.append((args, more))
        return ["pong"] * self._answer()

    def inspect(self, *, timeout: float) -> Workers:
        self.said.append(("inspect", timeout))
        return self

    def active_queues(self) -> dict[str, list[dict[str, str]]] | None:
        queues = [[{"name": "celery"}, {"name": THINKING}]] * self._answer()
        return {str(at): one for at, one in enumerate([*queues, [{"name": "celery"}]])} if queues else None

    def send_task(self, name: str, arguments: list[Any], **more: Any) -> Result:
        self.sent.append((name, arguments, more))
        return Result(self, self.told, self.waits)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make_workers(**more: Any) -> Workers:
        found = Workers(**more)
        monkeypatch.setattr(distribution, "Celery", found)
        return found

    return make_workers


TRANSPORT = {"socket_timeout": 10, "socket_connect_timeout": 5.0, "max_retries": 0}


def test_each_chunk_is_a_task_of_the_lowest_priority_that_expires(workers: Any) -> None:
    app = workers()
    assert list(tallies_from_workers("redis://x", chunks_of(PLAN, 3, 2))) == [Tally(3), Tally(3)]
    more = {"queue": None, "priority": 9, "expires": 3600, "ignore_result": False}
    plan = msgspec.to_builtins(PLAN)
    assert app.sent == [
        ("workers.tasks.simulate", [plan, 0, 2], more), ("workers.tasks.simulate", [plan, 2, 3], more)
    ]  # fmt: skip
    assert app.begun == (("pbem-simulate",), {"broker": "redis://x", "backend": "redis://x", "set_as_current": False})
    assert app.said == [
        {
            "broker_transport_options": TRANSPORT,
            "result_backend_transport_options": {**TRANSPORT, "retry_policy": {"max_retries": 0}},
            "redis_socket_connect_timeout": 5.0, "task_publish_retry": False, "result_expires": 600,
        },
        (("ping",), {"reply": True, "timeout": 5.0, "limit": 1}),
        ("get", {"propagate": False}), "forget", ("get", {"propagate": False}), "forget", "closed",
    ]  # fmt: skip


@cases("plan, answers, ahead", [(PLAN, 1, 64), (THINKERS, 1, 2), (THINKERS, 2, 2), (THINKERS, 5, 5)])
def test_only_a_few_tasks_are_queued_ahead_and_leftovers_are_revoked(
    workers: Any, plan: Plan, answers: int, ahead: int
) -> None:
    app = workers(answers=(answers,))
    coming = tallies_from_workers("redis://x", chunks_of(plan, 100, 1))
    next(coming)
    assert len(app.sent) == ahead
    next(coming)
    assert len(app.sent) == ahead + 1
    assert {more["queue"] for _, _, more in app.sent} == {THINKING if plan is THINKERS else None}
    del app.said[:]
    coming.close()  # type: ignore[attr-defined]
    assert app.said == [*["revoke", "forget"] * (ahead - 1), "closed"]


@cases(
    "plan, more, says",
    [
        (PLAN, {"answers": (0,)}, "No worker answers."),
        (THINKERS, {"answers": (0,)}, "No worker takes the tasks of bots that think"),
        (PLAN, {"error": OperationalError()}, "The broker at REDIS_URL cannot be reached (OperationalError)."),
        (PLAN, {"error": NoAnswer()}, "The workers have not answered for 360 seconds."),
        (PLAN, {"told": ValueError("no such game")}, "A worker failed: ValueError('no such game')"),
        (PLAN, {"told": None}, "The workers play nothing: their PBEM_FEATURES leaves out `lab`."),
    ],
)
def test_a_failed_distributed_task_is_reported_in_a_sentence(
    workers: Any, plan: Plan, more: dict[str, Any], says: str
) -> None:
    app = workers(**more)
    with pytest.raises(NoWorkers) as raised:
        list(tallies_from_workers("redis://x", chunks_of(plan, 2, 1)))
    assert str(raised.value).startswith(says)
    assert app.said[-1] == "closed"


@cases(
    "answers, waits, fails",
    [((1, 0, 0, 0), 2, False), ((1, 0, 0, 0), 3, True), ((1, 0, 0, 1, 0, 0, 1), 6, False), ((1, 0, 0, 1, 0), 6, True)],
)
def test_workers_are_lost_after_six_minutes_in_silence(
    workers: Any, answers: tuple[int, ...], waits: int, fails: bool
) -> None:
    app = workers(answers=answers, waits=waits)
    coming = tallies_from_workers("redis://x", chunks_of(PLAN, 1, 1))
    if fails:
        with pytest.raises(NoWorkers, match="have not answered for 360 seconds"):
            next(coming)
    else:
        assert next(coming) == Tally(3)
    assert app.said.count(("get", {"timeout": 120.0, "propagate": False})) == waits


def test_a_broker_lost_after_the_last_result_is_no_failure(workers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def go_away(result: Result) -> None:
        raise OperationalError

    monkeypatch.setattr(Result, "revoke", go_away)
    workers()
    coming = tallies_from_workers("redis://x", chunks_of(PLAN, 9, 1))
    assert next(coming) == Tally(3)
    coming.close()  # type: ignore[attr-defined]
