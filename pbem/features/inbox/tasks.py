"""Has the mails read that have come in."""

from pbem.features.inbox.reading import read_inbox
from pbem.services.hooks import Task

TASKS = {"inbox": Task(5.0, "queue", read_inbox, wakes=True, first=True)}
