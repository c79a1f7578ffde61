"""Did you start this match? Sent to the organiser, before anybody else gets a mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class Confirm(Letter):
    """Asks the organiser to confirm a match. `names` are those of the others, bots at the places `bots` among them.

    The request lapses at `until`. The organiser is `alone` if all others are bots, so nobody is invited. `commitment`
    is as in a `MatchLetter`. It does not tell the lucky word: a stranger may have typed it.
    """

    kind = "confirm"

    game: AnyGame
    organiser: Name
    names: tuple[Name, ...]
    bots: tuple[int, ...] = ()
    confirm_url: str
    until: datetime
    commitment: str
    alone: bool = False

    @property
    def commitments(self) -> tuple[str, ...]:
        """The match's."""
        return (self.commitment,)

    @property
    def addressee(self) -> str:
        """The organiser's name."""
        return self.organiser

    def overline(self, subject: str) -> str:
        """The name of the game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Confirm, capped=True, on_request=True, proves_address=True)
