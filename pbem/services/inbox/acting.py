"""Does what a reply says: all of it, or nothing, in one transaction that closes its row and queues its answer.

    hold the player → lock the match → is it still their seat, was the mail read before → the use cases of page and API
    → close the row → commit

A refusal rolls everything back; a second transaction then closes the row as refused. A process that dies in between
leaves the row as it was, to be read again.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pbem.errors import Answered, Busy, Gone, Problem, Stale
from pbem.mail.incoming import commands
from pbem.mail.incoming.commands import Again, Command, Mute, Note, Number, Order, Reading, Say, StopOrders
from pbem.mail.incoming.message import Incoming
from pbem.models.inbox import InboxRow
from pbem.models.tables import AskRow, Match, Player, SeatRow
from pbem.services.inbox import verdicts
from pbem.services.inbox.closing import close_within, has_come_before, hold, id_of, queue_answer
from pbem.services.inbox.outcomes import (
    DONE,
    LEFT,
    NOTHING,
    PLAYED,
    SEALED,
    Outcome,
    What,
    codes_of_doubts,
    codes_of_refusal,
    is_move,
    places_of,
)
from pbem.services.inbox.understanding import Understanding, read_words, understanding_of
from pbem.services.inbox.whose import Whose
from pbem.services.log import store
from pbem.services.play import moves, ordering
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views, talk
from pbem.services.work import Work

VIA = "mail"
"""The way in which entries of the log say that a move was made by reply."""


class Refused(Exception):
    """A command was refused; everything is rolled back."""

    def __init__(self, command: Command, why: Problem) -> None:
        super().__init__(why.code)
        self.command, self.why = command, why


def act(site: Site, row: InboxRow, incoming: Incoming, whose: Whose, *, may_act: bool, detail: str) -> str:
    """Does what the mail says, or asks its owner whether to, and returns the verdict. Raises Busy, AlreadyRead and
    NoLongerTheirs; nothing has changed then.
    """
    with site.reading() as session:
        view = match_views.view(session, store.get_match(session, whose.match_id), whose.seat)
    understanding = understanding_of(view, whose.key)
    said = read_words(incoming, whose, understanding)
    places = places_of(incoming.text, said.lines)
    if not said.commands:
        is_stale = view.fold is not None and understanding.answers is None and whose.key is not None
        verdict = verdicts.STALE if is_stale and _is_an_answer(said) else verdicts.REFUSED
        outcome = Outcome(_WHAT[verdict], codes_of_doubts(said.lines), places, whose.key, why=" ".join(said.doubts))
        return _tell(site, row, incoming, whose, verdict, outcome, detail)
    if not may_act or not whose.sure or (whose.key is None and any(map(is_move, said.commands))):
        outcome = Outcome("asked", codes_of_doubts(said.lines), places, whose.key)
        return _tell(site, row, incoming, whose, verdicts.ASKED, outcome, detail)
    try:
        return _do(site, row, incoming, whose, said, understanding, detail)
    except Refused as refused:
        verdict = verdicts.STALE if isinstance(refused.why, Stale | Answered | Gone) else verdicts.REFUSED
        codes = codes_of_refusal(said.lines, refused.command)
        outcome = Outcome(_WHAT[verdict], codes, places, whose.key, why=refused.why.code)
        return _tell(site, row, incoming, whose, verdict, outcome, detail)


def _is_an_answer(said: Reading) -> bool:
    """True if something was typed: it may have been the answer to the closed question."""
    return any(line.doubt or line.command for line in said.lines)


_WHAT: Mapping[str, What] = {verdicts.STALE: "stale", verdicts.REFUSED: "refused"}


# --- doing ---------------------------------------------------------------------------------------------------


def _do(
    site: Site, row: InboxRow, incoming: Incoming, whose: Whose, said: Reading, understanding: Understanding, detail: str
) -> str:  # fmt: skip
    """Does all commands and closes the row. Raises Refused, Busy, AlreadyRead, NoLongerTheirs."""
    assert row.id is not None
    with site.writing() as work:
        match, seat = hold(work, whose)
        if has_come_before(work, row.id, id_of(incoming), whose):
            close_within(site, work, row.id, verdicts.DUPLICATE, incoming=incoming, whose=whose, detail=detail)
            return verdicts.DUPLICATE
        before = _asked_by_mail(work, whose)
        done = {command: _do_one(site, work, match, seat, whose, command, understanding) for command in said.commands}
        work.flush()
        codes = tuple(done.get(line.command, NOTHING) if line.command else NOTHING for line in said.lines)
        answered = _answer(site, work, row, whose, said.commands, codes, before)
        outcome = Outcome("done", codes, places_of(incoming.text, said.lines), whose.key)
        close_within(
            site, work, row.id, verdicts.ACTED, incoming=incoming, whose=whose, detail=detail, lines=outcome.json,
            answered=answered,
        )  # fmt: skip
    return verdicts.ACTED


def _do_one(
    site: Site, work: Work, match: Match, seat: SeatRow, whose: Whose, command: Command, understanding: Understanding
) -> str:
    """Does one command and returns the code of what became of it. Raises Refused, Busy."""
    claim = SeatClaim(whose.match_id, whose.seat, whose.epoch, "play")
    try:
        match command:
            case commands.Move() | Number():
                said, then = understanding.said(command)
                receipt = moves.answer_within(site, work, claim, whose.key or "", said, VIA, then=then)
                left = any(part.outcome == "open" for part in receipt.parts)
                return LEFT if left else SEALED if receipt.sealed else PLAYED
            case Order(text=text):
                ordering.add_order_within(site, work, claim, text, VIA)
            case StopOrders():
                ordering.stop_orders_within(work, claim)
            case Say(text=text):
                talk.say_within(site, work, claim, text)
            case Note(text=text):
                talk.add_to_note_within(site, work, claim, text)
            case Mute():
                seat.muted = True
                work.add(seat)
    except Busy:
        raise
    except Problem as why:
        raise Refused(command, why) from why
    return DONE[type(command)]


# --- answering -----------------------------------------------------------------------------------------------


def _asked_by_mail(work: Work, whose: Whose) -> str | None:
    """Returns the key of the question with which the last mail to the seat began; None if it is not asked."""
    ask = _open_ask(work, whose)
    return ask.origin if ask is not None else None


def _open_ask(work: Work, whose: Whose) -> AskRow | None:
    return next((ask for ask in store.open_asks(work, whose.match_id) if ask.seat == whose.seat), None)


def _answer(
    site: Site, work: Work, row: InboxRow, whose: Whose, done: Sequence[Command], codes: Sequence[str], before: str | None
) -> bool:  # fmt: skip
    """Queues the answer to a mail that was acted on, unless the next mail of the match says it anyway.

    A further question of the same turn has no mail of its own, so the turn mail is sent again, as for "again".
    """
    player, ask = work.get_one(Player, whose.player_id), _open_ask(work, whose)
    asked = ask is not None and ask.sealed_at is None and ask.deadline is not None
    mails_turns = player.digest_hour is None
    plain_move = all(map(is_move, done)) and LEFT not in codes
    if any(isinstance(one, Mute) for one in done) and len(done) == 1:
        return False
    if asked and mails_turns and ask is not None and (plain_move or any(isinstance(one, Again) for one in done)):
        if plain_move and ask.origin != before:
            return False  # its turn mail is queued already, and shows the board
        return queue_answer(site, work, row, whose, "turn", ask.origin)
    if plain_move and work.get_one(Match, whose.match_id).status == "over":
        return False  # so is the mail about the end
    return queue_answer(site, work, row, whose)


def _tell(
    site: Site, row: InboxRow, incoming: Incoming, whose: Whose, verdict: str, outcome: Outcome, detail: str
) -> str:  # fmt: skip
    """Closes the row of a mail that nothing was done for, and queues its answer; returns the verdict.

    Raises Busy, AlreadyRead, NoLongerTheirs.
    """
    assert row.id is not None
    with site.writing() as work:
        hold(work, whose)
        if has_come_before(work, row.id, id_of(incoming), whose):
            close_within(site, work, row.id, verdicts.DUPLICATE, incoming=incoming, whose=whose, detail=detail)
            return verdicts.DUPLICATE
        ask = work.get(AskRow, (whose.match_id, whose.key, whose.seat)) if whose.key is not None else None
        kept = replace(outcome, closed=ask.closed_by or "") if ask is not None else outcome
        close_within(
            site, work, row.id, verdict, incoming=incoming, whose=whose, detail=f"{detail} {kept.why}".strip(),
            lines=kept.json, answered=queue_answer(site, work, row, whose),
        )  # fmt: skip
    return verdict
