"""The seat is no longer kept for you. Sent to somebody whose invitation has ended before they answered it."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Displaced(MatchLetter):
    """The reader was invited to `seat`, which is not kept for them any more.

    `called` is how they were called there, "" if nobody knows any more: `names` has whoever is there now.
    """

    kind = "displaced"

    organiser: Name
    called: Name

    @property
    def addressee(self) -> str:
        """The name under which the reader was invited."""
        return self.called

    def overline(self, subject: str) -> str:
        """The name of the game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Displaced, capped=True, to_newcomer=True)
