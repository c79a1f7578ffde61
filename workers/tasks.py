"""The tasks. Each may run twice or concurrently: the services allow for it.

Those that take a number sweep one of this many shares of the matches, or all without it. What cannot be undone is not
done while the clock may be wrong (`is_settled`). Those of features are added at the end.
"""

import random
import time
from collections.abc import Sequence
from typing import Any

from pbem.discovery import features
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
from .app import app, site
from .watch import ROUND_S


@app.task
def drain() -> int:
    """Sends the mails that are due; returns their number."""
    return sender.drain(site())


@app.task
def play_bots() -> int:
    """Answers for the bots that answer at once, and calls for those that think; returns the number of answers."""
    if not bots.is_any_asked(site()):
        return 0
    played = bots.play_bots(site())
    if bots.must_think(site()):
        thinking.call_for_thought(site().config, think)
    return played


@app.task(queue=probes.THINKING)
def think() -> int:
    """Answers for the bots that think, then does what features leave to it; returns the number of things done.

    Runs in a process that does nothing else.
    """
    return bots.play_thinkers(site()) + thinking.work_of_features(site())


@app.task
def follow() -> int:
    """Lets orders answer that do so at once; returns the number of questions that it looked at."""
    return timeouts.follow_at_once(site())


@app.task
def sweep(number: int = 0, of: int = 1) -> int:
    """Lets the clock move for asks past their deadline; returns the number of asks it answered."""
    return timeouts.tick(site(), Shard(number, of))


@app.task
def lapse(number: int = 0, of: int = 1) -> int:
    """Calls off matches that were not filled in time; returns their number."""
    shard = Shard(number, of)
    return timeouts.sweep_lapsed(site(), shard) if timeouts.beat_and_check_web(site(), shard) else 0


@app.task
def remind(number: int = 0, of: int = 1) -> int:
    """Queues the reminders that are due; returns their number."""
    return reminders.tick(site(), Shard(number, of))


@app.task
def digest(number: int = 0, of: int = 1) -> int:
    """Queues the daily digests that are due; returns the number of rows."""
    return digests.sweep_digests(site(), Shard(number, of))


@app.task
def tidy() -> int:
    """Deletes rows past their retention; returns the number of rows."""
    return retention.tidy(site()) if is_settled(site()) else 0


@app.task
def archive(number: int = 0, of: int = 1) -> int:
    """Archives matches that ended a week ago; returns their number."""
    return archiving.archive_matches(site(), Shard(number, of)) if is_settled(site()) else 0


@app.task
def keep_folds(match_id: str = "") -> int:
    """Keeps folds of this match, or of all that lack them; returns the number of matches that lacked some."""
    return int(keeping.keep_folds(site(), match_id)) if match_id else keeping.sweep_folds(site())


@app.task
def tally() -> int:
    """Writes down how matches that are over ended, and rates their players; returns the number of matches.

    Then features do what follows from it.
    """
    tallied = tallying.tally(site())
    for one in hooks_of(site().config.features):
        one.results.after(site())
    return tallied


@app.task
def watch() -> int:
    """Raises the alarm while mails wait too long; returns their number."""
    return alarm.watch(site())


@app.task
def go_round(names: Sequence[str], by_beat: bool = False) -> int:
    """Runs the tasks with these names, each with its own time limit, count and line in the log. Returns 0.

    Those of a wake-up in this order; those of beat in any: one that hangs or crashes, which ends the worker, keeps none
    from its turn for ever. After a wake-up, too, the others come by beat then. A round that has taken long begins no
    other: those of another period wait, and the clock's heartbeat among them. What a wake-up has left goes into another
    message, which is shorter: a round does at least its first.
    """
    if not by_beat and (broker := site().config.redis_url) is not None:
        wakeup.note_begun(broker)
    end = time.monotonic() + ROUND_S
    for at, name in enumerate(random.sample(names, len(names)) if by_beat else names):
        if site().stopping():
            break
        if at and time.monotonic() > end:
            if not by_beat:
                go_round.apply_async((names[at:],), ignore_result=True, expires=60)
            break
        app.tasks[f"workers.tasks.{name}"].apply()
    return 0


def _add(name: str, feature: str, task: Task) -> None:
    """Adds a feature's task. While the feature is off nothing asks for it, and what was asked for before is dropped."""

    @app.task(name=f"workers.tasks.{name}")
    def run(number: int = 0, of: int = 1) -> int:
        if feature not in site().config.features or (task.settled and not is_settled(site())):
            return 0
        if task.must_think is None:
            return task.run(site(), *((Shard(number, of),) if task.kind == "shard" else ()))
        if task.must_think(site()):
            thinking.call_for_thought(site().config, think)
        return 0


def _add_request(name: str, feature: str, request: Request) -> None:
    """Adds what a feature does on request, and keeps what it returns. While the feature is off, that is None."""

    @app.task(name=f"workers.tasks.{name}", ignore_result=False)
    def run(*carried: Any) -> Any:
        return request(site(), *carried) if feature in site().config.features else None


for _feature in features():
    for _name, _task in tasks_of((_feature,)).items():
        _add(_name, _feature, _task)
    for _name, _request in requests_of((_feature,)).items():
        _add_request(_name, _feature, _request)
