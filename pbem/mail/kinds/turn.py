"""Your turn: what you are asked, and the moves as links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.answers import MOST_FIELDS, MOST_PLACES
from pbem.kit.contract import Mark
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Answers, Away, Start


@dataclass(frozen=True, kw_only=True)
class YourTurn(PlayLetter):
    """The seat is asked something. `title` is the ask kind's; `reacts`: it interrupts another player's turn.

    `waiting` names the people who wait for the reader, `asked` the others who are asked at the same time, `away`
    those on holiday. Nobody waits for a bot or for whoever has resigned, and they wait for nobody. `start` is set in
    the first mail of a match.
    """

    kind = "turn"

    title: str
    reacts: bool
    answers: Answers
    deadline: datetime
    play_url: str
    waiting: tuple[Name, ...]
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    start: Start | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        most = MOST_FIELDS + (MOST_PLACES if self.answers.places else 0)
        if len(self.answers.links) > most:
            raise ValueError(f"{len(self.answers.links)} answers are too many for a mail: at most {most}")

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of what the answers name."""
        return tuple(dict.fromkeys(self.game.meta.marks[name] for name in self.answers.notations))


KIND = Kind(YourTurn, can_be_muted=True)
