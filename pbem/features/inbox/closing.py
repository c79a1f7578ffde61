"""Closing a row of the inbox: exactly once, in the transaction of what it has led to.

The row is closed by a conditional UPDATE, as the last thing that the transaction locks. A process that reads the same
row at the same time finds it closed, and everything that they have done is rolled back.
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.errors import NotFound
from pbem.features.inbox import verdicts
from pbem.features.inbox.incoming.message import Incoming
from pbem.features.inbox.outcomes import has_accepted_move, read_outcome
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.whose import Whose
from pbem.models.tables import SeatRow, table
from pbem.services.log import locks, outbox
from pbem.services.site import Site, Work

ANSWERS_AN_HOUR = 5
"""Of a seat, to mails that were shown to be its player's, but for their moves; and again this many to all other mails,
so that no forger uses up the player's, nor floods them."""
LONGEST_ID = 255


class AlreadyRead(Exception):
    """Somebody else has read the mail meanwhile: what was done here must be rolled back."""


class NoLongerTheirs(Exception):
    """The seat has changed hands, or its links have been renewed, since the mail's seat was looked up."""


@dataclass(frozen=True)
class Letter:
    """A mail that names a seat.

    `may_act` is True if it was shown to be from the seat's player; `detail` says how, or why not.
    """

    row: InboxRow
    incoming: Incoming
    whose: Whose
    may_act: bool
    detail: str

    @property
    def is_proven_for_seat(self) -> bool:
        """True if it is the player's own, and about this seat beyond doubt."""
        return self.may_act and self.whose.sure


def _message_id_to_store(incoming: Incoming) -> str | None:
    """Returns the Message-ID as it is kept; an overlong one by its digest."""
    said = incoming.message_id
    if said is None or len(said) <= LONGEST_ID:
        return said
    return f"<{hashlib.sha256(said.encode(errors='surrogateescape')).hexdigest()}>"


def lock_match_and_read_seat(work: Work, whose: Whose) -> SeatRow:
    """Locks the match, and returns the seat, whose player rows may point to. Raises NoLongerTheirs."""
    locks.hold_players(work, [whose.player_id])
    try:
        locks.lock_match(work, whose.match_id)
    except NotFound:
        raise NoLongerTheirs from None
    seat = work.get(SeatRow, (whose.match_id, whose.seat), populate_existing=True)
    if seat is None or (seat.epoch, seat.player_id) != (whose.epoch, whose.player_id):
        raise NoLongerTheirs
    return seat


def has_come_before(session: Session, letter: Letter) -> bool:
    """True if a mail with this Message-ID was read for the seat before; if this one is proven, another such mail.

    The match must be locked.
    """
    of_seat = (col(InboxRow.match_id) == letter.whose.match_id, col(InboxRow.seat) == letter.whose.seat)
    return _is_message_id_known(session, letter, *of_seat, col(InboxRow.verdict).in_(verdicts.OWN))


def _is_message_id_known(session: Session, letter: Letter, *of: Any) -> bool:
    """True if there is another mail with this Message-ID, of those that meet these conditions.

    What is not proven to be its player's counts only for others like it.
    """
    said = _message_id_to_store(letter.incoming)
    same = select(InboxRow.lines).where(col(InboxRow.message_id) == said, col(InboxRow.id) != letter.row.id, *of)
    return said is not None and any(
        _is_outcome_proven(lines) or not letter.is_proven_for_seat for lines in session.exec(same)
    )


def _is_outcome_proven(lines: str | None) -> bool:
    return lines is None or read_outcome(lines).proven


def _has_answers_left_this_hour(site: Site, session: Session, letter: Letter) -> bool:
    """True if the seat has had fewer than ANSWERS_AN_HOUR answers within the hour, and this Message-ID none, whichever
    seat of the player's it named.

    Answers to moves do not count, nor do those to mails that are proven for those that are not, and the other way
    round.
    """
    was_answered = col(InboxRow.answered).is_(True)
    answered = select(InboxRow.lines).where(
        col(InboxRow.match_id) == letter.whose.match_id, col(InboxRow.seat) == letter.whose.seat, was_answered,
        col(InboxRow.done_at) > site.now() - timedelta(hours=1),
    )  # fmt: skip
    counted = [
        one for one in session.exec(answered)
        if _is_outcome_proven(one) is letter.is_proven_for_seat and (one is None or not
        has_accepted_move(read_outcome(one).codes))
    ]  # fmt: skip
    of_player = col(InboxRow.player_id) == letter.whose.player_id
    return len(counted) < ANSWERS_AN_HOUR and not _is_message_id_known(session, letter, of_player, was_answered)


def queue_answer(
    site: Site, work: Work, letter: Letter, kind: str = "reply", key: str = "", *, moved: bool = False
) -> bool:  # fmt: skip
    """Queues the answer to the mail unless the seat has had too many; returns True if it was queued.

    A mail that has `moved` is always answered: who plays by mail alone sees the next question only so. The match must
    be locked.
    """
    row, whose = letter.row, letter.whose
    if not moved and not _has_answers_left_this_hour(site, work, letter):
        return False
    dedupe = f"reply:{row.id}:{row.due_at.timestamp():.0f}"
    outbox.enqueue(
        work, dedupe, kind, site.now(), match_id=whose.match_id, seat=whose.seat, key=key or str(row.id)
    )  # fmt: skip
    return True


def close_mail_within(
    site: Site, work: Work, row: InboxRow, verdict: str, *, incoming: Incoming | None = None,
    whose: Whose | None = None, **more: Any,
) -> str:  # fmt: skip
    """Closes the row with this verdict, and returns it. Raises AlreadyRead; what `whose` names must be held already."""
    t = table(InboxRow)
    values: dict[str, Any] = {"done_at": site.now(), "verdict": verdict, "claimed_until": None, **more}
    if incoming is not None:
        values["message_id"] = _message_id_to_store(incoming)
    if whose is not None:
        values |= {"match_id": whose.match_id, "seat": whose.seat, "player_id": whose.player_id}
    closed = update(t).where(t.c.id == row.id, t.c.done_at.is_(None)).values(values)
    if work.connection().execute(closed).rowcount != 1:
        raise AlreadyRead
    work.count("inbox", verdict)
    return verdict


def close_mail(
    site: Site, row: InboxRow, verdict: str, *, sender: str | None = None, whose: Whose | None = None, **more: Any
) -> str:
    """Closes the row of a mail for which nothing is done, and returns the verdict. Raises AlreadyRead, NoLongerTheirs.

    `sender`: the canonical address of its author, so that it is erased with them if they are a player. `whose`: the
    seat that it is of. One of them at most, as each is locked.
    """
    assert sender is None or whose is None
    with site.writing() as work:
        if sender is not None and (player := locks.hold_player_with_address(work, sender)) is not None:
            more["player_id"] = player.id
        if whose is not None:
            lock_match_and_read_seat(work, whose)
        return close_mail_within(site, work, row, verdict, whose=whose, **more)
