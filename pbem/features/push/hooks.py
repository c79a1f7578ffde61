"""What Web Push adds to mails, erasure, retention, the clock and metrics."""

from pbem.features.push import ahead, subscriptions
from pbem.services.hooks import Hooks, Moments, Personal

HOOKS = Hooks(
    ahead=ahead,
    personal=Personal(
        export={"push_subscriptions": ("match_id", "created_at")},
        forget_seat=subscriptions.forget_seat,
        forget_old={"devices": subscriptions.forget_ended_subscriptions},
    ),
    moments=Moments(happened={"push_subscriptions": ("created_at",)}),
    counters={"push": ("Notifications, one for each device, by what its push service said.", ("kind", "result"))},
)
