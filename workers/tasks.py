"""The tasks. Each may run twice or concurrently: the services allow for it.

Those that take a number sweep one of this many shares of the matches, or all without it. What cannot be undone is not
done while the clock may be wrong (`is_settled`). Those of features are added at the end.
"""

import random
import time
from collections.abc import Sequence
from typing import Any

from pbem.discovery import packages_of_features
from pbem.services import wakeup
from pbem.services.clock.outages import is_settled
from pbem.services.hooks import Request, Task, hooks_of, requests_of, tasks_of
from pbem.services.log import archiving, keeping
from pbem.services.mail import digests, reminders, sender
from pbem.services.monitoring import alarm, probes
from pbem.services.play import bots, timeouts
from pbem.services.privacy import retention
from pbem.services.results import tallying
from pbem.services.shards import Shard

from . import thinking
from .app import app, site_of_worker
from .watch import ROUND_S


@app.task
def drain() -> int:
    """Sends the mails that are due; returns their number."""
    return sender.drain(site_of_worker())


@app.task
def play_bots() -> int:
    """Answers for the bots that answer at once, and calls for those that think; returns the number of answers."""
    if not bots.is_any_bot_asked(site_of_worker()):
        return 0
    played = bots.play_quick_bots(site_of_worker())
    if bots.is_any_thinker_asked(site_of_worker()):
        thinking.call_for_thought(site_of_worker().config, think)
    return played


@app.task(queue=probes.THINKING)
def think() -> int:
    """Answers for the bots that think, then does what features leave to it; returns the number of things done.

    Runs in a process that does nothing else.
    """
    return bots.play_thinkers(site_of_worker()) + thinking.do_thoughts_of_features(site_of_worker())


@app.task
def follow() -> int:
    """Lets orders answer that do so at once; returns the number of questions that it looked at."""
    return timeouts.let_undelayed_orders_answer(site_of_worker())


@app.task
def sweep(number: int = 0, of: int = 1) -> int:
    """Lets the clock move for asks past their deadline; returns the number of asks it answered."""
    return timeouts.beat_and_sweep_deadlines_if_web_up(site_of_worker(), Shard(number, of))


@app.task
def lapse(number: int = 0, of: int = 1) -> int:
    """Calls off matches that were not filled in time; returns their number."""
    shard = Shard(number, of)
    return (
        timeouts.cancel_lapsed_matches(site_of_worker(), shard)
        if timeouts.beat_and_check_web(site_of_worker(), shard)
        else 0
    )


@app.task
def remind(number: int = 0, of: int = 1) -> int:
    """Queues the reminders that are due; returns their number."""
    return reminders.beat_and_sweep_reminders_if_web_up(site_of_worker(), Shard(number, of))


@app.task
def digest(number: int = 0, of: int = 1) -> int:
    """Queues the daily digests that are due; returns the number of rows."""
    return digests.queue_digests_and_reopen_mails(site_of_worker(), Shard(number, of))


@app.task
def tidy() -> int:
    """Deletes rows past their retention; returns the number of rows."""
    return retention.delete_old_rows(site_of_worker()) if is_settled(site_of_worker()) else 0


@app.task
def archive(number: int = 0, of: int = 1) -> int:
    """Archives matches that ended a week ago; returns their number."""
    return archiving.archive_matches(site_of_worker(), Shard(number, of)) if is_settled(site_of_worker()) else 0


@app.task
def keep_folds(match_id: str = "") -> int:
    """Keeps folds of this match, or of all that lack them; returns the number of matches that lacked some."""
    return int(keeping.keep_folds(site_of_worker(), match_id)) if match_id else keeping.sweep_folds(site_of_worker())


@app.task
def tally() -> int:
    """Writes down how matches that are over ended, and rates their players; returns the number of matches.

    Then features do what follows from it.
    """
    tallied = tallying.tally_matches(site_of_worker())
    for one in hooks_of(site_of_worker().config.features):
        one.results.after(site_of_worker())
    return tallied


@app.task
def watch() -> int:
    """Raises the alarm while mails wait too long; returns their number."""
    return alarm.watch_mails(site_of_worker())


@app.task
def go_round(names: Sequence[str], by_beat: bool = False) -> int:
    """Runs the tasks with these names, each with its own time limit, count and line in the log. Returns 0.

    Those of a wake-up in this order; those of beat in any: one that hangs or crashes, which ends the worker, keeps none
    from its turn for ever. After a wake-up, too, the others come by beat then. A round that has taken long begins no
    other: those of another period wait, and the clock's heartbeat among them. What a wake-up has left goes into another
    message, which is shorter: a round does at least its first.
    """
    if not by_beat and (broker := site_of_worker().config.redis_url) is not None:
        wakeup.note_worker_begun(broker)
    end = time.monotonic() + ROUND_S
    for at, name in enumerate(random.sample(names, len(names)) if by_beat else names):
        if site_of_worker().stopping():
            break
        if at and time.monotonic() > end:
            if not by_beat:
                go_round.apply_async((names[at:],), ignore_result=True, expires=60)
            break
        app.tasks[f"workers.tasks.{name}"].apply()
    return 0


def _add_feature_task(name: str, feature: str, task: Task) -> None:
    """Adds a feature's task. While the feature is off nothing asks for it, and what was asked for before is dropped."""

    @app.task(name=f"workers.tasks.{name}")
    def run(number: int = 0, of: int = 1) -> int:
        if feature not in site_of_worker().config.features or (task.settled and not is_settled(site_of_worker())):
            return 0
        if task.must_think is None:
            return task.run(site_of_worker(), *((Shard(number, of),) if task.kind == "shard" else ()))
        if task.must_think(site_of_worker()):
            thinking.call_for_thought(site_of_worker().config, think)
        return 0


def _add_feature_request(name: str, feature: str, request: Request) -> None:
    """Adds what a feature does on request, and keeps what it returns. While the feature is off, that is None."""

    @app.task(name=f"workers.tasks.{name}", ignore_result=False)
    def run(*carried: Any) -> Any:
        return request(site_of_worker(), *carried) if feature in site_of_worker().config.features else None


for _feature in packages_of_features():
    for _name, _task in tasks_of((_feature,)).items():
        _add_feature_task(_name, _feature, _task)
    for _name, _request in requests_of((_feature,)).items():
        _add_feature_request(_name, _feature, _request)
