"""The task that makes calls, which wake-ups start."""

from pbem.features.webhooks import deliveries
from pbem.services.hooks import Task

TASKS = {"call_hooks": Task(5.0, "shard", deliveries.deliver_due_calls, wakes=True)}
