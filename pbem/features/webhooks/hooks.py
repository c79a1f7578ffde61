"""What webhooks add to erasure, changes of address, retention, the clock, metrics and `pbem doctor`."""

from datetime import datetime

from sqlalchemy import Connection

from pbem.features.webhooks import registry
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.models.tables import table
from pbem.services.clock.setbacks import CLAIM, RETRY
from pbem.services.findings import Due, count_due
from pbem.services.hooks import Fate, Hooks, Moments, Overdue, Personal


def calls_due(connection: Connection, now: datetime) -> Due:
    """Returns the calls of webhooks that should have been made by now."""
    t, h = table(Delivery), table(Webhook)
    late = (t.c.done_at.is_(None), t.c.due_at <= now, t.c.webhook_id == h.c.id, h.c.disabled_at.is_(None))
    return count_due(connection, now, t.c.due_at, *late)


HOOKS = Hooks(
    personal=Personal(
        fates={
            # Not the address: who has it may write to the chat. The page that lists webhooks shows its beginning.
            "webhooks.player_id": Fate("deleted", export=("kinds", "match_id", "language", "created_at", "why"))
        },
        export={"deliveries": ()},  # calls of the addresses above
        # How far they have come.
        export_through={"webhook_marks.webhook_id": ()},
        forget_player=registry.remove_all_of_player,
        # Somebody with access to the old mailbox may have made them.
        change_address=lambda work, player: registry.remove_all_of_player(work, player.id),
        forget_old={"calls": registry.forget_old},
    ),
    moments=Moments(
        waiting={"deliveries": {"due_at": RETRY}, "webhooks": {"busy_until": CLAIM, "wait_until": RETRY}},
        happened={
            "deliveries": ("created_at", "done_at"),
            "webhooks": ("created_at", "failing_since", "disabled_at"),
        },
    ),
    overdue={"webhooks": Overdue(calls_due, counted=("call", "calls"))},
)
