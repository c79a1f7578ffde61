"""Somebody is late: you may let the clock play for them."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class Vote(MatchLetter):
    """The time of `late`, a seat, is up: the others may let the clock play. `needed` votes decide; `cast` there are.

    `play_url` has the button.
    """

    kind = "vote"

    late: int
    cast: int
    needed: int
    play_url: str


KIND = Kind(Vote, can_be_muted=True)
