"""The tasks. Each may run twice or in two places at once: the services below see to that."""

from pbem.services import clocks, outbox
from workers.app import app, site


@app.task
def drain() -> int:
    """Sends the mails that are due; gives how many."""
    return outbox.drain(site())


@app.task
def sweep() -> int:
    """Lets the clock play where time is up; gives how many asks it answered."""
    return clocks.sweep_deadlines(site())


@app.task
def lapse() -> int:
    """Calls off matches that were not filled in time; gives how many."""
    return clocks.sweep_lapsed(site())
