"""The task that asks for standing tables, and starts their matches."""

from pbem.features.circles import occasions
from pbem.services.clock.outages import is_settled
from pbem.services.hooks import Task
from pbem.services.site import Site


def meet(site: Site) -> int:
    """Returns the number of tables that were asked for, or met; none while the clock may be wrong."""
    return occasions.meet(site) if is_settled(site) else 0


TASKS = {"meet": Task(60.0, "one", meet)}
