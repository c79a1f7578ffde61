"""The task that works on analyses, where bots think."""

from pbem.features.analysis import analyses
from pbem.services.hooks import Task

TASKS = {
    "analyse": Task(5.0, "queue", analyses.analyse_positions, wakes=True, must_think=analyses.ANALYSES.leases.is_due)
}
