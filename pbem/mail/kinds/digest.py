"""One mail a day, for players who want no mail each turn."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, Letter
from pbem.mail.parts import EndLine, MatchLink, TurnLine
from pbem.render import i18n


@dataclass(frozen=True, kw_only=True)
class Digest(Letter):
    """One mail for a day: where the reader is asked, the most urgent first; further such matches; what has ended.

    Of `more` matches in which they are asked it only says how many there are, and where they are listed.
    A one-click POST to `stop_url` mutes all these matches; opening it shows the page with the button.
    """

    kind = "digest"
    list_name = "digest"

    turns: tuple[TurnLine, ...]
    further: tuple[MatchLink, ...]
    ended: tuple[EndLine, ...]
    stop_url: str
    more: int = 0

    @property
    def asked(self) -> int:
        """In how many matches the reader is asked."""
        return len(self.turns) + len(self.further) + self.more

    @property
    def one_click_url(self) -> str:
        """Where all the matches are muted."""
        return self.stop_url

    def overline(self, subject: str) -> str:
        """The day."""
        day = i18n.day(self.at, self.zone, self.lang)
        return day[:1].upper() + day[1:]


KIND = Kind(Digest)
