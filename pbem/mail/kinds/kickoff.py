"""A season has begun: the reader's matches, and the commitments of its deals."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, SeasonLetter
from pbem.mail.parts import SeasonMatchLine, SeasonTerms


@dataclass(frozen=True, kw_only=True)
class KickOff(SeasonLetter):
    """The reader's matches in the season, all of which have begun.

    `deals` are the commitments of the deals that they share with other tables, in the order of their matches; () if
    each match has its own. `bye` is the number of rounds in which they have no table.
    """

    kind = "kickoff"

    division: int
    divisions: int
    matches: tuple[SeasonMatchLine, ...]
    bye: int
    deals: tuple[str, ...]
    terms: SeasonTerms

    @property
    def commitments(self) -> tuple[str, ...]:
        """The deals'."""
        return self.deals


KIND = Kind(KickOff)
"""The mail that says that a season has begun."""
