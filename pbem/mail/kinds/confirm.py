"""Is it you who starts this match? To the organiser, before anybody else is written to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class Confirm(Letter):
    """Is it you who starts this match? `names` are those of the others; the request lapses at `until`.

    `commitment` is as in a `MatchLetter`.
    """

    kind = "confirm"

    game: AnyGame
    organiser: Name
    names: tuple[Name, ...]
    confirm_url: str
    until: datetime
    commitment: str

    @property
    def addressee(self) -> str:
        """The organiser's name."""
        return self.organiser

    def overline(self, subject: str) -> str:
        """The game: the subject says more."""
        return self.game.meta.title[self.lang]


KIND = Kind(Confirm, capped=True, on_request=True, proves_address=True)
