"""Somebody asks to take back a move: do you agree?"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.kit.contract import Phrase
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter


@dataclass(frozen=True, kw_only=True)
class TakeBack(MatchLetter):
    """Seat `asker` asks to take back the move that `told` tells, and what was played since.

    `needed` names those who must agree, the reader among them. `play_url` has the buttons.
    """

    kind = "takeback"

    asker: int
    told: Phrase
    needed: tuple[Name, ...]
    play_url: str


KIND = Kind(TakeBack, can_be_muted=True)
