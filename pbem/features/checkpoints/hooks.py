"""What checkpoints add to the clock, metrics, `/readyz` and `pbem doctor`."""

from pbem.features.checkpoints import lateness
from pbem.services.hooks import Hooks, Moments, Overdue

HOOKS = Hooks(
    moments=Moments(happened={"checkpoints": ("begun_at",), "cosigned": ("at",)}),
    overdue={"checkpoint": Overdue(lateness.due, degrades=True, check=lateness.check)},
)
