"""What Web Push adds to mails, erasure, retention, the clock and metrics."""

from pbem.features.push import ahead, subscriptions
from pbem.services.hooks import Hooks, Moments

HOOKS = Hooks(
    ahead=ahead,
    personal=subscriptions,
    moments=Moments(happened={"push_subscriptions": ("created_at",)}),
    counters={"push": ("Notifications, one for each device, by what its push service said.", ("kind", "result"))},
)
