"""Somebody, who should be its reader, has typed an address to enter a season."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, SeasonLetter
from pbem.mail.parts import SeasonTerms


@dataclass(frozen=True, kw_only=True)
class Entry(SeasonLetter):
    """Asks to enter the season with one press; `entered` if the reader has done so before."""

    kind = "entry"

    entered: bool
    terms: SeasonTerms
    entry_url: str
    """Opens the page with the buttons “enter” and “withdraw”."""


KIND = Kind(Entry, capped=True, on_request=True, proves_address=True)
"""The mail with which a typed address enters a season."""
