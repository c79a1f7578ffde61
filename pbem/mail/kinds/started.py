"""The match has begun, and others are asked first."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Away, Start


@dataclass(frozen=True, kw_only=True)
class Started(PlayLetter):
    """Everybody has accepted, and somebody else is asked first: those in `asked`."""

    kind = "started"

    start: Start
    play_url: str
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    bots: tuple[int, ...] = ()
    """The seats of bots."""


KIND = Kind(Started, can_be_muted=True)
