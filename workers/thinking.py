"""Where bots think: a process of its own with a low priority, so that mails, clocks and other bots never wait for it.

In production it is a Celery worker that takes the tasks of the queue `thinking` and no others. The launcher of `pbem
run` forks

    python -m pbem.workers.thinking

when the worker sends it a signal, and that process ends as soon as nothing is left to think about. Either is called
for only when a bot that thinks is asked, or a feature has something to do there (`Task.must_think`).
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog

from pbem import logs
from pbem.config import Config, config_of_process
from pbem.run.children import CALL
from pbem.services.hooks import thoughts_of
from pbem.services.monitoring import probes
from pbem.services.play import bots
from pbem.services.site import Site, open_site
from pbem.services.wakeup import counters_for, wakeup_for

from . import watch

log = structlog.get_logger()

EXPIRES_S = 30.0
"""A call that nobody takes for so long is void. It stays in the queue until somebody takes it all the same."""
THINK = "think"
"""Under what a failure of a bot is noted. What features do has a name for each: a thought that ends well says nothing
of it."""
NICER = 10
"""By how much its priority is lower than that of other processes."""

launcher: int | None = None
"""The process that started this one, if it is to be called for each thought; see `set_launcher_to_fork`."""


def set_launcher_to_fork(process: int) -> None:
    """Makes this process, which that launcher started, call it for each thought instead of sending a task."""
    global launcher
    launcher = process


def call_for_thought(config: Config, task: Any) -> None:
    """Lets the bots that are to think do so in another process, by this task or by a fork. Returns at once.

    A task that no worker has taken yet is enough, so that the queue of a site without such workers does not grow.
    """
    if launcher is None:
        if task.app.conf.task_always_eager or not _is_thought_queued(config):
            task.apply_async(expires=EXPIRES_S)
    elif os.getppid() == launcher:  # else it has died, and its id may be somebody else's
        with suppress(ProcessLookupError):
            os.kill(launcher, CALL)


def _is_thought_queued(config: Config) -> bool:
    with probes.open_broker_client(config) as client:
        return bool(client.llen(probes.THINKING))


def do_thoughts_of_features(site: Site) -> int:
    """Does what features leave to a task that thinks; returns the number of things done.

    A feature that fails is noted under its name, and holds up no other.
    """
    done = 0
    for feature, work in thoughts_of(site.config.features):
        error = None
        try:
            done += work(site)
        except Exception as problem:
            log.exception("think.failed", feature=feature)
            error = type(problem).__name__
        watch.recorder.note_end_of_run(site, f"{THINK}: {feature}", error)
    return done


def main() -> int:
    """Thinks until nothing is left to think about, or a signal ends it; returns the exit status."""
    os.nice(NICER)
    ending = False

    def end(*_: object) -> None:
        nonlocal ending
        ending = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    config = config_of_process()
    watch.start_watch_for_stuck_task(lambda: open_site(config))
    think_until_nothing_is_left(config, lambda: ending)
    return 0


def think_until_nothing_is_left(config: Config, ending: Callable[[], bool]) -> None:
    """Plays the bots that are to think, and wakes the worker, until there are none or it is `ending`.

    In between it does what features have to do here; a bot waits for a part of it at most. What hangs is ended like a
    task (see `watch`), and the launcher starts another process when it is called again.
    """
    assert config.broker_url is not None, "the launcher has a broker"
    logs.configure_logging(as_json=config.log_json, on_error=watch.note_caught)
    wake, counters = wakeup_for(config), counters_for(config)
    site = open_site(config, wake=wake, counters=counters, stopping=lambda: ending() or watch.is_stopping())
    try:
        while not ending():
            with watch.task_limits_for_block(site, THINK):
                played = bots.play_thinkers(site)
            if played:
                wake.wake_now()
                continue
            worked = 0
            for feature, work in thoughts_of(config.features):
                with watch.task_limits_for_block(site, f"{THINK}: {feature}"):
                    worked += work(site)
            if not worked:
                break
    finally:
        counters.flush()
        site.engine.dispose()


if __name__ == "__main__":
    sys.exit(main())
