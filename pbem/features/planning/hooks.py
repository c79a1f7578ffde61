"""What the planning board adds to erasure, retention, and what players download."""

from pbem.features.planning import plans
from pbem.services.hooks import Hooks, Personal

HOOKS = Hooks(
    personal=Personal(
        export={"plans": ("match_id", "body")},
        clear_seat=plans.clear_seat,
        forget_old={"plans": plans.forget_old},
    )
)
