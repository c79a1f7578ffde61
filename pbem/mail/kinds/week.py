"""The one mail a week: how the reader's seasons and circles stand, and what is next."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, Letter
from pbem.mail.parts import CircleWeek, SeasonWeek


@dataclass(frozen=True, kw_only=True)
class Week(Letter):
    """How the reader's seasons and circles stand. `week_url` opens the page with the button “no weekly email”."""

    kind = "week"
    lists = ("seasons", "circles")
    list_name = "week"

    seasons: tuple[SeasonWeek, ...]
    circles: tuple[CircleWeek, ...]
    week_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that ends these mails."""
        return self.week_url


KIND = Kind(Week)
"""The weekly mail."""
