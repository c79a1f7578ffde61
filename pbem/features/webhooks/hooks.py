"""What webhooks add to erasure, changes of address, retention, the clock, metrics and `pbem doctor`."""

from pbem.features.webhooks import lateness, registry
from pbem.services.clock.setbacks import CLAIM, RETRY
from pbem.services.hooks import Fate, Hooks, Moments, Overdue, Personal

HOOKS = Hooks(
    personal=Personal(
        fates={
            "webhooks.player_id": Fate("deleted", export=("url", "kinds", "match_id", "language", "created_at", "why"))
        },
        forget_player=registry.remove_all,
        change_address=registry.remove_those_of,
        forget_old={"calls": registry.forget_old},
    ),
    moments=Moments(
        waiting={"deliveries": {"due_at": RETRY}, "webhooks": {"busy_until": CLAIM, "wait_until": RETRY}},
        happened={
            "deliveries": ("created_at", "done_at"),
            "webhooks": ("created_at", "failing_since", "disabled_at"),
        },
    ),
    overdue={"webhooks": Overdue(lateness.calls_due, counted=("call", "calls"))},
)
