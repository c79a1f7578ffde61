"""A season does not take place."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, SeasonLetter


@dataclass(frozen=True, kw_only=True)
class CalledOff(SeasonLetter):
    """The season was called off before it began; `few` if too few had entered, else its league was ended."""

    kind = "calledoff"

    few: bool
    entry_url: str
    """Opens the reader’s own page of the season."""


KIND = Kind(CalledOff)
"""The mail that says that a season does not take place."""
