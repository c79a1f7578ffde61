"""The tasks. Each may run twice or in two places at once: the services below see to that."""

from typing import Any

from pbem.services import alarm, bots, clocks, digests, mailed, outbox, reminders, simulations, tidying, webhooks

from .app import app, site


@app.task
def drain() -> int:
    """Sends the mails that are due; gives how many."""
    return outbox.drain(site())


@app.task
def play_bots() -> int:
    """Answers what bots are asked; gives how many answers."""
    return bots.play_bots(site())


@app.task
def sweep() -> int:
    """Lets the clock play where time is up; gives how many asks it answered."""
    return clocks.tick(site())


@app.task
def lapse() -> int:
    """Calls off matches that were not filled in time; gives how many."""
    return clocks.sweep_lapsed(site()) if clocks.awake(site()) else 0


@app.task
def remind() -> int:
    """Queues the reminders that are due; gives how many."""
    return reminders.tick(site())


@app.task
def start_forgotten() -> int:
    """Starts the clocks that a process of an older version has left standing; gives how many."""
    return mailed.start_forgotten(site())


@app.task
def digest() -> int:
    """Queues the one mail a day of those who want it now; gives how many rows."""
    return digests.sweep_digests(site())


@app.task
def call_hooks() -> int:
    """Makes the calls of webhooks that are due; gives how many."""
    return webhooks.deliver(site())


@app.task
def tidy() -> int:
    """Removes what is past its time; gives how many rows."""
    return tidying.tidy(site())


@app.task
def watch() -> int:
    """Raises the alarm while mails wait too long; gives how many do."""
    return alarm.watch(site())


@app.task(ignore_result=False)
def simulate(plan: dict[str, Any], first: int, beyond: int) -> dict[str, Any]:
    """Plays some matches of bots for `pbem simulate --distribute`; gives what occurred in them."""
    return simulations.simulate(plan, first, beyond)
