"""What pictures add to erasure, retention, the clock and metrics."""

from pbem.features.pictures import pictures
from pbem.services.clock.setbacks import CLAIM
from pbem.services.hooks import Hooks, Moments, Overdue, Personal

HOOKS = Hooks(
    personal=Personal(
        export={"replay_pictures": ("match_id", "kind", "created_at", "until")},
        forget_seat=pictures.forget_seat,
        leave=pictures.delete_pictures_of_matches_left,
        forget_old={"pictures": pictures.forget_old},
    ),
    moments=Moments(
        waiting={"replay_pictures": {"claimed_until": CLAIM, "turn_at": CLAIM}},
        happened={"replay_pictures": ("created_at", "done_at")},
        left={"replay_pictures": {"until": "it is kept for longer, and can be drawn again"}},
    ),
    counters={
        "pictures": ("Pictures of replays, by what became of them: made, stale, large, failed.", ("kind", "result"))
    },
    overdue={"pictures": Overdue(pictures.pictures_due)},
)
