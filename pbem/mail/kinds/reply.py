"""The answer to a player's own mail: what was done of what it said, or why nothing was, and what is asked now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbem.kit.contract import Mark, Phrase
from pbem.mail.harmless import Typed
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Answers

What = Literal["played", "sealed", "done", "help", "refused", "stale", "asked", "no-question", "other-sender"]


@dataclass(frozen=True)
class ReplyLine:
    """A line of the player's mail, and what became of it; `text` is "" for what is said of all of it."""

    text: Typed
    reply: Typed


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the seat is asked now; `key` names the question."""

    title: str
    key: str
    answers: Answers
    deadline: datetime


@dataclass(frozen=True, kw_only=True)
class Reply(PlayLetter):
    """What became of the player's mail, line by line. `why`: why its question is closed.

    `chosen_url` opens the page with the move of an unverified mail chosen, if it has one; `chosen_label` names it.
    """

    kind = "reply"
    lists = ("lines",)

    what: What
    lines: tuple[ReplyLine, ...]
    why: Typed = ""
    question: Question | None = None
    chosen_url: str | None = None
    chosen_label: Phrase = ""
    play_url: str

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of what the answers name."""
        if self.question is None:
            return ()
        return tuple(dict.fromkeys(self.game.meta.marks[name] for name in self.question.answers.notations))


KIND = Kind(Reply, can_be_muted=True, on_request=True)
