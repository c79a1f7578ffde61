"""The match waits: nobody is at the table. Sent to every absent player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Paused(MatchLetter):
    """Nobody is at the table any more: the match waits for the first player to come back, until `until`.

    `play_url` has the button to come back.
    """

    kind = "paused"

    until: datetime
    play_url: str


KIND = Kind(Paused, can_be_muted=True)
