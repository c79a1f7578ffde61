"""Lets seasons begin and end on their dates, and queues the weekly mails."""

from pbem.features.leagues.running.seasons import sweep_seasons
from pbem.features.leagues.weekly import queue_weekly_mails
from pbem.services.hooks import Task

TASKS = {
    "season": Task(30.0, "queue", sweep_seasons, settled=True),
    "week": Task(600.0, "one", queue_weekly_mails, settled=True),
}  # fmt: skip
