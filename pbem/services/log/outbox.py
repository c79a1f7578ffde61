"""Queues mails in the outbox under unique keys, and has the sender woken after the commit."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from sqlalchemy import and_, delete, or_, select
from sqlmodel import Session, SQLModel

from pbem.models.prepared import find_by_key
from pbem.models.tables import OutboxRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.site import Work

AT_ONCE = 500
"""How many keys one statement looks up."""
_mails = table(OutboxRow).c


class About(TypedDict, total=False):
    """What a mail is about and to whom it goes, as far as its kind says that."""

    match_id: str
    seat: int
    player_id: int | None
    key: str | None


def enqueue(
    work: Work, dedupe: str, kind: str, now: datetime, *, due: datetime | None = None, **about: Unpack[About]
) -> None:
    """Queues a mail unless one has this key, or its reader is a guest; the sender is woken after the commit."""
    if all_kinds_of_mail()[kind].to_any_mailbox or not _has_reader_no_address(work, about):
        work.wakes = True
        statements.MAIL.flush_and_send(work, values_of_mail(dedupe, kind, now, due=due, **about))


def imitate_enqueue(work: Work, now: datetime) -> None:
    """Writes a mail to nobody into the outbox, and removes it again.

    For requests whose answer must be the same whether or not a mail is queued: both cost the same, and both fail where
    nothing can be stored.
    """
    t, dedupe = table(OutboxRow), f"rehearsal:{secrets.token_hex(8)}"
    work.wakes = True
    statements.MAIL.flush_and_send(work, values_of_mail(dedupe, "links", now, key="any.1800"))
    work.connection().execute(delete(t).where(t.c.dedupe == dedupe))


def enqueue_many(work: Work, mails: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """Puts these mails to players into the outbox by one statement, except those already there.

    All players must have addresses. Each mail has `dedupe`, `kind`, `player_id` and `key`.
    """
    if not mails:
        return
    work.wakes = True
    same: dict[str, Any] = {"match_id": None, "seat": None, "created_at": now, "due_at": now, "attempts": 0}
    insertion = statements.insert_unless_exists_statement(dialect_name(work), OutboxRow).inline()
    work.connection().execute(insertion, [{**same, **mail} for mail in mails])


def _has_reader_no_address(session: Session, about: About) -> bool:
    """True if the mail's reader, the player or the one who has the seat, has no address."""
    match_id, seat, player_id = about.get("match_id"), about.get("seat"), about.get("player_id")
    if player_id is None and match_id is not None and seat is not None:
        row = find_by_key(session, SeatRow, match_id, seat)
        player_id = row.player_id if row is not None else None
    player = find_by_key(session, Player, player_id) if player_id is not None else None
    return player is not None and player.address is None


def values_of_mail(
    dedupe: str, kind: str, now: datetime, *, due: datetime | None = None, **about: Unpack[About]
) -> dict[str, Any]:
    """Returns the values of `statements.MAIL`. The reader must have an address, as at every table with deadlines."""
    nobody = {"match_id": None, "seat": None, "player_id": None, "key": None}
    return {**nobody, **about, "dedupe": dedupe, "kind": kind, "created_at": now, "due_at": due or now, "attempts": 0}


def dialect_name(session: Session) -> str:
    """Returns the name of the session's SQL dialect."""
    return session.connection().dialect.name


def is_mail_sent_or_leaving(session: Session, dedupe: str) -> bool:
    """True if the mail with this key was sent, or is being sent at this moment."""
    gone = or_(_mails.result == "sent", and_(_mails.done_at.is_(None), _mails.claimed_until.is_not(None)))
    return session.execute(select(_mails.id).where(_mails.dedupe == dedupe, gone)).first() is not None


def keys_in_outbox(session: Session, dedupes: Collection[str]) -> set[str]:
    """Returns those of the keys under which a mail is, or ever was, in the outbox."""
    keys, found = [*dedupes], set[str]()
    for some in range(0, len(keys), AT_ONCE):
        asked = select(_mails.dedupe).where(_mails.dedupe.in_(keys[some : some + AT_ONCE]))
        found.update(session.execute(asked).scalars())
    return found


def insert_row_unless_key_exists(session: Session, model: type[SQLModel], row: Mapping[str, Any]) -> bool:
    """Inserts the row and returns True, unless one with the same unique key exists or is just being written."""
    insertion = statements.insert_unless_exists_statement(dialect_name(session), model)
    counted = {"preserve_rowcount": True}  # SQLAlchemy does not keep the row count of an INSERT by default
    return session.connection().execute(insertion, dict(row), execution_options=counted).rowcount == 1
