"""It is still your turn, and time runs out."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.kinds.turn import YourTurn
from pbem.mail.letters import Kind


@dataclass(frozen=True, kw_only=True)
class Reminder(YourTurn):
    """The seat is still asked, and time runs out."""

    kind = "reminder"


KIND = Kind(Reminder, can_be_muted=True)
