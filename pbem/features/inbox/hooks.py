"""What mail that comes back adds to mails, erasure, retention, the clock, metrics and `/readyz`."""

from pbem.features.inbox import back, forgetting
from pbem.features.inbox.ways import arrivals
from pbem.services.clock.setbacks import CLAIM, RETRY
from pbem.services.hooks import Fate, Hooks, Moments, Overdue, Personal

HOOKS = Hooks(
    back=back,
    personal=Personal(
        fates={"inbox.player_id": Fate("deleted", export=("received_at", "match_id", "seat", "verdict"))},
        forget_addresses=forgetting.erase_unowned_texts_with_addresses,
        forget_old=forgetting.FORGET_OLD,
    ),
    moments=Moments(
        waiting={"inbox": {"claimed_until": CLAIM, "due_at": RETRY}}, happened={"inbox": ("received_at", "done_at")}
    ),
    gauges=arrivals.gauges_of_mails,
    overdue={"inbox": Overdue(arrivals.mails_unread, degrades=True, state=arrivals.late_silent_or_ok)},
)
