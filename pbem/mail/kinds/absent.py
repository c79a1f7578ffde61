"""The clock, or the bot that you have chosen, moves for you until you come back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Absent(MatchLetter):
    """The reader has missed `misses` turns in a row: the clock or their bot moves for them until they come back.

    `bot`: the title of the bot that they have chosen, "" for the clock.
    `paused`: nobody else is at the table, and the match waits until `until`. `play_url` has the button to come back.
    """

    kind = "absent"

    misses: int
    bot: str = ""
    until: datetime | None
    play_url: str


KIND = Kind(Absent, can_be_muted=True)
