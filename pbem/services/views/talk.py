"""Messages at the table, and a seat's notes. Neither is part of the log or of a replay.

Messages are only for the seats of the match, not for spectators. A note is only for its own seat.
"""

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import delete, func
from sqlmodel import SQLModel, col, select

from pbem.errors import CHANGED, N_, Changed, Gone, Invalid, NotFound, TooMany
from pbem.models.clocks import Heartbeat
from pbem.models.prepared import Sent, pipeline
from pbem.models.tables import Match, MessageRow, NoteRow, SeatRow, table
from pbem.services import statements, versions
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.hooks import all_personal
from pbem.services.log.store import Query
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim

LONGEST_MESSAGE = 500
LONGEST_NOTE = 4000
PER_HOUR = 30
"""The maximum number of messages from one seat in an hour."""
REPEATED_S = 60
"""The same text from the same seat within this many seconds counts as one message, submitted twice."""
SHOWN = 200
SWEPT = "swept:"
KEPT = timedelta(days=365)
"""How long messages and notes are kept after the end of their match."""
COMMITTED = timedelta(hours=1)
"""Within this time what is written is committed, or is not at all."""


class Message(Struct, frozen=True):
    """A message to the table."""

    id: int
    seat: int
    at: datetime
    text: str


@dataclass(frozen=True)
class Talk:
    """What a seat sees: the newest messages, oldest first, and its own note."""

    messages: tuple[Message, ...]
    note: str


def read_talk(site: Site, match_id: str, seat: int, after: int = 0) -> Talk:
    """Returns the messages with id > after, at most the newest 200, and the seat's note. Raises NotFound."""
    with site.reading() as session:
        with pipeline(session) as connection:
            sitting = statements.SITTING.send(connection, {"match": match_id, "seat": seat})
            said, note = (one.send(connection, values) for one, values in queries_of_talk(match_id, seat, after))
        if not any(status == "accepted" and player_id is not None for status, player_id in sitting.rows()):
            raise NotFound(N_("There is no such seat."))
        return talk_of_answers(said, note)


def queries_of_talk(match_id: str, seat: int, after: int = 0) -> tuple[Query, Query]:
    """Returns the queries for a seat's talk; see `talk_of_answers`."""
    said = {"match": match_id, "after": after, "most": SHOWN}
    return (statements.SAID, said), (statements.NOTE, {"match": match_id, "seat": seat})


def talk_of_answers(said: Sent, note: Sent) -> Talk:
    """Returns what the answers to `queries_of_talk` tell."""
    newest_first = said.rows()
    return Talk(tuple(Message(*row) for row in reversed(newest_first)), next((text for (text,) in note.rows()), ""))


def read_id_of_newest_message(site: Site, match_id: str) -> int:
    """Returns the id of the match's last message; 0 if there is none. Messages up to an id once seen are not new."""
    last = select(func.max(MessageRow.id)).where(col(MessageRow.match_id) == match_id)
    with site.reading() as session:
        return session.exec(last).one() or 0


def post_message(site: Site, claim: SeatClaim, text: str, *, once: IdempotencyKey | None = None) -> Message:
    """Sends a message to the table and returns it; a duplicate returns the first message.

    `claim` is the speaker's play link, validated under the lock. Raises Invalid for an empty or overlong text, Gone if
    the match was cancelled, TooMany, NotFound, KeyReused, Unauthorized.
    """
    with site.writing() as work:
        return post_message_within(site, work, claim, text, once=once)


def post_message_within(
    site: Site, work: Work, claim: SeatClaim, text: str, *, once: IdempotencyKey | None = None
) -> Message:  # fmt: skip
    """Does what `post_message` does within a transaction of the caller's, who rolls it back if this raises."""
    text = normalise_and_check_text(text, LONGEST_MESSAGE)
    if not text:
        raise Invalid(N_("Write something first."), fields=("text",))
    locked, seat = seat_links.lock_seat(work, claim)
    if locked.match.status == "cancelled":
        raise Gone(N_("This match has been called off."))
    if (earlier := idempotency.claim_key(work, once, site.now())) is not None:
        if (first := work.get(MessageRow, int(earlier))) is None:  # deleted with everything its seat had said
            raise NotFound(N_("There is no such seat."))
        return _message_of_row(first)
    own, now = [col(MessageRow.match_id) == locked.id, col(MessageRow.seat) == seat.seat], site.now()
    row = work.exec(select(MessageRow).where(*own).order_by(col(MessageRow.id).desc()).limit(1)).first()
    if row is None or row.text != text or now - row.at >= timedelta(seconds=REPEATED_S):
        recent = [*own, col(MessageRow.at) > now - timedelta(hours=1)]
        if work.exec(select(func.count()).where(*recent)).one() >= PER_HOUR:
            raise TooMany(N_("You have sent many messages within the hour. Please wait a little."), retry_after=600)
        row = MessageRow(match_id=locked.id, seat=seat.seat, at=now, text=text)
        work.put(row)
        _take_sweep_back_to_match(work, locked.match, MessageRow)
    idempotency.store_answer(work, once, str(row.id))
    return _message_of_row(row)


def write_note(
    site: Site, claim: SeatClaim, text: str, *, was: str | None = None, version: str | None = None
) -> str:  # fmt: skip
    """Stores the seat's note, or deletes it if the text is empty; returns the text as stored.

    `claim` is the seat's play link, validated under the lock. If `was` is given, the change is made only if the note
    still equals it; `version` is that of the form. Raises Invalid, NotFound, Changed, Unauthorized.
    """
    with site.writing() as work:
        return write_note_within(site, work, claim, text, was=was, version=version)


def write_note_within(
    site: Site, work: Work, claim: SeatClaim, text: str, *, was: str | None = None, version: str | None = None
) -> str:  # fmt: skip
    """Does what `write_note` does within a transaction of the caller's, who rolls it back if this raises."""
    text = normalise_and_check_text(text, LONGEST_NOTE)
    locked, _ = seat_links.lock_seat(work, claim)
    row = work.get(NoteRow, (claim.match_id, claim.seat))
    stored = row.text if row is not None else ""
    if was is not None and was != stored:
        raise Changed(CHANGED, etag="")
    (text,) = versions.merge_or_raise_changed(version, (stored,), (text,))
    if not text and row is not None:
        work.delete(row)
    elif text:
        row = row or NoteRow(match_id=claim.match_id, seat=claim.seat, text="", at=site.now())
        row.text, row.at = text, site.now()
        work.add(row)
        _take_sweep_back_to_match(work, locked.match, NoteRow)
    return text


def add_to_note_within(site: Site, work: Work, claim: SeatClaim, text: str) -> str:
    """Adds a line to the seat's note within a transaction of the caller's; returns the note. Raises as `write_note`."""
    seat_links.lock_seat(work, claim)
    row = work.get(NoteRow, (claim.match_id, claim.seat))
    return write_note_within(site, work, claim, f"{row.text}\n{text}" if row is not None else text)


def name_of_sweep_mark(model: type[SQLModel]) -> str:
    """Returns the name of the moment of `Heartbeat` up to which the ends of matches lie that its sweep has passed."""
    return f"{SWEPT}{model.__tablename__}"


def _take_sweep_back_to_match(work: Work, match: Match, model: type[SQLModel]) -> None:
    """Takes the sweep of what was said at ended matches back to this one, if it has passed it.

    Where it has not, its mark is moved nevertheless, by next to nothing: a sweep that passes the match now, and does
    not see yet what is said, does not move a mark that was moved meanwhile, and looks again.
    """
    if match.ended_at is not None and match.ended_at <= work.site.now() - KEPT + COMMITTED:
        mark = work.get(Heartbeat, name_of_sweep_mark(model), with_for_update=True)
        if mark is not None:
            mark.at = min(mark.at, match.ended_at) - timedelta(microseconds=1)


def delete_talk_of_seat(work: Work, seat: SeatRow) -> None:
    """Deletes the seat's messages and note, and what its player keeps for themselves in features.

    The next owner neither reads them nor seems to be their author.
    """
    for kind in (MessageRow, NoteRow):
        t = table(kind)
        work.execute(delete(t).where(t.c.match_id == seat.match_id, t.c.seat == seat.seat))
    for personal in all_personal():
        personal.clear_seat(work, seat)


def normalise_and_check_text(text: str, longest: int) -> str:
    """Returns the text with normalised line endings, without other control or direction characters. Raises Invalid."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    kept = "".join(c for c in lines if c == "\n" or unicodedata.category(c) not in _UNWRITTEN).strip()
    if len(kept) > longest:
        raise Invalid(N_("This is too long: at most %(longest)s characters."), {"longest": longest}, fields=("text",))
    return kept


_UNWRITTEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _message_of_row(row: MessageRow) -> Message:
    return Message(row.id, row.seat, row.at, row.text)
