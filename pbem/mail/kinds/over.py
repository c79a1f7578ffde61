"""The match has ended: who has won, and why."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.kit.contract import Phrase
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Standing


@dataclass(frozen=True, kw_only=True)
class MatchOver(PlayLetter):
    """The match has ended: the result of each seat, winners first, and the reason, `outcome`.

    `outcome` is the half sentence of `endings_of`, without a capital letter or a full stop.
    """

    kind = "over"

    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str
    play_url: str
    sealed: bool = False
    """True while other tables may play the same deal: the envelope with the luck stays closed until then."""


KIND = Kind(MatchOver, can_be_muted=True)
