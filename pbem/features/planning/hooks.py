"""What the planning board adds to erasure, retention, and what players download."""

from pbem.features.planning import plans
from pbem.features.planning.tables import PlanRow
from pbem.services.hooks import Hooks, Personal
from pbem.services.privacy.retention import sweep_of_ended_matches

HOOKS = Hooks(
    personal=Personal(
        export={"plans": ("match_id", "body")},
        clear_seat=plans.clear_seat,
        forget_old={"plans": sweep_of_ended_matches(PlanRow)},
    )
)
