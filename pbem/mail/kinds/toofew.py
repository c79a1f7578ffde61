"""Not enough people this week: no match for a member who had said yes to a standing table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class TooFew(Letter):
    """The reader had said yes, and is not seated: `others` is how many others play, 0 if nobody does."""

    kind = "toofew"
    list_name = "circle"

    circle: Name
    game: AnyGame
    others: int
    again_at: datetime | None
    """When the table meets next; None: it was stopped."""
    circle_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url

    def overline(self, subject: str) -> str:
        """The circle: the subject tells the game."""
        return self.circle


KIND = Kind(TooFew)
