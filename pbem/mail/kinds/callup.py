"""Do you play in this season? Sent to whoever is invited by its organiser, or played the one before."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, SeasonLetter
from pbem.mail.parts import SeasonTerms


@dataclass(frozen=True, kw_only=True)
class CallUp(SeasonLetter):
    """Asks whether the reader enters the season; `again` if they played the season before."""

    kind = "callup"

    again: bool
    terms: SeasonTerms
    entry_url: str
    """Opens the page with the buttons “enter” and “withdraw”."""

    @property
    def one_click_url(self) -> str:
        """The URL that stops all mails to an address that nobody has proven; otherwise it declines."""
        return self.unsubscribe or f"{self.entry_url}/decline"


KIND = Kind(CallUp, capped=True)
"""The mail that invites somebody to a season."""
