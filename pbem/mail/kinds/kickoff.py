"""A season has begun: the reader's matches, and the commitments of its deals."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, SeasonLetter
from pbem.mail.parts import SeasonMatchLine, SeasonTerms


@dataclass(frozen=True, kw_only=True)
class KickOff(SeasonLetter):
    """The reader's matches in the season, all of which have begun.

    `bye` is the number of rounds in which they have no table.
    """

    kind = "kickoff"
    lists = ("matches",)

    division: int
    divisions: int
    matches: tuple[SeasonMatchLine, ...]
    bye: int
    terms: SeasonTerms
    entry_url: str
    """Opens the reader’s own page of the season."""

    @property
    def commitments(self) -> tuple[str, ...]:
        """Those of the deals that its matches share with other tables, each once."""
        return tuple(dict.fromkeys(one.commitment for one in self.matches if one.commitment is not None))


KIND = Kind(KickOff)
"""The mail that says that a season has begun."""
