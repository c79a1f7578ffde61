"""Do you want to take over this seat? Sent to somebody who has asked for a seat that was left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Substitute(MatchLetter):
    """The reader has asked to take over the seat that `former` has left; `names` already has the reader's."""

    kind = "substitute"

    former: Name
    takeover_url: str
    turn: timedelta
    increment: timedelta | None = None

    def overline(self, subject: str) -> str:
        """The name of the game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Substitute, capped=True, on_request=True, proves_address=True, to_newcomer=True)
