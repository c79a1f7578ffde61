"""Your turn: what you are asked, and the moves as links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import Phrase
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Away, Choice, Start

MOST_CHOICES = 24
"""The most links to single moves in one mail; beyond that, one link per kind of move."""


@dataclass(frozen=True, kw_only=True)
class YourTurn(PlayLetter):
    """The seat is asked something. `title` is the ask kind's. `waiting` names the players who wait for the reader,
    `asked` the others who are asked at the same time, `away` those on holiday. `start` is set in the first mail of
    a match.
    """

    kind = "turn"

    title: str
    prompt: Phrase
    choices: tuple[Choice, ...]
    deadline: datetime
    play_url: str
    waiting: tuple[Name, ...]
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    start: Start | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.choices) > MOST_CHOICES:
            raise ValueError(f"{len(self.choices)} choices are too many for a mail: at most {MOST_CHOICES}")


KIND = Kind(YourTurn, can_be_muted=True)
