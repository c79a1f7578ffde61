"""Somebody would like to play with you."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Invitation(MatchLetter):
    """Invites the reader to a match. It lapses at `until`; `turn` is the time for each turn.

    With an `increment` the time is for all turns together, and each turn adds to it. It is sent `again` when the
    organiser reminds the reader.
    """

    kind = "invitation"

    organiser: Name
    invitation_url: str
    until: datetime
    turn: timedelta
    increment: timedelta | None = None
    again: bool = False

    def overline(self, subject: str) -> str:
        """The name of the game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Invitation, capped=True)
