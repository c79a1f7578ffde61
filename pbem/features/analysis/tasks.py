"""The task that works on analyses, where bots think."""

from pbem.features.analysis import analyses
from pbem.services.hooks import Task

TASKS = {
    "analyse": Task(
        5.0,
        "queue",
        analyses.continue_longest_waiting_analysis,
        wakes=True,
        must_think=analyses.ANALYSES.leases.has_row_due,
    )
}
