"""What an earlier mail asked you was taken back: nothing is to do."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class TakenBack(MatchLetter):
    """Seat `taker` has taken back a move, and with it the question that an earlier mail has put to the reader."""

    kind = "undone"

    taker: int
    play_url: str


KIND = Kind(TakenBack, can_be_muted=True)
