"""The task that works on analyses, where bots think."""

from pbem.features.analysis import analysing
from pbem.services.hooks import Task

TASKS = {"analyse": Task(5.0, "queue", analysing.analyse, wakes=True, must_think=analysing.is_due)}
