"""The statements of every move and every mail, built once: to build them anew took as long as to send them."""

from functools import cache
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel, col

from pbem.models.tables import AskRow, EntryRow, Match, Player, SeatRow, Vacation, table

_entries, _matches, _asks = table(EntryRow), table(Match), table(AskRow)
_seats, _players = table(SeatRow), table(Player)

CALLER = (
    select(_seats.c.epoch, _matches.c.game, _players.c.language)
    .join(_matches, _matches.c.id == _seats.c.match_id)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .where(_seats.c.match_id == bindparam("match"), _seats.c.seat == bindparam("seat"))
)
"""`match`, `seat` → whose token is to be compared with what, and what is played."""

LOG = (
    select(_entries.c.n, _entries.c.at, _entries.c.by, _entries.c.key, _entries.c.event)
    .where(_entries.c.match_id == bindparam("match"), _entries.c.n > bindparam("after"))
    .order_by(_entries.c.n)
)
"""`match`, `after` → the entries after this one."""

SEATS = select(SeatRow).where(col(SeatRow.match_id) == bindparam("match")).order_by(col(SeatRow.seat))
"""`match` → its seats in seat order."""

OPEN_ASKS = (
    select(AskRow)
    .where(col(AskRow.match_id) == bindparam("match"), col(AskRow.closed_at).is_(None))
    .order_by(col(AskRow.seat))
)
"""`match` → its open questions in seat order."""

VACATIONS = select(Vacation).where(col(Vacation.player_id) == bindparam("player")).order_by(col(Vacation.first))
"""`player` → his holidays in order."""

WRITE_ENTRIES = insert(_entries)

MOVE_ON = (
    update(_matches)
    .where(_matches.c.id == bindparam("match"), _matches.c.version == bindparam("from_n"))
    .values(version=bindparam("to_n"))
)
"""`match`, `from_n`, `to_n`: no row where the match is elsewhere."""

OPEN_ASK = insert(_asks)

CLOSE_ASK = (
    update(_asks)
    .where(_asks.c.match_id == bindparam("at_match"), _asks.c.key == bindparam("at_key"))
    .where(_asks.c.seat == bindparam("at_seat"), _asks.c.closed_at.is_(None))
    .values({name: bindparam(name) for name in ("closed_at", "closed_by", "answer", "first_n", "last_n")})
)
"""`at_match`, `at_key`, `at_seat`, and how it was closed."""


@cache
def insertion(dialect: str, model: type[SQLModel]) -> Any:
    """The statement that inserts a row unless its key is there."""
    made = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return made(table(model)).on_conflict_do_nothing()
