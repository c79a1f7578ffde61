"""Does what a reply says: all of it, or nothing, in one transaction that closes its row and queues its answer.

    hold the player → lock the match → is it still their seat, was the mail read before → the use cases of page and API
    → close the row → commit

A refusal rolls everything back; a second transaction then closes the row as refused. A process that dies in between
leaves the row as it was, to be read again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pbem.errors import N_, Answered, Busy, GameUnavailable, Gone, Problem, Stale, Unreadable
from pbem.features.inbox import outcomes, verdicts
from pbem.features.inbox.answers import ShortAnswers, short_answers_of_view
from pbem.features.inbox.closing import (
    Letter,
    close_mail_within,
    has_come_before,
    lock_match_and_read_seat,
    queue_answer,
)
from pbem.features.inbox.incoming import commands
from pbem.features.inbox.incoming.commands import Command, Reading, Wish
from pbem.features.inbox.outcomes import Outcome
from pbem.features.inbox.whose import Whose
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame, Move
from pbem.kit.contract import Unreadable as UnreadableMove
from pbem.models.tables import AskRow, Match, Player, SeatRow
from pbem.services.log import store
from pbem.services.log.store import Table
from pbem.services.log.table import lock_with_ask
from pbem.services.play import moves, ordering
from pbem.services.play.moves import Part, Said
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayClaim
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import View

# --- what a reply says ---------------------------------------------------------------------------------------


@dataclass
class Understanding:
    """Reads the moves of a reply for a seat: by what it is asked now, if that is what the reply answers.

    In a reply to a closed question a move is whatever the game can read, for it is not played.
    """

    game: AnyGame
    seat: int
    answers: ShortAnswers | None
    _after: ShortAnswers | None = field(default=None, init=False)
    """The answers to the question after the last move that was understood, in the same sitting."""

    def understands_move(self, text: str) -> bool:
        """True if the text is a move, legal or not."""
        move = self._move(self.answers, text)
        if move is not None:
            self._after = self.answers.answers_after(move) if self.answers is not None else None
            return True
        return self._after is not None and self._move(self._after, text) is not None

    def moves_of_command(self, command: commands.Move | commands.Number) -> tuple[Said, list[Part]]:
        """Returns a command's move as use cases take it, and those that follow it in one sitting. Raises Unreadable."""
        if isinstance(command, commands.Number):
            # Every choice has a name, which its mail shows; a number that is none may be meant for its place, or not.
            raise Unreadable(N_("“%(text)s” is none of the choices."), {"text": str(command.number)})
        first, *rest = command.parts
        found = self._move(self.answers, first)
        after = self.answers.answers_after(found) if self.answers is not None and found is not None else None
        said: Said = plain(found) if found is not None else first
        then: list[Part] = []
        for text in rest:
            move = self._move(after, text)
            then.append(Part(plain(move) if move is not None else text))
            after = None
        return said, then

    def first_move_of_command(self, command: commands.Move | commands.Number) -> Move | None:
        """Returns the first move of a command; None if it cannot be read."""
        return self._move(self.answers, command.parts[0]) if isinstance(command, commands.Move) else None

    def _move(self, answers: ShortAnswers | None, text: str) -> Move | None:
        if answers is not None:
            return answers.move_named(text)
        try:
            move: Move = self.game.parse(text, self.seat)
        except UnreadableMove:
            return None
        return move


def understanding_of_reply(view: View, key: str | None) -> Understanding:
    """Returns how a reply to the question with this key is read by the viewer's present view."""
    assert view.viewer is not None, "mails go to seats"
    is_open = view.ask is not None and view.ask.key == key
    return Understanding(view.game, view.viewer, short_answers_of_view(view) if is_open else None)


VIA = "mail"
"""The way in which entries of the log say that a move was made by reply."""


class Refused(Exception):
    """A command was refused; everything is rolled back."""

    def __init__(self, command: Command, why: Problem) -> None:
        super().__init__(why.code)
        self.command, self.why = command, why


def act_on_letter(site: Site, letter: Letter) -> str:
    """Does what the mail says, or has its owner asked whether to; returns the verdict.

    Raises Busy, AlreadyRead and NoLongerTheirs; nothing has changed then.
    """
    whose = letter.whose
    with site.reading() as session:
        table = Table(session, store.get_match(session, whose.match_id))
        view = match_views.glance(table, whose.seat, match_views.ANY)
    understanding = understanding_of_reply(view, whose.key)
    said = commands.read_reply(letter.incoming.text, understanding.understands_move, (whose.name,))
    if letter.incoming.unread is not None:
        said = Reading((), (), (letter.incoming.unread,))
    so_far = Outcome(
        "refused", outcomes.codes_of_lines(said.lines, lambda _: outcomes.NOT_DONE),
        outcomes.spans_of_lines_in_text(letter.incoming.text, said.lines), whose.key, proven=letter.is_proven_for_seat,
    )  # fmt: skip
    if not said.commands:
        is_late = view.fold is not None and understanding.answers is None and whose.key is not None
        verdict = verdicts.STALE if is_late and said.lines else verdicts.REFUSED
        return _close_row_and_queue_answer(site, letter, verdict, replace(so_far, why=" ".join(said.doubts)))
    names_no_question = whose.key is None and any(map(outcomes.is_answer, said.commands))
    if not letter.is_proven_for_seat or names_no_question:
        unproven = outcomes.OTHER_SENDER if letter.detail == outcomes.OTHER_SENDER else ""
        why = outcomes.NO_QUESTION if letter.is_proven_for_seat else unproven
        codes = outcomes.codes_of_lines(
            said.lines, lambda one: outcomes.WAITS if outcomes.is_answer(one) else outcomes.UNVERIFIED
        )
        return _close_row_and_queue_answer(site, letter, verdicts.ASKED, replace(so_far, codes=codes, why=why))
    try:
        return _do_commands_and_close(site, letter, said, understanding, so_far)
    except Refused as refused:
        command = refused.command
        codes = outcomes.codes_of_lines(
            said.lines, lambda one: outcomes.REFUSED if one == command else outcomes.NOT_DONE
        )
        verdict = verdicts.STALE if isinstance(refused.why, Stale | Answered | Gone) else verdicts.REFUSED
        return _close_row_and_queue_answer(site, letter, verdict, replace(so_far, codes=codes, why=refused.why.code))


def _act_once_and_close(
    site: Site, letter: Letter, verdict: str, act: Callable[[Work, SeatRow], Mapping[str, Any]]
) -> str:
    """Closes the row with this verdict and the columns that `act` returns, or as a duplicate; returns the verdict.

    Raises what `act` does, Busy, AlreadyRead, NoLongerTheirs.
    """
    with site.writing() as work:
        seat = lock_match_and_read_seat(work, letter.whose)
        more: Mapping[str, Any] = {"detail": letter.detail}
        if has_come_before(work, letter):
            verdict = verdicts.DUPLICATE
        else:
            more = act(work, seat)
        return close_mail_within(site, work, letter.row, verdict, incoming=letter.incoming, whose=letter.whose, **more)


def _close_row_and_queue_answer(site: Site, letter: Letter, verdict: str, outcome: Outcome) -> str:
    """Closes the row of a mail that nothing was done for, and queues its answer; returns the verdict."""

    def answer(work: Work, _seat: SeatRow) -> Mapping[str, Any]:
        whose = letter.whose
        ask = store.get_ask(work, whose.match_id, whose.key, whose.seat) if whose.key is not None else None
        kept = replace(outcome, what=_WHAT[verdict], closed=(ask.closed_by or "") if ask is not None else "")
        detail = " ".join(dict.fromkeys([letter.detail, *kept.why.split()]))
        return {"lines": kept.as_json, "detail": detail, "answered": queue_answer(site, work, letter)}

    return _act_once_and_close(site, letter, verdict, answer)


_WHAT: Mapping[str, outcomes.What] = {verdicts.STALE: "stale", verdicts.REFUSED: "refused", verdicts.ASKED: "asked"}


# --- doing ---------------------------------------------------------------------------------------------------


def _do_commands_and_close(
    site: Site, letter: Letter, said: Reading, understanding: Understanding, so_far: Outcome
) -> str:
    """Does all commands and closes the row. Raises Refused."""

    def act(work: Work, seat: SeatRow) -> Mapping[str, Any]:
        asked = _open_ask_of_seat(work, letter.whose)
        before = asked.origin if asked is not None else None
        done = {one: _do_command(site, work, seat, letter.whose, one, understanding) for one in said.commands}
        work.flush()
        kept = replace(so_far, what="done", codes=outcomes.codes_of_lines(said.lines, done.__getitem__))
        answered = _queue_answer_if_needed(site, work, letter, seat, done, before)
        return {"lines": kept.as_json, "detail": letter.detail, "answered": answered}

    return _act_once_and_close(site, letter, verdicts.ACTED, act)


def _do_command(
    site: Site, work: Work, seat: SeatRow, whose: Whose, command: Command, understanding: Understanding
) -> str:  # fmt: skip
    """Does one command and returns the code of what became of it. Raises Refused, Busy."""
    claim = PlayClaim(whose.match_id, whose.seat, whose.epoch)
    try:
        match command:
            case commands.Move() | commands.Number():
                said, then = understanding.moves_of_command(command)
                table, ask = lock_with_ask(work, whose.match_id, whose.key or "", whose.seat)
                if ask is not None and ask.closed_at is not None:
                    # A page or a program that repeats its answer is told that it was played; a mail does nothing.
                    raise Stale(N_("This question is no longer open."))
                receipt = moves.play_answer_at_table(table, ask, claim, said, VIA, then)
                left = any(part.outcome == "open" for part in receipt.parts)
                return outcomes.LEFT if left else outcomes.SEALED if receipt.sealed else outcomes.PLAYED
            case commands.Order(text=text):
                ordering.add_order_within(work, claim, text, VIA)
            case Wish.STOP_ORDERS:
                ordering.stop_orders_within(work, claim)
            case commands.Say(text=text):
                talk.post_message_within(site, work, claim, text)
            case commands.Note(text=text):
                talk.add_to_note_within(site, work, claim, text)
            case Wish.MUTE:
                seat.muted = True
    except (Busy, GameUnavailable):
        raise
    except Problem as why:
        raise Refused(command, why) from why
    return command.value if isinstance(command, Wish) else outcomes.DONE[type(command)]


# --- answering -----------------------------------------------------------------------------------------------


def _open_ask_of_seat(work: Work, whose: Whose) -> AskRow | None:
    return next((ask for ask in store.open_asks(work, whose.match_id) if ask.seat == whose.seat), None)


def _queue_answer_if_needed(
    site: Site, work: Work, letter: Letter, seat: SeatRow, done: Mapping[Command, str], before: str | None
) -> bool:
    """Queues the answer to a mail that was acted on, unless the next mail of the match says it anyway.

    A further question of the same turn has no mail of its own, so the turn mail is sent again, as for "again". A seat
    that has muted the match gets no mail of the match, but answers. `before` is the key of the question with which the
    seat's turn began when the mail was read.
    """
    whose, ask = letter.whose, _open_ask_of_seat(work, letter.whose)
    if [*done] == [Wish.MUTE]:
        return False
    only_played = all(map(outcomes.is_answer, done)) and outcomes.LEFT not in done.values()
    moved = outcomes.has_accepted_move(done.values())
    by_turn = not seat.muted and work.get_one(Player, whose.player_id).digest_hour is None
    is_mailed = ask is not None and ask.sealed_at is None and by_turn
    if ask is not None and is_mailed and only_played and ask.origin != before:
        return False  # its turn mail is queued already, and shows the board
    if ask is not None and is_mailed and (only_played or Wish.AGAIN in done):
        return queue_answer(site, work, letter, "turn", ask.origin, moved=moved)
    if only_played and not seat.muted and work.get_one(Match, whose.match_id).status == "over":
        return False  # so is the mail about the end
    return queue_answer(site, work, letter, moved=moved)
