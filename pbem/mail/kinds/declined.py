"""Somebody does not want to play. Sent to the organiser."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Declined(MatchLetter):
    """To the organiser on `seat`: `who` does not want to play; `match_url` shows what can be done."""

    kind = "declined"

    who: Name
    match_url: str

    def overline(self, subject: str) -> str:
        """The name of the game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Declined, can_be_muted=True, capped=True)
