"""Somebody is late: you may let the clock move for them."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Vote(MatchLetter):
    """Seat `late` has run out of time: the others may let the clock move. `cast` of `needed` votes have been cast.

    `play_url` has the button.
    """

    kind = "vote"

    late: int
    cast: int
    needed: int
    play_url: str


KIND = Kind(Vote, can_be_muted=True)
