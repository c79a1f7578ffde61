"""Answers to those who have written a mail, and how they are treated on their way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pbem.features.inbox.letters.reply import Question, Reply, ReplyLine
from pbem.kit.texts import Lang
from pbem.mail.letters import Letter
from tests.mail.samples import AT, CAROL, DEADLINE, SAID, fields_about_match, your_turn

TREATED: dict[str, tuple[set[str], str | None, tuple[str, ...]]] = {
    "reply": ({"can_be_muted", "on_request"}, None, ("lines",)),
}
WITH_A_WAY = (Reply,)


def reply_letter(lang: Lang) -> Reply:
    """Carol's email could not be understood."""
    turn = your_turn(lang)
    reason = {"en": "This is not understood.", "fr": "Ceci n’est pas compris."}[lang]
    return Reply(
        **{**fields_about_match(73, CAROL, lang), "at": AT + timedelta(minutes=10)},
        recap=turn.recap,
        moved=True,
        board=turn.board,
        mute_url=turn.mute_url,
        what="refused",
        lines=(ReplyLine("give the blue one, see https://evil.example", reason),),
        question=Question(title=turn.title, key="r1.t3.answer", answers=turn.answers, deadline=DEADLINE),
        play_url=turn.play_url,
    )


def samples(lang: Lang) -> list[Letter]:
    """Answers to emails that were understood, that came too late, and that could not be verified."""
    letter, minute = reply_letter(lang), timedelta(minutes=1)
    chosen = {"en": "Give {F4} for {M3}", "fr": "Donner {F4} pour {M3}"}[lang]
    why = {"en": "The time for this question was up.", "fr": "Le temps de cette question était écoulé."}[lang]
    return [
        letter,
        replace(letter, row=74, at=letter.at + minute, what="played", lines=(), question=None),
        replace(letter, row=75, at=letter.at + 2 * minute, what="sealed", lines=(), question=None),
        replace(letter, row=76, at=letter.at + 3 * minute, what="stale", why=why),
        replace(
            letter, row=77, at=letter.at + 4 * minute, what="asked", lines=(), question=None,
            chosen_url=f"{letter.play_url}?ask=r1&pick=x", chosen_label=chosen,
        ),
        replace(letter, row=78, at=letter.at + 5 * minute, what="help", lines=()),
        replace(letter, row=79, at=letter.at + 6 * minute, what="done", question=None, said=SAID),
    ]  # fmt: skip
