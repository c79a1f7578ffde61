"""Queues mails in the outbox under unique keys, and has the sender woken after the commit."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, or_, select
from sqlmodel import Session, SQLModel

from pbem.models.prepared import Prepared, find
from pbem.models.tables import OutboxRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.kinds import all_kinds
from pbem.services.site import Work

AT_ONCE = 500
"""How many keys one statement looks up."""


def enqueue(
    work: Work,
    dedupe: str,
    kind: str,
    now: datetime,
    *,
    match_id: str | None = None,
    seat: int | None = None,
    player_id: int | None = None,
    key: str | None = None,
    due: datetime | None = None,
) -> None:
    """Puts a mail into the outbox unless there is already one with this key, or its reader is a guest."""
    if not all_kinds()[kind].to_any_mailbox and _is_guest(work, match_id, seat, player_id):
        return
    statement, row = due_mail(
        work, dedupe, kind, now, match_id=match_id, seat=seat, player_id=player_id, key=key, due=due
    )
    statement.ask(work, row)


def rehearse(work: Work, now: datetime) -> None:
    """Writes a mail to nobody into the outbox, and removes it again.

    For requests whose answer must be the same whether or not a mail is queued: they cost the same, and fail alike where
    nothing can be stored.
    """
    t, dedupe = table(OutboxRow), f"rehearsal:{secrets.token_hex(8)}"
    statement, row = due_mail(work, dedupe, "links", now, key="any.1800")
    statement.ask(work, {**row, "player_id": None})
    work.connection().execute(delete(t).where(t.c.dedupe == dedupe))


def enqueue_many(work: Work, mails: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """Puts these mails to players, all with addresses, into the outbox by one statement, except those already there.

    Each has `dedupe`, `kind`, `player_id` and `key`.
    """
    if not mails:
        return
    work.wake()
    same: dict[str, Any] = {"match_id": None, "seat": None, "created_at": now, "due_at": now, "attempts": 0}
    insertion = statements.insertion(dialect(work), OutboxRow).inline()
    work.connection().execute(insertion, [{**same, **mail} for mail in mails])


def _is_guest(session: Session, match_id: str | None, seat: int | None, player_id: int | None) -> bool:
    """True if the mail's reader, the player or the one who has the seat, has no address."""
    if player_id is None and match_id is not None and seat is not None:
        row = find(session, SeatRow, match_id, seat)
        player_id = row.player_id if row is not None else None
    player = find(session, Player, player_id) if player_id is not None else None
    return player is not None and player.address is None


def due_mail(
    work: Work,
    dedupe: str,
    kind: str,
    now: datetime,
    *,
    match_id: str | None = None,
    seat: int | None = None,
    player_id: int | None = None,
    key: str | None = None,
    due: datetime | None = None,
) -> tuple[Prepared, dict[str, Any]]:
    """Returns the statement that queues the mail, and its values, for sending in a batch.

    The sender is woken after the commit. The reader must have an address, as at every table with deadlines.
    """
    work.wake()
    row = {"dedupe": dedupe, "kind": kind, "match_id": match_id, "seat": seat, "player_id": player_id, "key": key}
    return statements.mail(dialect(work)), {**row, "created_at": now, "due_at": due or now, "attempts": 0}


def dialect(session: Session) -> str:
    """Returns the name of the session's SQL dialect."""
    return session.connection().dialect.name


def is_queued(session: Session, dedupe: str) -> bool:
    """True if a mail with this key is, or ever was, in the outbox."""
    t = table(OutboxRow)
    return session.execute(select(t.c.id).where(t.c.dedupe == dedupe)).first() is not None


def has_left(session: Session, dedupe: str) -> bool:
    """True if the mail with this key was sent, or is being sent at this moment."""
    t = table(OutboxRow)
    left = (
        t.c.dedupe == dedupe,
        or_(t.c.result == "sent", and_(t.c.done_at.is_(None), t.c.claimed_until.is_not(None))),
    )
    return session.execute(select(t.c.id).where(*left)).first() is not None


def keys_queued(session: Session, dedupes: Collection[str]) -> set[str]:
    """Returns those of the keys under which a mail is, or ever was, in the outbox."""
    t, keys, found = table(OutboxRow), [*dedupes], set[str]()
    for some in range(0, len(keys), AT_ONCE):
        asked = select(t.c.dedupe).where(t.c.dedupe.in_(keys[some : some + AT_ONCE]))
        found.update(session.execute(asked).scalars())
    return found


def insert_once(session: Session, model: type[SQLModel], row: Mapping[str, Any]) -> bool:
    """Inserts the row unless one with the same unique key exists or is being written concurrently.

    Returns True if it was inserted.
    """
    insertion = statements.insertion(dialect(session), model)
    counted = {"preserve_rowcount": True}  # SQLAlchemy does not keep the row count of an INSERT by default
    return session.connection().execute(insertion, dict(row), execution_options=counted).rowcount == 1
