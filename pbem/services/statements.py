"""The statements of every move, mail and page, compiled once."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, func, insert, or_, select, text, tuple_, update
from sqlmodel import Session, SQLModel

from pbem.models import tables
from pbem.models.at_once import AtOnce
from pbem.models.clocks import Vacation
from pbem.models.prepared import UNMET, Prepared, insert_function_of_dialect
from pbem.models.results import ArchiveRow
from pbem.models.tables import table

_entries, _matches, _asks = table(tables.EntryRow), table(tables.Match), table(tables.AskRow)
_seats, _players, _vacations = table(tables.SeatRow), table(tables.Player), table(Vacation)
_archives = table(ArchiveRow)
_folds, _messages = table(tables.FoldRow), table(tables.MessageRow)
_notes, _orders = table(tables.NoteRow), table(tables.OrderRow)


def query_of_distinct_values(column: Any, *which: Any) -> Any:
    """Returns the query for each value of a column in the rows that meet the conditions, once.

    It takes a step for each value, where an index of these rows begins with the column, and not one for each row.
    """
    first = select(func.min(column).label("value")).where(*which).cte("found", recursive=True)
    following = select(func.min(column)).where(*which, column > first.c.value).scalar_subquery()
    found = first.union_all(select(following).where(first.c.value.is_not(None)))
    return select(found.c.value).where(found.c.value.is_not(None))


# --- reading -------------------------------------------------------------------------------------------------

LOCK = Prepared(
    select(_matches)
    .where(_matches.c.id == bindparam("match"))
    .with_for_update(key_share=True)
    .suffix_with("/* FOR NO KEY UPDATE */", dialect="sqlite")
)
"""`match` → the match, locked until the transaction ends; rows that point to it may be written meanwhile."""

HOLD = Prepared(
    select(_players.c.id)
    .where(_players.c.id == bindparam("player"))
    .with_for_update(read=True, key_share=True)
    .suffix_with("/* FOR KEY SHARE */", dialect="sqlite")
)
"""`player` → the same id: rows may point to the player until the transaction ends."""

MATCH = Prepared(select(_matches).where(_matches.c.id == bindparam("match")))
"""`match` → the match."""

SEATS = Prepared(select(_seats).where(_seats.c.match_id == bindparam("match")).order_by(_seats.c.seat))
"""`match` → its seats in order."""

TABLE = Prepared(
    select(_seats, _players)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .where(_seats.c.match_id == bindparam("match"))
    .order_by(_seats.c.seat)
)
"""`match` → its seats in order, each with its player."""

ASK = Prepared(
    select(_asks).where(
        _asks.c.match_id == bindparam("match"), _asks.c.key == bindparam("key"), _asks.c.seat == bindparam("seat")
    )
)
"""`match`, `key`, `seat` → the ask, open or closed."""

ASKED = Prepared(
    select(_seats, _players, _asks, _orders)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .join(
        _asks,
        (_asks.c.match_id == _seats.c.match_id)
        & (_asks.c.seat == _seats.c.seat)
        & (_asks.c.key == bindparam("key"))
        & (_seats.c.seat == bindparam("seat")),
        isouter=True,
    )
    .join(
        _orders,
        (_orders.c.match_id == _seats.c.match_id)
        & (_orders.c.seat == _seats.c.seat)
        & (_seats.c.seat == bindparam("seat")),
        isouter=True,
    )
    .where(_seats.c.match_id == bindparam("match"))
    .order_by(_seats.c.seat)
)
"""`match`, `key`, `seat` → the seats as in `TABLE`, and beside this one its ask with this key, and its orders."""

OPEN_ASKS = Prepared(
    select(_asks).where(_asks.c.match_id == bindparam("match"), _asks.c.closed_at.is_(None)).order_by(_asks.c.seat)
)
"""`match` → its open asks in seat order."""

VACATIONS = Prepared(
    select(_vacations.c.first, _vacations.c.last)
    .where(_vacations.c.player_id == bindparam("player"))
    .order_by(_vacations.c.first)
)
"""`player` → the first and last days of their holidays, in order."""

ANNOUNCED = (
    select(_seats.c.seat, _vacations.c.first, _vacations.c.last)
    .join(_seats, _seats.c.player_id == _vacations.c.player_id)
    .where(_seats.c.status == "accepted", _seats.c.bot.is_(None))
    .order_by(_vacations.c.first)
)
"""The first and last days of the holidays of all seated players, in order.

Players who are only invited are left out, so that entering an address reveals nothing about its owner.
"""

HOLIDAYS = Prepared(ANNOUNCED.where(_seats.c.match_id == bindparam("match")))
"""`match` → the holidays of its seated players."""

SITTING = Prepared(
    select(_seats.c.status, _seats.c.player_id).where(
        _seats.c.match_id == bindparam("match"), _seats.c.seat == bindparam("seat")
    )
)
"""`match`, `seat` → its status and its player."""

_newest = (
    select(_messages.c.id, _messages.c.seat, _messages.c.at, _messages.c.text)
    .where(_messages.c.match_id == bindparam("match"))
    .order_by(_messages.c.id.desc())
    .limit(bindparam("most"))
)
SAID = Prepared(_newest.where(_messages.c.id > bindparam("after")))
"""`match`, `after`, `most` → the newest messages, newest first."""

SAID_SINCE = Prepared(_newest.where(_messages.c.at > bindparam("since")))
"""`match`, `since`, `most` → the newest messages after this moment, newest first."""

NOTE = Prepared(
    select(_notes.c.text).where(_notes.c.match_id == bindparam("match"), _notes.c.seat == bindparam("seat"))
)
"""`match`, `seat` → its note."""

ORDERS = Prepared(
    select(_orders.c.body, _orders.c.news).where(
        _orders.c.match_id == bindparam("match"), _orders.c.seat == bindparam("seat")
    )
)
"""`match`, `seat` → its orders, and what they have to tell, as JSON."""

CALLER = Prepared(
    select(_seats.c.epoch, _players.c.language)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .where(_seats.c.match_id == bindparam("match"), _seats.c.seat == bindparam("seat"))
)
"""`match`, `seat` → the epoch that its links must carry, and its player's language."""

_log = (
    select(_entries.c.n, _entries.c.at, _entries.c.by, _entries.c.key, _entries.c.event)
    .where(_entries.c.match_id == bindparam("match"))
    .order_by(_entries.c.n)
)
LOG = Prepared(_log.where(_entries.c.n > bindparam("after")))
"""`match`, `after` → the entries with n > after."""

_of_match = _folds.c.match_id == bindparam("match")
FOLDS = Prepared(select(_folds.c.n, _folds.c.body).where(_of_match).order_by(_folds.c.n))
"""`match` → all folds of it that are kept."""

_kept = select(_folds.c.n, _folds.c.body).where(_of_match).limit(1)
EARLIER_FOLDS = Prepared(_kept.order_by(_folds.c.n))
LATEST_FOLDS = Prepared(_kept.order_by(_folds.c.n.desc()))
"""`match` → the earlier, or the later, of the two folds that are kept."""

_earlier = select(func.min(_folds.c.n)).where(_of_match).scalar_subquery()
_latest = select(func.max(_folds.c.n)).where(_of_match).scalar_subquery()
AFTER_EARLIER = Prepared(_log.where(_entries.c.n > func.coalesce(_earlier, 0)))
"""`match` → the entries after the earlier of its kept folds; all if there are none."""

AFTER_LATEST = Prepared(_log.where(_entries.c.n > func.coalesce(_latest, 0)))
"""`match` → the entries after its latest kept folds; all if there are none."""

SEALS = Prepared(
    select(_entries.c.n, _entries.c.sealed, _entries.c.head)
    .where(
        _entries.c.match_id == bindparam("match"), _entries.c.n > bindparam("after"), _entries.c.n <= bindparam("last")
    )
    .order_by(_entries.c.n)
)
"""`match`, `after`, `last` → number, seals and head of the entries with n > after, up to the last."""

ARCHIVE = Prepared(select(_archives.c.form, _archives.c.packed).where(_archives.c.match_id == bindparam("match")))
"""`match` → the form and the bytes of its archive."""

# --- writing -------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """A statement that writes, its values, and whether it is an error if it changes no row."""

    statement: Prepared
    values: dict[str, Any]
    must: bool = False


LOGGED = ("match_id", "n", "at", "by", "key", "event", "sealed", "head")
ENTRY = Prepared(insert(_entries), LOGGED)

MOVE_ON = Prepared(
    update(_matches)
    .where(_matches.c.id == bindparam("match"), _matches.c.version == bindparam("from_n"))
    .values(version=bindparam("to_n"), head=bindparam("to_head"))
)
"""`match`, `from_n`, `to_n`, `to_head`: changes no row if the match is at another version."""

OPENED = (
    "match_id", "key", "seat", "turn", "kind", "origin", "bot", "opened_at", "opened_n", "deadline", "allowed_s",
    "mailed_at", "acts_at", "runs_out", "remind_at", "vote_since", "floor_at", "follow_at",
)  # fmt: skip
OPEN_ASK = Prepared(insert(_asks), OPENED)

GOES_ON = ("deadline", "allowed_s", "mailed_at", "acts_at", "runs_out", "remind_at", "vote_since")
_given = [_asks.c[name] if name in GOES_ON else bindparam(name, type_=_asks.c[name].type) for name in OPENED]
CONTINUE_ASK = Prepared(
    insert(_asks).from_select(
        OPENED,
        select(*_given).where(
            _asks.c.match_id == bindparam("match_id"),
            _asks.c.key == bindparam("after"),
            _asks.c.seat == bindparam("seat"),
        ),
    )
)
"""Opens an ask with the time of the seat's ask `after`, as it stands: the mail about it may be leaving just now."""

_at_ask = (
    _asks.c.match_id == bindparam("at_match"), _asks.c.key == bindparam("at_key"), _asks.c.seat == bindparam("at_seat")
)  # fmt: skip
_closing: dict[str, Any] = {
    name: bindparam(name) for name in ("closed_at", "closed_by", "answer", "first_n", "last_n", "drew", "told")
}
CLOSE_ASK = Prepared(update(_asks).where(*_at_ask, _asks.c.closed_at.is_(None)).values(_closing))
"""`at_match`, `at_key`, `at_seat`, and how it was closed."""

SEEN = Prepared(
    update(_seats)
    .where(_seats.c.match_id == bindparam("at_match"), _seats.c.seat == bindparam("at_seat"))
    .where(_seats.c.epoch == bindparam("at_epoch"))
    .where(or_(_seats.c.seen.is_(None), _seats.c.seen < bindparam("upto")))
    .values(seen=bindparam("upto"))
)
"""`at_match`, `at_seat`, `at_epoch`, `upto`: up to which entry the seat's owner has seen what happened, if farther."""

LOOK_AGAIN = Prepared(
    update(_asks)
    .where(_asks.c.match_id == bindparam("at_match"), _asks.c.seat == bindparam("at_seat"))
    .where(_asks.c.closed_at.is_(None), _asks.c.floor_at.is_not(None))
    .values(closes_at=bindparam("at"))
)
"""`at_match`, `at_seat`, `at`: when the sweep looks whether the silent window closes to which this question belongs."""

FOLLOW_AGAIN = Prepared(
    update(_asks)
    .where(_asks.c.match_id == bindparam("at_match"), _asks.c.kind == bindparam("at_kind"))
    .where(_asks.c.closed_at.is_(None), _asks.c.bot.is_(None), _asks.c.floor_at.is_(None))
    .values(follow_at=bindparam("at"))
)
"""`at_match`, `at_kind`, `at`: when the sweep looks again whether orders answer these open questions."""


@cache
def insert_unless_exists_statement(dialect: str, model: type[SQLModel]) -> Any:
    """Returns the statement that inserts a row unless its key exists."""
    return insert_function_of_dialect(dialect)(table(model)).on_conflict_do_nothing()


MAILED = ("dedupe", "kind", "match_id", "seat", "player_id", "key", "created_at", "due_at", "attempts")
MAIL = Prepared(lambda dialect: insert_unless_exists_statement(dialect, tables.OutboxRow).inline(), MAILED)
"""A mail into the outbox, unless there is one with its key."""


# Of a move from kept rows (`log.one_batch`), on PostgreSQL: what the second sees was committed before the first had the
# lock. They are written as SQL, since each would else be a module of expressions; psycopg knows their types.


def _sql_end_that_fails_if_unchanged(change: str) -> str:
    """Returns the end of a statement that fails unless there is a row of this change: UNMET is no number."""
    return f"SELECT CAST(CASE count(*) WHEN 0 THEN '{UNMET}' ELSE '1' END AS integer) FROM {change}"  # noqa: S608


GUARD = Prepared(
    text(
        f"""
WITH floor AS MATERIALIZED (SELECT 1 FROM schema_floor WHERE revision <= :schema),
changed AS (
    UPDATE matches SET version = :to_n, head = :to_head
    WHERE id = :match AND version = :from_n AND matches.touched = :touched AND EXISTS (SELECT FROM floor)
    RETURNING 1
)
{_sql_end_that_fails_if_unchanged("changed")}"""  # noqa: S608
    )
)
"""The same as `MOVE_ON`, with `touched` and `schema`: unmet if the match was written to since, or may not be by this
program. Of the tables that it locks, the floor's is the first, as for every transaction that writes."""


def _sql_list_of_columns(names: Sequence[str], of: str) -> str:
    return ", ".join(f"{of}.{name}" for name in names)


_asked = ", ".join(
    f"CASE WHEN former.key IS NULL THEN asked.{name} ELSE former.{name} END" if name in GOES_ON else f"asked.{name}"
    for name in OPENED
)
MOVE = Prepared(
    text(
        f"""
WITH answered AS (
    UPDATE asks SET closed_at = :closed_at, closed_by = :closed_by, answer = :answer, first_n = :first_n,
        last_n = :last_n, drew = :drew, told = :told
    WHERE match_id = :at_match AND key = :at_key AND seat = :at_seat
        AND closed_at IS NULL AND vote_since IS NULL AND floor_at IS NULL
        AND EXISTS (SELECT FROM seats
            WHERE match_id = :at_match AND seat = :at_seat AND epoch = :at_epoch AND misses = 0)
        AND NOT EXISTS (SELECT FROM orders WHERE match_id = :at_match AND seat = :at_seat)
    RETURNING 1
), seen AS (
    UPDATE seats SET seen = :upto WHERE match_id = :at_match AND seat = :at_seat AND coalesce(seen, 0) < :upto
), written AS (
    INSERT INTO entries ({", ".join(LOGGED)}) SELECT {_sql_list_of_columns(LOGGED, "given")}
    FROM json_populate_recordset(CAST(NULL AS entries), :entries) AS given
), opened AS (
    INSERT INTO asks ({", ".join(OPENED)}) SELECT {_asked}
    FROM json_populate_recordset(CAST(NULL AS asks), :asks) AS asked
    LEFT JOIN asks AS former
        ON former.match_id = :at_match AND former.key = :former AND former.seat = asked.seat
), mailed AS (
    INSERT INTO outbox ({", ".join(MAILED)}) SELECT {_sql_list_of_columns(MAILED, "mail")}
    FROM json_populate_recordset(CAST(NULL AS outbox), :mails) AS mail ON CONFLICT DO NOTHING
)
{_sql_end_that_fails_if_unchanged("answered")}"""  # noqa: S608
    )
)
"""Closes the ask as `CLOSE_ASK` does: unmet unless it is open, no vote is on it, and its seat has the epoch `at_epoch`,
no misses and no orders. Writes the rows in the JSON of `entries`, `asks` and `mails`, and marks what happened until
`upto` as seen. An ask to the seat of `former`, if that is the key of an ask,
goes on with its time, as it stands: the mail about it may be leaving just now."""

FROM_KEPT = AtOnce(GUARD, MOVE)
"""A move from kept rows: the values of `GUARD`, and those of `MOVE`."""


def _upsert_folds(dialect: str) -> Any:
    made: Any = insert_function_of_dialect(dialect)(_folds)
    return made.on_conflict_do_update(index_elements=["match_id", "n"], set_={"body": made.excluded.body})


KEEP_FOLDS = Prepared(_upsert_folds, ("match_id", "n", "body"))
"""Folds of a match in place of those after the same entry."""

_former = _folds.alias()
_of_kept = _former.c.match_id == bindparam("of_match"), _former.c.n < bindparam("kept_n")
FORGET_FOLDS = Prepared(
    delete(_folds).where(
        _folds.c.match_id == bindparam("of_match"),
        _folds.c.n < select(func.max(_former.c.n)).where(*_of_kept).scalar_subquery(),
    )
)
"""`of_match`, `kept_n`: deletes the folds of a match before the last ones before entry `kept_n`."""

# --- retention -----------------------------------------------------------------------------------------------

ForgetOld = Callable[[Session, datetime, int], int]
"""Deletes up to this many rows that are past their retention period now; returns the number deleted."""


def sweep_of_table(model: type[SQLModel], is_old: Callable[[Any, datetime], Any]) -> ForgetOld:
    """Returns what deletes the rows of a table that meet this condition on its columns at a moment.

    Where SQLite would use the id of the newest row again, that row must stay: see
    `retention.sweep_of_old_rows_but_newest`.
    """
    t = table(model)

    def forget(session: Session, now: datetime, most: int) -> int:
        old = select(*t.primary_key).where(is_old(t.c, now)).limit(most)
        return int(session.connection().execute(delete(t).where(tuple_(*t.primary_key).in_(old))).rowcount)

    return forget
