"""There will be no match. To every player."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.kit.replay import CancelReason
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Cancelled(MatchLetter):
    """The match was called off: withdrawn by its organiser, lapsed, stopped by the host, abandoned, with its season."""

    kind = "cancelled"

    organiser: Name
    reason: CancelReason


KIND = Kind(Cancelled, can_be_muted=True)
