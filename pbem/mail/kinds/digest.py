"""One mail a day, for players who do not want a mail for each turn."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, Letter, OrdersTold
from pbem.mail.parts import EndLine, MatchLink, TurnLine
from pbem.render import i18n


@dataclass(frozen=True, kw_only=True)
class Digest(Letter):
    """One mail for a day: the matches where the reader is asked, most urgent first, and those that have ended.

    `more` is the number of further matches where they are asked, `more_ended` that of further ones that have ended;
    the mail only links to their list.
    A one-click POST to `stop_url` mutes all these matches; opening it shows the page with the button.
    """

    kind = "digest"
    list_name = "digest"

    turns: tuple[TurnLine, ...]
    further: tuple[MatchLink, ...]
    ended: tuple[EndLine, ...]
    stop_url: str
    more: int = 0
    more_ended: int = 0

    @property
    def asked(self) -> int:
        """The number of matches in which the reader is asked."""
        return len(self.turns) + len(self.further) + self.more

    @property
    def commitments(self) -> tuple[str, ...]:
        """Those of the matches that it shows, in order."""
        return (*(line.commitment for line in self.turns), *(line.commitment for line in self.ended))

    @property
    def heads(self) -> tuple[str, ...]:
        """Those of the matches that it shows, in order."""
        return (*(line.head for line in self.turns), *(line.head for line in self.ended))

    @property
    def orders_told(self) -> tuple[OrdersTold, ...]:
        """Those of the matches that it shows in which it tells of orders."""
        lines: tuple[TurnLine | EndLine, ...] = (*self.turns, *self.ended)
        return tuple((line.match, line.seat, line.orders.upto) for line in lines if line.orders is not None)

    @property
    def one_click_url(self) -> str:
        """The URL that mutes all the matches."""
        return self.stop_url

    def overline(self, subject: str) -> str:
        """The day."""
        day = i18n.day(self.at, self.zone, self.lang)
        return day[:1].upper() + day[1:]


KIND = Kind(Digest)
