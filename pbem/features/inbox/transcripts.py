"""What became of each line of a mail, in words: made again when the answer leaves, for no row keeps the words.

The lines are quoted from the mail itself. Why a line was refused is found out again from the seat's own fold, so that
it tells nothing that the seat may not know; if the match has moved on since, the reason is that it has.
"""

from dataclasses import dataclass

from pbem.errors import N_, Problem
from pbem.features.inbox import outcomes
from pbem.features.inbox.acting import Understanding, understanding_of_reply
from pbem.features.inbox.incoming import commands
from pbem.features.inbox.incoming.commands import Command, Number, Order
from pbem.features.inbox.incoming.message import Incoming, UnreadableMail
from pbem.features.inbox.outcomes import Outcome, is_answer, read_outcome
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.whose import read_mail_of_row
from pbem.kit.contract import Move
from pbem.kit.texts import Lang
from pbem.mail.harmless import cut
from pbem.render.problems import problem_sentence, translate_message
from pbem.services.log import store
from pbem.services.play import moves, order_checks
from pbem.services.site import Site
from pbem.services.views.match_views import View

MOST, LONGEST = 20, 600
"""How many lines are quoted, and how many bytes of HTML each may take: a letter has no more room for foreign text."""
LINES = {
    "played": N_("Played."),
    "sealed": N_("Sealed: nobody sees it before the window closes. Until then a new reply replaces it."),
    "left": N_("Played, but not all of it: you are asked the rest anew."),
    "ordered": N_("Saved as an order."),
    "stopped": N_("All your orders are stopped."),
    "said": N_("Sent to the table."),
    "noted": N_("Added to your note."),
    "muted": N_("This match is muted. The clock goes on."),
    "not-done": N_("Not done, because of the other line."),
    "was-refused": N_("This could not be done."),
    "waits": N_("Waits for your confirmation."),
    "unverified": N_("Not done: we cannot tell who wrote it."),
    "not-understood": N_("This is not understood."),
    "question": N_("This looks like a question. To ask the others, begin the line with “say”."),
    "no": N_("This may take back what you wrote above."),
    "second-move": N_("This is another move. Please write only one."),
    "unsure": N_("This leaves open which move you mean."),
    "two-meanings": N_(
        "This can be read in two ways. Behind “say:” or “note:”, with the colon, it is taken as it stands."
    ),
    "empty": N_("Nothing follows this word."),
    "parts-differ": N_("Your email has two versions, plain text and HTML, and they do not say the same."),
    "too-long": N_("This is too long for an answer."),
}
WHOLE = {
    "empty": N_("Your email has no text."),
    "nothing-above": N_("Nothing stands above the quoted email. Write your answer at the top."),
    "no-command": N_("Your email holds no move and nothing else that can be done."),
    "encrypted": N_("Your email is encrypted. Please answer without encryption."),
    "too-long": N_("Your email is too long for an answer."),
    "too_many": N_("You have sent many messages within the hour. Please wait a little."),
    "unauthorized": N_("The seat is not yours any more."),
}
CLOSED = {
    "seat": N_("This question is answered already, by you or by one of your orders."),
    "clock": N_("The time for this question was up, and the clock moved for you."),
    "bot": N_("You were absent, and the bot that stands in for you has moved."),
    store.UNDONE: N_("This move was taken back, or what it answered was."),
}
OVER, NOT_OPEN = N_("The match is over; nothing can be played any more."), N_("This question is no longer open.")


@dataclass(frozen=True)
class Transcript:
    """What became of a mail: each line as it was typed, with what is said to it. `why`: why its question is closed.

    `chosen` is the move of a mail that could not be verified, if it answers the question that is open.
    """

    outcome: Outcome
    lines: tuple[tuple[str, str], ...]
    why: str
    chosen: Move | None


def transcript_of_mail(site: Site, row: InboxRow, view: View, name: str, lang: Lang) -> Transcript | None:
    """Returns what became of the mail in this row, for its own seat's view; None if its text is erased."""
    if row.raw is None or row.lines is None:
        return None
    try:
        incoming = read_mail_of_row(site, row, row.raw)
    except UnreadableMail:
        return None
    outcome = read_outcome(row.lines)
    said = _Said(view, incoming, understanding_of_reply(view, outcome.key), outcome, name, lang)
    return Transcript(outcome, said.lines(), said.why_question_closed(), said.move_to_confirm())


@dataclass(frozen=True)
class _Said:
    view: View
    incoming: Incoming
    understanding: Understanding
    outcome: Outcome
    name: str
    lang: Lang

    def lines(self) -> tuple[tuple[str, str], ...]:
        """Returns each line with what is said to it, and first what is said to all of them."""
        text = self.incoming.text
        quoted = [(text[start:end], code) for (start, end), code in zip(self.outcome.places, self.outcome.codes)]  # noqa: B905  # an outcome without lines has no places
        counted = [(line, code) for line, code in quoted if code in LINES]
        told = [(cut(line, LONGEST), cut(self._line_in_words(line, code), LONGEST)) for line, code in counted[:MOST]]
        told += [("…", "")] if len(counted) > MOST else []
        if told or self.outcome.what in ("asked", "stale"):
            return tuple(told)
        whole = [WHOLE[code] for code in self.outcome.why.split() if code in WHOLE]
        return tuple(("", translate_message(message, self.lang)) for message in whole)

    def _line_in_words(self, line: str, code: str) -> str:
        if code == outcomes.REFUSED:
            return self._refusal_of_line(line) or translate_message(WHOLE.get(self.outcome.why, LINES[code]), self.lang)
        if code == outcomes.WAITS and self.move_to_confirm() is None:
            code = outcomes.UNVERIFIED  # no button of the mail plays it
        return translate_message(LINES[code], self.lang)

    def _refusal_of_line(self, line: str) -> str | None:
        """Returns why the line was refused, as far as the seat's own fold tells it now."""
        command = self._command_in_line(line)
        try:
            if isinstance(command, Order):
                order_checks.read_and_check_order(self.view.game, self.view.fold, self._own_seat, command.text)
            elif isinstance(command, commands.Move | Number):
                self.understanding.moves_of_command(command)
                move = self.understanding.first_move_of_command(command)
                if move is not None and self.understanding.answers is not None and move not in self.view.legal():
                    raise moves.illegal_move_error(self.view.game, self.view.fold, self._own_seat, move)
        except Problem as why:
            return problem_sentence(why, self.lang)
        return None

    def _command_in_line(self, line: str) -> Command | None:
        """Returns the command in this line; None if it is read otherwise by now."""
        words = line.split()
        reading = commands.read_reply(self.incoming.text, self.understanding.understands_move, (self.name,))
        return next((one.command for one in reading.lines if one.text.split() == words), None)

    @property
    def _own_seat(self) -> int:
        assert self.view.viewer is not None, "mails go to seats"
        return self.view.viewer

    def why_question_closed(self) -> str:
        """Returns why the question that the mail answers is closed; "" if it is not."""
        if self.outcome.what != "stale":
            return ""
        if self.view.sheet.has_ended:
            return translate_message(OVER, self.lang)
        return translate_message(CLOSED.get(self.outcome.closed, NOT_OPEN), self.lang)

    def move_to_confirm(self) -> Move | None:
        """Returns the legal move of a mail that was asked back."""
        if self.outcome.what != "asked" or self.view.ask is None or self.view.ask.sealed is not None:
            return None
        understanding = self.understanding
        if self.outcome.key is None:  # it names no question: it is put to the one that is open
            understanding = understanding_of_reply(self.view, self.view.ask.key)
        if understanding.answers is None:
            return None
        reading = commands.read_reply(self.incoming.text, understanding.understands_move, (self.name,))
        move = next((understanding.first_move_of_command(one) for one in reading.commands if is_answer(one)), None)  # type: ignore[arg-type]  # the condition says so
        return move if move is not None and move in self.view.legal() else None
