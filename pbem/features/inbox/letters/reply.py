"""The answer to a player's own mail: what was done of what it said, or why nothing was, and what is asked now.

The row's key is the id of that mail in the inbox, whose words it quotes.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlencode

from pbem.features.inbox import transcripts
from pbem.features.inbox.outcomes import NO_QUESTION, OTHER_SENDER
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.transcripts import Transcript
from pbem.kit.contract import Mark, Phrase
from pbem.mail.harmless import Typed
from pbem.mail.letters import Kind, PlayLetter
from pbem.services.mail.kinds.turn import Answers, answers_for_mail
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views, menus
from pbem.services.views.match_views import View

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

    lists = ("lines",)

    what: What
    lines: tuple[ReplyLine, ...]
    why: Typed = ""
    question: Question | None = None
    chosen_url: str | None = None
    chosen_label: Phrase = ""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of what the answers name."""
        if self.question is None:
            return ()
        return tuple(dict.fromkeys(self.game.meta.marks[name] for name in self.question.answers.notations))


def build(context: LetterContext) -> Reply | str:
    """Returns the letter; stale if the mail's text is erased, or its seat is somebody else's now."""
    kept = context.session.get(InboxRow, int(context.row.key or 0))
    if kept is None or kept.player_id != context.reader.player.id or context.match.started_at is None:
        return "stale"
    view = match_views.view(context.table, context.seat.seat)
    said = transcripts.transcript_of_mail(context.site, kept, view, context.seat.name, context.reader.lang)
    if said is None:
        return "stale"
    shown = context.board_fields(view)
    label = view.game.label(said.chosen, view.fold, context.reader.lang) if said.chosen is not None else ""
    chosen_url = None
    if said.chosen is not None and view.ask is not None:
        picks = ",".join(menus.picks_of(view.game, view, said.chosen))
        chosen_url = f"{shown['play_url']}?{urlencode({'ask': view.ask.key, 'pick': picks})}"
    return Reply(
        **shown,
        what=_kind_of_answer(said),
        lines=tuple(ReplyLine(text, reply) for text, reply in said.lines),
        why=said.why,
        question=_open_question_of_reader(context, view, shown["play_url"]),
        chosen_url=chosen_url,
        chosen_label=label,
    )


KIND = Kind(Reply, build, can_be_muted=True, on_request=True)


def _kind_of_answer(said: Transcript) -> What:
    if said.outcome.what == "asked" and said.outcome.why in (NO_QUESTION, OTHER_SENDER):
        return "no-question" if said.outcome.why == NO_QUESTION else "other-sender"
    if said.outcome.what != "done":
        return said.outcome.what
    codes = set(said.outcome.codes)
    for code in ("played", "sealed", "help"):
        if code in codes:
            return code
    return "played" if "left" in codes else "done"


def _open_question_of_reader(context: LetterContext, view: View, play_url: str) -> Question | None:
    """Returns what the reader is asked now; None if nothing, or if their answer is sealed."""
    ask = view.ask
    if ask is None or ask.sealed is not None or ask.deadline is None or view.sheet.has_resigned(view.viewer):
        return None
    lang = context.reader.lang
    return Question(
        title=view.game.meta.asks[ask.kind].title[lang],
        key=ask.key,
        answers=answers_for_mail(view, lang, play_url),
        deadline=ask.deadline,
    )
