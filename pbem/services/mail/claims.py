"""Claims the mail that has been due longest.

A claim is a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the lease expires.
On PostgreSQL the claim takes along what its letter is made of, in one batch, which is one transaction:

1. The UPDATE notes the row, its match and its seat, because the statements after it cannot know them (`note`).
2. The match's people, asks, holidays, folds, entries and messages; who of the readers next in line is suppressed.
3. The row with its match, seat, player and orders. If the match has changed since the UPDATE, what was read between
   them need not belong together: then `Claimed.table` is None, and the letter is made of what is read once more.

Who is suppressed is asked by keyed hashes of addresses, which only this program can compute. So each claim also looks
who is next in line, and the claim after it asks about these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, or_, select, update
from sqlmodel import Session

from pbem.models.prepared import OneOf, Prepared, note, objects_of_join, pipeline
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write
from pbem.models.tables import Match, OrderRow, OutboxRow, Player, SeatRow, Suppression, table
from pbem.services import statements
from pbem.services.hooks import Ahead, hooks_of
from pbem.services.kinds import all_kinds
from pbem.services.log.store import Table
from pbem.services.mail import alarms
from pbem.services.site import Reading, Site
from pbem.services.views import talk
from pbem.services.views.talk import Message

LEASE = timedelta(minutes=5)
AHEAD = 8
"""How many mails next in line a claim looks at: as many as the threads of two processes take at once."""

_t, _match, _seat, _player, _orders = (table(model) for model in (OutboxRow, Match, SeatRow, Player, OrderRow))
_suppressed = table(Suppression)
_now = bindparam("now", type_=_t.c.due_at.type)
_due = (_t.c.done_at.is_(None), _t.c.due_at <= _now, or_(_t.c.claimed_until.is_(None), _t.c.claimed_until < _now))
_first = select(_t.c.id).where(*_due).order_by(_t.c.due_at, _t.c.id).limit(1)
_taking = (
    update(_t)
    # Concurrent workers skip to the next row; on databases without this lock, the condition is enough.
    .where(_t.c.id == _first.with_for_update(skip_locked=True).scalar_subquery(), *_due, may_write())
    .values(claimed_until=bindparam("until", type_=_t.c.claimed_until.type), answer=None)
)
_TAKE = Prepared(_taking.returning(_t.c.id))


def _of_match(column: Any) -> Any:
    return select(column).where(_match.c.id == _t.c.match_id).scalar_subquery()


_TAKE_AND_NOTE = Prepared(
    _taking.returning(
        _t.c.id, _of_match(_match.c.version), _of_match(_match.c.touched),
        note("row", _t.c.id), note("match", _t.c.match_id), note("seat", _t.c.seat),
    )
)  # fmt: skip
_of_row = (
    _t.outerjoin(_match, _match.c.id == _t.c.match_id)
    .outerjoin(_seat, (_seat.c.match_id == _t.c.match_id) & (_seat.c.seat == _t.c.seat))
    .outerjoin(_player, _player.c.id == func.coalesce(_seat.c.player_id, _t.c.player_id))
)
_NEXT = Prepared(
    select(_t.c.kind, _player.c.canonical)
    .select_from(_of_row)
    .where(*_due)
    .order_by(_t.c.due_at, _t.c.id)
    .limit(bindparam("most"))
)
_SUPPRESSED = Prepared(select(_suppressed.c.digest).where(OneOf(_suppressed.c.digest, "digests")))
_PEOPLE, _ASKS, _HOLIDAYS = (
    one.with_noted("match") for one in (statements.TABLE, statements.OPEN_ASKS, statements.HOLIDAYS)
)
_FOLDS, _LATER = (one.with_noted("match") for one in (statements.FOLDS, statements.AFTER_EARLIER))
_SAID = statements.SAID.with_noted("match")
_began = (
    select(_t.c.id)
    .where(
        _t.c.match_id == bindparam("match"), _t.c.seat == bindparam("seat"), _t.c.result == "sent",
        _t.c.id != bindparam("row"), or_(*(_t.c.kind == kind for kind in ("started", "turn", "reminder"))),
    )
    .exists()
)  # fmt: skip
_BEGAN = Prepared(select(_began))


class Next(NamedTuple):
    """What is next in line: whether its letter shows a board, and the keyed hashes of its readers' addresses."""

    with_board: bool
    digests: tuple[str, ...]


@dataclass(frozen=True)
class Claimed:
    """A claimed row, and what was read with it."""

    row: OutboxRow
    match: Match | None
    worth_asking: Sequence[bool]
    """For each feature that sends ahead of mails, whether it is worth asking."""
    may_end_alarm: bool
    """Whether a picture may end an alarm."""
    people: tuple[Any, ...] = ()
    """The seat and the player, whom the session forgets unless somebody keeps them."""
    table: Table | None = None
    """The match with all that is around it; None if it was not read with the row."""
    said: Sequence[Message] = ()
    """With the table: the newest messages, oldest first."""
    has_begun: bool = False
    """With the table: whether a mail has told the reader that the match has begun."""
    suppressed: bool | None = None
    """Whether the reader is suppressed; None if that is not known."""
    next: Next | None = None
    """What is next in line; None if nothing was, or if it was not looked at."""


def claim_mail(site: Site) -> int | None:
    """Claims the row that has been due longest and returns its id; None if nothing is due."""
    now = site.now()
    with site.one_statement() as connection:
        if connection.dialect.name != "sqlite":  # a single statement needs no explicit transaction
            return _take(connection, now)
        if not _NEXT.send(connection, {"now": now, "most": 1}).rows():  # most ticks find nothing: no write lock
            return None
    with site.writing() as work:
        return _take(work.connection(), now)


def _take(connection: Connection, now: datetime) -> int | None:
    found = _TAKE.send(connection, _lease(now)).rows()
    return int(found[0][0]) if found else None


def _lease(now: datetime) -> dict[str, Any]:
    return {"now": now, "until": now + LEASE, "schema": NEWEST_SCHEMA}


def look_ahead(site: Site) -> Next | None:
    """Returns what is next in line; None if nothing is due."""
    with site.one_statement() as connection:
        return _next(site, _NEXT.send(connection, {"now": site.now(), "most": AHEAD}).rows())


def _next(site: Site, rows: Sequence[Sequence[Any]]) -> Next | None:
    if not rows:
        return None
    kind = all_kinds().get(rows[0][0])
    digests = (site.tokens.address_digest(canonical) for _, canonical in rows if canonical is not None)
    return Next(kind is not None and kind.with_board, tuple(dict.fromkeys(digests)))


@cache
def aheads_of(features: tuple[str, ...]) -> tuple[Ahead, ...]:
    """Returns what these features send ahead of mails."""
    return tuple(one.ahead for one in hooks_of(features) if one.ahead is not None)


@cache
def _row_of(features: tuple[str, ...]) -> tuple[Prepared, Prepared]:
    """Returns the statement that reads a `row` with all that is asked of it, and the one that reads a noted row."""
    wanted = (
        *(one.condition(_seat) for one in aheads_of(features)), alarms.pictures_may_end_one(),
        _t, _match, _seat, _player,
    )  # fmt: skip
    by_id = select(*wanted).select_from(_of_row).where(_t.c.id == bindparam("row"))
    joined = _of_row.outerjoin(_orders, (_orders.c.match_id == _t.c.match_id) & (_orders.c.seat == _t.c.seat))
    noted = select(_began, *wanted, _orders).select_from(joined).where(_t.c.id == bindparam("row", type_=_t.c.id.type))
    return Prepared(by_id), Prepared(noted).with_noted("row", "match", "seat")


def read_row(site: Site, session: Reading, row_id: int) -> Claimed:
    """Returns the row with its match and its reader, and nothing else."""
    by_id, _ = _row_of(site.config.features)
    with pipeline(session) as connection:  # begins the transaction in the same round trip
        sent = by_id.send(connection, {"row": row_id})
    (values,) = sent.rows()
    number = len(aheads_of(site.config.features))
    ((row, match, *people),) = objects_of_join(session, (OutboxRow, Match, SeatRow, Player), [values[number + 1 :]])
    return Claimed(row, match, values[:number], values[number], tuple(people))


def has_begun(session: Session, row: OutboxRow) -> bool:
    """True if another mail than this one has told the reader of its seat that the match has begun."""
    ((begun,),) = _BEGAN.ask(session, {"match": row.match_id, "seat": row.seat, "row": row.id}).rows()
    return bool(begun)


def claim_and_read(site: Site, session: Reading, expected: Next) -> Claimed | None:
    """Claims the row that has been due longest, in one round trip with what its letter is made of; None if none is due.

    `expected` is what was next in line. The session is one of `Site.batches`.
    """
    now, features, around = site.now(), site.config.features, []
    _, noted = _row_of(features)
    with pipeline(session) as connection:
        taken = _TAKE_AND_NOTE.send(connection, _lease(now))
        if expected.with_board:
            around = [one.send(connection, {}) for one in (_PEOPLE, _ASKS, _HOLIDAYS, _FOLDS, _LATER)]
            around.append(_SAID.send(connection, {"after": 0, "most": talk.SHOWN}))
        unwanted = _SUPPRESSED.send(connection, {"digests": expected.digests})
        found = noted.send(connection, {})
        following = _NEXT.send(connection, {"now": now, "most": AHEAD})
    took = taken.rows()
    if not took:
        return None
    ((began, *values),) = found.rows()
    number = len(aheads_of(features))
    models = (OutboxRow, Match, SeatRow, Player, OrderRow)
    ((row, match, seat, player, orders),) = objects_of_join(session, models, [values[number + 1 :]])
    suppressed = None
    if player is not None and player.canonical is not None:
        digest = site.tokens.address_digest(player.canonical)
        suppressed = digest in {one for (one,) in unwanted.rows()} if digest in expected.digests else None
    whole = None
    if around and match is not None and [match.version, match.touched] == took[0][1:3]:
        *whole_rows, kept, later, said = around
        whole = Table(session, match)
        whole.keep_answers(*whole_rows)
        whole.keep_log(kept, later)
        whole.orders[seat.seat] = orders
    return Claimed(
        row, match, values[:number], values[number], (seat, player), whole,
        talk.oldest_first(said.rows()) if whole is not None else (), began, suppressed, _next(site, following.rows()),
    )  # fmt: skip
