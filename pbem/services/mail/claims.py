"""Claims the mail that has been due longest.

A claim is a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the lease expires.
On PostgreSQL the claim takes along what its letter is made of, in one batch, which is one transaction:

1. The UPDATE notes the row and its match, because the statements after it cannot know them (`note`). PostgreSQL cannot
   know them either when it plans, so it need not plan for the values of each mail: `plan_cache_mode`, in this batch.
2. The match's people, asks, holidays, folds, entries and messages; the suppressed addresses, if they are few. Their
   digests can be computed by this program alone, so where there are many, a statement asks for the reader's.
3. The row with its match, seat, player and orders. If the match has changed since the UPDATE, what was read between
   them need not belong together. Then the letter is made of what is read once more, like any without a board.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, literal_column, or_, select, update

from pbem.models.prepared import Prepared, Sent, batch, expression_to_note_value, objects_of_join, pipeline
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write_condition
from pbem.models.tables import Match, OrderRow, OutboxRow, Player, SeatRow, Suppression, table
from pbem.services import statements
from pbem.services.hooks import Ahead, hooks_of
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.log.store import Table
from pbem.services.site import Reading, Site
from pbem.services.views import talk

LEASE = timedelta(minutes=5)
FEW = 32
"""No more addresses than these are read with each claim to know whether its reader is suppressed."""

_t, _match, _seat, _player, _orders = (table(model) for model in (OutboxRow, Match, SeatRow, Player, OrderRow))
_other = table(OutboxRow).alias()
_now = bindparam("now", type_=_t.c.due_at.type)


def _due_conditions(outbox: Any) -> tuple[Any, ...]:
    """Returns the conditions under which a row of the outbox is due, and nobody holds it."""
    free = or_(outbox.c.claimed_until.is_(None), outbox.c.claimed_until < _now)
    return outbox.c.done_at.is_(None), outbox.c.due_at <= _now, free


_first = select(_t.c.id).where(*_due_conditions(_t)).order_by(_t.c.due_at, _t.c.id).limit(1)
_FIRST = Prepared(_first)
_another = select(_other.c.id).where(*_due_conditions(_other), _other.c.id != _t.c.id).limit(1).scalar_subquery()
_of_its_match = _match.c.id == _t.c.match_id
_taking = (
    update(_t)
    # Concurrent workers skip to the next row; on databases without this lock, the condition is enough.
    .where(
        _t.c.id == _first.with_for_update(skip_locked=True).scalar_subquery(),
        *_due_conditions(_t),
        may_write_condition(),
    )
    .values(claimed_until=bindparam("until", type_=_t.c.claimed_until.type), answer=None)
)
_TAKE = Prepared(_taking.returning(_t.c.id))
_versions = (select(_match.c[name]).where(_of_its_match).scalar_subquery() for name in ("version", "touched"))
_one_plan = func.set_config("plan_cache_mode", "force_generic_plan", literal_column("true"))
_noted = expression_to_note_value("row", _t.c.id), expression_to_note_value("match", _t.c.match_id), _one_plan
_TAKE_AND_NOTE = Prepared(_taking.returning(*_versions, _another, *_noted))
_of_row = (
    _t.outerjoin(_match, _of_its_match)
    .outerjoin(_seat, (_seat.c.match_id == _t.c.match_id) & (_seat.c.seat == _t.c.seat))
    .outerjoin(_player, _player.c.id == func.coalesce(_seat.c.player_id, _t.c.player_id))
)
_AROUND = [one.with_noted_values("match") for one in (
    statements.TABLE, statements.OPEN_ASKS, statements.HOLIDAYS, statements.EARLIER_FOLDS, statements.AFTER_EARLIER,
)]  # fmt: skip
_digest = table(Suppression).c.digest
_SOME_SUPPRESSED = Prepared(select(_digest).order_by(_digest).limit(FEW + 1))
_SAID = statements.SAID.with_noted_values("match")
_begun = select(_other.c.id).where(
    _other.c.match_id == _t.c.match_id, _other.c.seat == _t.c.seat, _other.c.result == "sent", _other.c.id != _t.c.id,
    or_(*(_other.c.kind == kind for kind in ("started", "turn", "reminder"))),
)  # fmt: skip


@dataclass(frozen=True)
class Claimed:
    """A claimed row, and what was read with it."""

    row: OutboxRow
    match: Match | None = None
    people: tuple[Any, ...] = ()
    """The seat and the player, whom the session forgets unless somebody keeps them."""
    aheads: tuple[Ahead, ...] = ()
    """What goes ahead of mails and is worth asking about this one."""
    has_begun: bool = False
    """Whether another mail has told the reader that the match has begun."""
    suppressed: frozenset[str] | None = None
    """The digests of all addresses that are suppressed, if they are few."""
    table: Table | None = None
    """The match with all that is around it; None if its letter is made of what is read once more."""
    said: Sequence[Sequence[Any]] = ()
    """With the table: the newest messages, newest first, as `statements.SAID` has them."""


def is_any_mail_due(site: Site) -> bool:
    """True if a mail is due."""
    with site.one_statement() as connection:
        return bool(_FIRST.send(connection, {"now": site.now()}).rows())


def claim_longest_due_mail(site: Site) -> int | None:
    """Claims the row that has been due longest and returns its id; None if nothing is due."""
    if site.engine.dialect.name == "sqlite":
        if not is_any_mail_due(site):  # most ticks find nothing: no write lock
            return None
        with site.writing() as work:
            return _claim_longest_due_row(work.connection(), site.now())
    with site.one_statement() as connection:  # a single statement needs no explicit transaction
        return _claim_longest_due_row(connection, site.now())


def _claim_longest_due_row(connection: Connection, now: datetime) -> int | None:
    found = _TAKE.send(connection, _lease_values(now)).rows()
    return int(found[0][0]) if found else None


def _lease_values(now: datetime) -> dict[str, Any]:
    return {"now": now, "until": now + LEASE, "schema": NEWEST_SCHEMA}


@cache
def _aheads_and_reading_statements(features: tuple[str, ...]) -> tuple[tuple[Ahead, ...], Prepared, Prepared]:
    """Returns what these features send ahead of mails, and the statements that read a claimed `row`, or a noted one."""
    ahead = tuple(one.ahead for one in hooks_of(features) if one.ahead is not None)
    asked = (_begun.exists(), *(one.condition(_seat) for one in ahead))
    joined = _of_row.outerjoin(_orders, (_orders.c.match_id == _t.c.match_id) & (_orders.c.seat == _t.c.seat))
    found = select(*asked, _t, _match, _seat, _player, _orders).select_from(joined)
    by_id = Prepared(found.where(_t.c.id == bindparam("row", type_=_t.c.id.type)))
    return ahead, by_id, by_id.with_noted_values("row")


def read_claimed_row(site: Site, session: Reading, row_id: int) -> Claimed:
    """Returns the row with its match and its reader, and nothing around them."""
    _, by_id, _ = _aheads_and_reading_statements(site.config.features)
    with pipeline(session) as connection:  # begins the transaction in the same round trip
        sent, suppressed = by_id.send(connection, {"row": row_id}), _SOME_SUPPRESSED.send(connection, {})
    return _row_and_orders(site, session, sent, suppressed)[0]


def _row_and_orders(site: Site, session: Reading, sent: Sent, suppressed: Sent) -> tuple[Claimed, Any]:
    """Returns what the row of `_aheads_and_reading_statements` says, and the orders of the seat."""
    aheads, _, _ = _aheads_and_reading_statements(site.config.features)
    begun, *rest = sent.rows()[0]
    models = (OutboxRow, Match, SeatRow, Player, OrderRow)
    ((row, match, *people, orders),) = objects_of_join(session, models, [rest[len(aheads) :]])
    worth = tuple(one for one, asked in zip(aheads, rest, strict=False) if asked)
    some = frozenset(digest for (digest,) in suppressed.rows())
    known = some if len(some) <= FEW else None
    return Claimed(row, match, tuple(people), worth, begun, known), orders


class Taken(NamedTuple):
    """A row that is claimed, and what was read with it, before anybody has looked at that."""

    row: int
    another: bool
    """Whether there was another one that is due."""
    read: Callable[[], Claimed]
    """Returns what was read; raises whatever is wrong with it."""


def claim_and_read(site: Site, session: Reading) -> Taken | None:
    """Claims the row that has been due longest, in one round trip with what its letter is made of; None if none is due.

    The session is on a connection of `Site.one_statement`, on PostgreSQL. If a statement fails, nothing is claimed.
    """
    with batch(session.connection()) as connection:
        taken = _TAKE_AND_NOTE.send(connection, _lease_values(site.now()))
        around = [one.send(connection, {}) for one in _AROUND]
        suppressed = _SOME_SUPPRESSED.send(connection, {})
        said = _SAID.send(connection, {"after": 0, "most": talk.SHOWN})
        found = _aheads_and_reading_statements(site.config.features)[2].send(connection, {})
    if not (took := taken.rows()):
        return None
    version, touched, another, row, *_ = took[0]

    def read() -> Claimed:
        claimed, orders = _row_and_orders(site, session, found, suppressed)
        match, kind = claimed.match, all_kinds_of_mail().get(claimed.row.kind)
        if match is None or kind is None or not kind.with_board:
            return claimed
        if (version, touched) != (match.version, match.touched):
            return claimed
        whole = Table(session, match)
        whole.keep_seats_asks_and_holidays(*around[:3])
        whole.keep_earlier_folds_and_log_end(*around[3:])
        if claimed.row.seat is not None:
            whole.orders[claimed.row.seat] = orders
        return replace(claimed, table=whole, said=said.rows())

    return Taken(int(row), another is not None, read)
