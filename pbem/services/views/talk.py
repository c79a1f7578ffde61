"""What is said at the table, and what a seat writes down for itself. Neither is part of the log or of a replay.

Messages are for the seats of the match alone: spectators do not get them. A note is for its own seat alone.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, func
from sqlmodel import Session, col, select

from pbem.errors import CHANGED, N_, Changed, Gone, Invalid, NotFound, TooMany
from pbem.models.prepared import together
from pbem.models.tables import MessageRow, NoteRow, SeatRow, table
from pbem.services import statements
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import Once
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim

LONGEST_MESSAGE = 500
LONGEST_NOTE = 4000
PER_HOUR = 30
"""Messages that one seat may send in an hour."""
REPEATED_S = 60
"""The same text from the same seat within so many seconds is the same message, sent twice by a button or a client."""
SHOWN = 200


@dataclass(frozen=True)
class Message:
    """What a seat said."""

    id: int
    seat: int
    at: datetime
    text: str


@dataclass(frozen=True)
class Talk:
    """What a seat finds: the newest messages, oldest first, and its own note."""

    messages: tuple[Message, ...]
    note: str


def read_talk(site: Site, match_id: str, seat: int, after: int = 0) -> Talk:
    """The messages with id > after, at most the newest 200, and the seat's note. Raises NotFound."""
    with site.reading() as session:
        with together(session) as connection:
            sitting = statements.SITTING.send(connection, {"match": match_id, "seat": seat})
            talk = send_talk(connection, match_id, seat, after)
        if not any(status == "accepted" and player_id is not None for status, player_id in sitting.rows()):
            raise NotFound(N_("There is no such seat."))
        return talk()


def send_talk(connection: Connection, match_id: str, seat: int, after: int = 0) -> Callable[[], Talk]:
    """Asks for what the seat finds; it is read later, when all that is sent `together` has been answered."""
    said = statements.SAID.send(connection, {"match": match_id, "after": after, "most": SHOWN})
    note = statements.NOTE.send(connection, {"match": match_id, "seat": seat})

    def read() -> Talk:
        return Talk(tuple(Message(*row) for row in reversed(said.rows())), next((text for (text,) in note.rows()), ""))

    return read


def read_newest(site: Site, match_id: str) -> int:
    """The number of the last message at the table; 0 where there is none."""
    with site.reading() as session:
        return newest(session, match_id)


def newest(session: Session, match_id: str) -> int:
    """The id of the match's last message; 0 before the first. What has been seen up to it is not new."""
    return session.exec(select(func.max(MessageRow.id)).where(col(MessageRow.match_id) == match_id)).one() or 0


def said_since(session: Session, match_id: str, since: datetime | None) -> tuple[Message, ...]:
    """The messages after a moment, oldest first; all where there is none."""
    wanted = {"match": match_id, "since": since or datetime.min.replace(tzinfo=UTC), "most": SHOWN}
    return tuple(Message(*row) for row in reversed(statements.SAID_SINCE.ask(session, wanted).rows()))


def say(site: Site, claim: SeatClaim, text: str, *, once: Once | None = None) -> Message:
    """Says something to the table; gives the message, the first one where it is sent twice.

    `claim` is the speaker's link, looked at under the lock. Raises Invalid for an empty or overlong text, Gone where
    nobody sits any more, TooMany, NotFound, KeyReused, Unauthorized.
    """
    text = checked_text(text, LONGEST_MESSAGE)
    if not text:
        raise Invalid(N_("Write something first."))
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        if match.status == "cancelled":
            raise Gone(N_("This match has been called off."))
        if (said := idempotency.replayed(work, once, site.now())) is not None:
            return _message(_there(work.get(MessageRow, int(said))))
        row = _said(work, match.id, seat.seat, text, site.now())
        idempotency.remember(work, once, str(row.id))
        return _message(row)


def _there(row: MessageRow | None) -> MessageRow:
    """The message. Raises NotFound where it was thrown away with all that its seat had said."""
    if row is None:
        raise NotFound(N_("There is no such seat."))
    return row


def _said(session: Session, match_id: str, seat: int, text: str, now: datetime) -> MessageRow:
    """The message, the first one where it is sent twice. Raises TooMany."""
    mine = [col(MessageRow.match_id) == match_id, col(MessageRow.seat) == seat]
    last = session.exec(select(MessageRow).where(*mine).order_by(col(MessageRow.id).desc()).limit(1)).first()
    if last is not None and last.text == text and now - last.at < timedelta(seconds=REPEATED_S):
        return last
    recent = [*mine, col(MessageRow.at) > now - timedelta(hours=1)]
    if session.exec(select(func.count()).where(*recent)).one() >= PER_HOUR:
        raise TooMany(N_("You have sent many messages within the hour. Please wait a little."), retry_after=600)
    row = MessageRow(match_id=match_id, seat=seat, at=now, text=text)
    session.add(row)
    session.flush()
    return row


def write_note(site: Site, claim: SeatClaim, text: str, *, was: str | None = None) -> str:
    """Keeps the seat's note in place of what it was, or throws it away when it is empty; gives it as it is kept.

    `claim` is the seat's link, looked at under the lock; `was` is what the note must be for that, if anything.
    Raises Invalid, NotFound, Changed, Unauthorized.
    """
    text = checked_text(text, LONGEST_NOTE)
    with site.writing() as work:
        seat_links.lock_seat(work, claim)
        row = work.get(NoteRow, (claim.match_id, claim.seat))
        if was is not None and was != (row.text if row is not None else ""):
            raise Changed(CHANGED, etag="")
        if not text and row is not None:
            work.delete(row)
        elif text:
            row = row or NoteRow(match_id=claim.match_id, seat=claim.seat, text="", at=site.now())
            row.text, row.at = text, site.now()
            work.add(row)
    return text


def clear(session: Session, seat: SeatRow) -> None:
    """Throws away what the seat has said and noted: whoever comes after neither reads it nor has said it."""
    for kind in (MessageRow, NoteRow):
        t = table(kind)
        session.execute(delete(t).where(t.c.match_id == seat.match_id, t.c.seat == seat.seat))


def checked_text(text: str, longest: int) -> str:
    """The text as it is kept: line ends as one sign, no other controls or direction marks. Raises Invalid."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    kept = "".join(c for c in lines if c == "\n" or unicodedata.category(c) not in _UNWRITTEN).strip()
    if len(kept) > longest:
        raise Invalid(N_("This is too long: at most %(longest)s characters."), {"longest": longest})
    return kept


_UNWRITTEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _message(row: MessageRow) -> Message:
    assert row.id is not None, "it is kept"
    return Message(row.id, row.seat, row.at, row.text)
