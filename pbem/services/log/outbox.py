"""The outbox as use cases fill it: mails under unique keys, and the bell that is rung when the transaction is over."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlmodel import Session, SQLModel

from pbem.models.prepared import Prepared
from pbem.models.tables import OutboxRow, table
from pbem.services import statements
from pbem.services.work import Work

AT_ONCE = 500
"""How many keys are looked for by one statement."""


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
    """Puts a mail into the outbox unless one with this key is there already."""
    statement, row = due_mail(
        work, dedupe, kind, now, match_id=match_id, seat=seat, player_id=player_id, key=key, due=due
    )
    statement.ask(work, row)


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
    """What puts a mail into the outbox, for who sends it along with other things; the bell will be rung."""
    work.ring()
    row = {"dedupe": dedupe, "kind": kind, "match_id": match_id, "seat": seat, "player_id": player_id, "key": key}
    return statements.mail(dialect(work)), {**row, "created_at": now, "due_at": due or now, "attempts": 0}


def dialect(session: Session) -> str:
    """The name of the session's kind of database."""
    return session.connection().dialect.name


def queued(session: Session, dedupe: str) -> bool:
    """Whether a mail with this key is, or ever was, in the outbox."""
    t = table(OutboxRow)
    return session.execute(select(t.c.id).where(t.c.dedupe == dedupe)).first() is not None


def queued_of(session: Session, dedupes: Collection[str]) -> set[str]:
    """Those of the keys under which a mail is, or ever was, in the outbox."""
    t, keys, found = table(OutboxRow), [*dedupes], set[str]()
    for some in range(0, len(keys), AT_ONCE):
        asked = select(t.c.dedupe).where(t.c.dedupe.in_(keys[some : some + AT_ONCE]))
        found.update(session.execute(asked).scalars())
    return found


def insert_once(session: Session, model: type[SQLModel], row: Mapping[str, Any]) -> bool:
    """Inserts the row unless one with the same unique key is there, or is just being written by somebody else.

    Says whether it did.
    """
    insertion = statements.insertion(dialect(session), model)
    counted = {"preserve_rowcount": True}  # of an INSERT it is not kept otherwise
    return session.connection().execute(insertion, dict(row), execution_options=counted).rowcount == 1
