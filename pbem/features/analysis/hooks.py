"""What analyses add to the clock and metrics."""

from pbem.features.analysis import analyses
from pbem.services.clock.setbacks import CLAIM
from pbem.services.hooks import Hooks, Moments, Overdue

HOOKS = Hooks(
    moments=Moments(
        waiting={"analyses": {"claimed_until": CLAIM, "turn_at": CLAIM}},
        happened={"analyses": ("created_at", "done_at")},
    ),
    counters={"analyses": ("Analyses of matches, by what became of them: made, failed.", ("result",))},
    overdue={"analyses": Overdue(analyses.count_analyses_due)},
)
