"""Has the mails read that have come in."""

from pbem.features.inbox.ways import arrivals
from pbem.services.hooks import Task
from pbem.services.site import Site


def _read(site: Site) -> int:
    if not arrivals.MAILS.has_row_due(site):
        return 0
    from pbem.features.inbox import reading  # where no mail comes in, what reads mails is not loaded

    return reading.read_inbox(site)


TASKS = {"inbox": Task(5.0, "queue", _read, wakes=True, first=True)}
