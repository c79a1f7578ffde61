"""Idempotency keys: a request with a key is done once, and a retry gets the answer of the first time.

The key is stored in the same transaction as the request's effects, so neither exists without the other: a request that
was refused or interrupted is done when it is retried. Of two concurrent requests, PostgreSQL lets the second wait for
the first, and SQLite has a single writer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update
from sqlmodel import Session

from pbem.errors import N_, Gone, KeyReused
from pbem.models.accounts import Idempotent
from pbem.models.tables import table
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site
from pbem.services.statements import sweep_of_table

KEPT = timedelta(hours=24)

_kept = table(Idempotent)


@dataclass
class IdempotencyKey:
    """A request that its caller may retry: its owner, their key for it, and a digest of everything it asks for."""

    owner: str
    key: str
    digest: str
    replayed: bool = field(default=False, compare=False)
    """True if the request was done before, so that nothing was done now."""


def claim_key(session: Session, once: IdempotencyKey | None, now: datetime, *, kept: timedelta = KEPT) -> str | None:
    """Claims the key for this request; returns what `store_answer` was given if it was done before, else None.

    Without a key there is nothing to claim. A key is forgotten after `kept`. Must run in the transaction that does the
    request. Raises KeyReused if the key belongs to a different request, and Busy while the same one is in progress.
    """
    if once is None:
        return None
    same = (_kept.c.owner == once.owner, _kept.c.key == once.key)
    session.execute(delete(_kept).where(*same, _kept.c.at <= now - kept))
    row = {"owner": once.owner, "key": once.key, "digest": once.digest, "at": now}
    if insert_row_unless_key_exists(session, Idempotent, row):
        return None
    digest, answer = session.execute(select(_kept.c.digest, _kept.c.answer).where(*same)).one()
    if digest != once.digest:
        raise KeyReused(N_("This Idempotency-Key was used for another request. Use a new one for each request."))
    assert answer is not None, "whatever keeps a key keeps an answer before it commits"
    once.replayed = True
    return str(answer)


def was_request_done(site: Site, once: IdempotencyKey) -> bool:
    """True if this very request was done under its key, as far as a read without a lock can tell."""
    same = (_kept.c.owner == once.owner, _kept.c.key == once.key, _kept.c.digest == once.digest)
    with site.reading() as session:
        return session.execute(select(_kept.c.at).where(*same, _kept.c.at > site.now() - KEPT)).first() is not None


def missing_result_error() -> Gone:
    """Returns the error for a repeated request whose result no longer exists; it is not created a second time."""
    return Gone(
        N_("This was done, but what it created no longer exists. To create another, use a new Idempotency-Key.")
    )


def store_answer(session: Session, once: IdempotencyKey | None, answer: str) -> str:
    """Stores the answer for retries, effective with the commit, and returns it: ids only, never a token or secret."""
    if once is not None:
        same = (_kept.c.owner == once.owner, _kept.c.key == once.key)
        session.execute(update(_kept).where(*same).values(answer=answer))
    return answer


def delete_keys(session: Session, player_id: int, seats: Iterable[tuple[str, int]] = ()) -> None:
    """Deletes the keys of a player and those of the links of these seats."""
    links = [_kept.c.owner.startswith(f"seat:{match_id}.{seat}.", autoescape=True) for match_id, seat in seats]
    session.execute(delete(_kept).where(or_(_kept.c.owner == f"player:{player_id}", *links)))


forget_old = sweep_of_table(Idempotent, lambda c, now: c.at <= now - KEPT)
