"""The task that makes checkpoints. It looks each minute, so a checkpoint is made soon after midnight (UTC)."""

from pbem.features.checkpoints.making import make_checkpoint_of_today
from pbem.services.hooks import Task

TASKS = {"checkpoint": Task(60.0, "one", make_checkpoint_of_today, settled=True)}
