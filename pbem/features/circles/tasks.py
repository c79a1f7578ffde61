"""The task that asks for standing tables, and starts their matches."""

from pbem.features.circles.occasions import run_standing_tables
from pbem.services.hooks import Task

TASKS = {"meet": Task(60.0, "one", run_standing_tables, settled=True)}
