"""The task that makes checkpoints. It looks each minute, so a checkpoint is made soon after midnight (UTC)."""

from pbem.features.checkpoints import making
from pbem.services.clock.outages import is_settled
from pbem.services.hooks import Task
from pbem.services.site import Site


def checkpoint(site: Site) -> int:
    """Makes the day's checkpoint, unless the clock may be wrong: what is signed cannot be undone."""
    return making.make_checkpoint(site) if is_settled(site) else 0


TASKS = {"checkpoint": Task(60.0, "one", checkpoint)}
