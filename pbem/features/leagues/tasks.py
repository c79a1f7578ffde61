"""Lets seasons begin and end on their dates, and queues the weekly mails."""

from pbem.features.leagues import weekly
from pbem.features.leagues.running import seasons
from pbem.services.clock.outages import is_settled
from pbem.services.hooks import Task
from pbem.services.site import Site


def season(site: Site) -> int:
    """Lets seasons begin and end; returns the number of steps done."""
    return seasons.sweep_seasons(site) if is_settled(site) else 0


def week(site: Site) -> int:
    """Queues the weekly mails that are due; returns their number."""
    return weekly.queue_weeks(site) if is_settled(site) else 0


TASKS = {"season": Task(30.0, "queue", season), "week": Task(600.0, "one", week)}
