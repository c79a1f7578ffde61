"""Analyses are worked on where bots think, when no bot has to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import redis
from celery.app.control import Inspect
from sqlalchemy import text

from pbem.commands import checks
from pbem.config import Config
from pbem.features.analysis.tasks import TASKS
from pbem.services.monitoring import failures, probes
from pbem.services.play import bots
from pbem.services.site import Site
from pbem.workers import thinking, watch
from tests.table import open_house
from tests.workers.process import run_code

DUE = """
from pbem.commands import checks
from pbem.config import Config
from pbem.features.analysis.tasks import TASKS
from pbem.workers.app import app
from pbem.workers import tasks

object.__setattr__(TASKS["analyse"], "must_think", lambda site: True)
for _ in range(2):
    app.tasks["workers.tasks.analyse"]()
"""


@pytest.mark.long
def test_due_analyses_queue_a_single_task_for_the_thinking_workers(
    sqlite_url: str, tmp_path: Path, redis_url: str
) -> None:
    run_code(DUE, sqlite_url, tmp_path, REDIS_URL=redis_url)
    with redis.Redis.from_url(redis_url) as client:
        assert client.llen(probes.THINKING) == 1
        assert client.llen("celery") == 0
        client.delete(probes.THINKING)


HANGS = """
from threading import Event
from pbem.commands import checks
from pbem.config import Config
from pbem.features.analysis.tasks import TASKS
from pbem.services.play import bots
from pbem.workers import thinking, watch

watch.HUNG_S, watch.LOOK_S = 0.2, 0.1
bots.play_thinkers = lambda site: 0
object.__setattr__(TASKS["analyse"], "run", lambda site: Event().wait())
thinking.main()
"""


@pytest.mark.long
def test_a_position_whose_analysis_hangs_ends_the_worker_process(
    sqlite_url: str, tmp_path: Path, redis_url: str
) -> None:
    run_code(HANGS, sqlite_url, tmp_path, status=watch.STUCK, REDIS_URL=redis_url)


@pytest.mark.parametrize("played", [0, 1])
def test_a_failing_analysis_task_is_recorded_although_bots_succeed(
    played: int, sqlite_url: str, tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_error(site: Site) -> int:
        raise KeyError

    monkeypatch.setattr(watch, "recorder", failures.Recorder())
    monkeypatch.setattr(failures, "LOOK_S", 0.0)
    monkeypatch.setitem(TASKS["analyse"].__dict__, "run", raise_error)
    for house in open_house(sqlite_url, tmp_path, redis_url=redis_url):
        for _ in range(3):
            answered = iter((played, 0))
            monkeypatch.setattr(bots, "play_thinkers", lambda site: next(answered, 0))  # noqa: B023
            with pytest.raises(KeyError):
                thinking.think_until_nothing_is_left(replace(house.site.config), lambda: False)
        with house.site.reading() as session:
            noted = session.execute(text("SELECT task, error, runs FROM task_failures")).all()
        assert noted == [("think: analysis", "KeyError", 3)]
        thinking.think_until_nothing_is_left(replace(house.site.config, features=()), lambda: False)
    with redis.Redis.from_url(redis_url) as client:
        client.delete("celery")


def test_doctor_says_that_analysis_waits_for_a_thinking_worker(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Inspect, "active_queues", lambda self: {})
    for features, waits in (((), ""), (("analysis",), ", and these features wait: analysis")):
        config = Config(
            mode="production", data=tmp_path, database_url="sqlite://", secret="s" * 40, redis_url=redis_url,
            features=features,
        )  # fmt: skip
        todo = {one.check: one.todo for one in checks.check_broker_beat_and_workers(config)}["thinking"]
        assert todo == f"Start `thinking` (see Procfile): without it bots that think do not answer{waits}."
