"""Requests with a key of the caller's: done once, and answered again as they were answered the first time.

The key is kept in the very transaction that does what is asked for, so there is never one without the other: what was
refused, or cut off, is done when it comes again. Of two at once PostgreSQL lets the second wait for the first, and
SQLite has one writer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, tuple_, update
from sqlmodel import Session

from pbem.errors import N_, Gone, KeyReused
from pbem.models.requests import Idempotent
from pbem.models.tables import table
from pbem.services.log.outbox import insert_once
from pbem.services.site import Site

KEPT = timedelta(hours=24)
SOME = 1000

_kept = table(Idempotent)


@dataclass
class Once:
    """A request that its caller may send again: whose it is, his key for it, and a digest of all it asks for."""

    owner: str
    key: str
    digest: str
    replayed: bool = field(default=False, compare=False)
    """Whether it was done before, so that nothing was done now."""


def replayed(session: Session, once: Once | None, now: datetime) -> str | None:
    """What `remember` was given when this request was done before; None where it is to be done now.

    Belongs into the transaction that does it. Raises KeyReused where the key was another request's, Busy while that
    is being done.
    """
    if once is None:
        return None
    same = (_kept.c.owner == once.owner, _kept.c.key == once.key)
    session.execute(delete(_kept).where(*same, _kept.c.at <= now - KEPT))
    row = {"owner": once.owner, "key": once.key, "digest": once.digest, "at": now}
    if insert_once(session, Idempotent, row):
        return None
    digest, answer = session.execute(select(_kept.c.digest, _kept.c.answer).where(*same)).one()
    if digest != once.digest:
        raise KeyReused(N_("This Idempotency-Key was used for another request. Use a new one for each request."))
    assert answer is not None, "whatever keeps a key keeps an answer before it commits"
    once.replayed = True
    return str(answer)


def known(site: Site, once: Once) -> bool:
    """Whether just this request was done under its key, as far as can be seen from here."""
    same = (_kept.c.owner == once.owner, _kept.c.key == once.key, _kept.c.digest == once.digest)
    with site.reading() as session:
        return session.execute(select(_kept.c.at).where(*same, _kept.c.at > site.now() - KEPT)).first() is not None


def no_longer_there() -> Gone:
    """What is said of a request that was done, where what it made is not there any more: it is not made again."""
    return Gone(
        N_("This was done, but what it created no longer exists. To create another, use a new Idempotency-Key.")
    )


def remember(session: Session, once: Once | None, answer: str) -> None:
    """Guarantees, with the commit, that the request is answered by this from now on: ids, never a token or secret."""
    if once is not None:
        same = (_kept.c.owner == once.owner, _kept.c.key == once.key)
        session.execute(update(_kept).where(*same).values(answer=answer))


def forget(session: Session, player_id: int, seats: Iterable[tuple[str, int]] = ()) -> None:
    """Throws away the keys of a player, and those of the links of his seats."""
    links = [_kept.c.owner.startswith(f"seat:{match_id}.{seat}.", autoescape=True) for match_id, seat in seats]
    session.execute(delete(_kept).where(or_(_kept.c.owner == f"player:{player_id}", *links)))


def forget_old(session: Session, now: datetime, most: int = SOME) -> int:
    """Throws away the keys that have been kept long enough, so many at most; gives how many."""
    old = select(_kept.c.owner, _kept.c.key).where(_kept.c.at <= now - KEPT).limit(most)
    gone = session.connection().execute(delete(_kept).where(tuple_(_kept.c.owner, _kept.c.key).in_(old)))
    return int(gone.rowcount)
