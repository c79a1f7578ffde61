"""The standing table of a circle meets again: are you in?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class Occasion(Letter):
    """Asks whether the reader plays at `starts_at`. `yes` are the names of those who have said so already."""

    kind = "occasion"
    lists = ("yes",)
    list_name = "circle"

    circle: Name
    game: AnyGame
    starts_at: datetime
    yes: tuple[Name, ...]
    yes_url: str
    no_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url

    def overline(self, subject: str) -> str:
        """The circle: the subject tells the game and the day."""
        return self.circle


KIND = Kind(Occasion)
