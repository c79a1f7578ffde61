"""What uploaded logs add to erasure, retention and the clock."""

from pbem.features.uploads import uploaded_logs
from pbem.services.hooks import Fate, Hooks, Moments, Personal

HOOKS = Hooks(
    personal=Personal(
        fates={"imported_logs.player_id": Fate("forgotten", "moved", ("id", "game", "size", "at", "until"))},
        forget_old={"logs": uploaded_logs.forget_old},
    ),
    moments=Moments(
        happened={"imported_logs": ("at",)},
        left={"imported_logs": {"until": "it is kept for longer; whoever has uploaded it may delete it"}},
    ),
)
