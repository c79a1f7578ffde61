"""Which task is sent how often, and to how many workers.

In which order tasks run after a wake-up is decided in `pbem.services.wakeup`. Tasks of features are added to those of
the core while the feature is on.
"""

from typing import Any

from pbem.services.hooks import tasks_of

ONE, QUEUE, SHARD = "one", "queue", "shard"
TASKS = {
    "drain": (5.0, QUEUE), "play_bots": (5.0, QUEUE),
    "sweep": (10.0, SHARD), "remind": (60.0, SHARD), "digest": (60.0, SHARD),
    "lapse": (60.0, SHARD), "archive": (60.0, SHARD),
    "tally": (10.0, ONE), "watch": (60.0, ONE), "keep_folds": (60.0, ONE), "tidy": (600.0, ONE),
}  # fmt: skip
"""Every task of the core, with its period in seconds, and how it goes to several workers: one is enough; a queue, from
which each takes what nobody else has claimed; or a share of the matches for each."""
WOKEN_S = 30.0
"""How often an only worker is asked for a task that wake-ups send."""
ROUNDS = {
    10.0: ("drain", "sweep", "tally"),
    WOKEN_S: ("play_bots",),
    60.0: ("remind", "digest", "lapse", "archive", "watch", "keep_folds"),
    600.0: ("tidy",),
}
"""What an only worker is asked for in one message, by the period in seconds; those of features are added.

A message costs it more than a task that finds nothing to do. Wake-ups start mails, and all that is asked for every half
minute, as soon as there is something to do: beat just makes up for a lost one.
"""


def schedule_of_site(shards: int, features: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Returns the schedule of a site with this many shards, on which these features are on.

    Each run expires before the next one is sent: a worker that was down does not find a backlog.
    """
    made: dict[str, dict[str, Any]] = {}
    theirs = {name: (task.period_s, task.kind) for name, task in tasks_of(features).items()}
    for name, (period_s, kind) in {**TASKS, **theirs}.items():
        for number in range(1 if kind == ONE else shards):
            made[f"{name}-{number}" if number else name] = {
                "task": f"workers.tasks.{name}",
                "schedule": period_s,
                "options": {"expires": period_s},
                "args": (number, shards) if kind == SHARD and shards > 1 else (),
            }
    return made


def schedule_of_single_worker(features: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Returns the schedule of a site whose only worker does one task at a time, which shares would not speed up."""
    rounds = dict(ROUNDS)
    for name, task in tasks_of(features).items():
        period_s = WOKEN_S if task.wakes else task.period_s
        others = rounds.get(period_s, ())
        rounds[period_s] = (name, *others) if task.first else (*others, name)
    return {
        f"every {period_s:g} s": {
            "task": "workers.tasks.go_round",
            "schedule": period_s,
            "options": {"expires": period_s},
            "args": (names, True),
        }
        for period_s, names in rounds.items()
    }
