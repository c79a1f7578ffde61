"""What surrounds a match: its seats and players, its open asks, and the players' holidays."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session, col, select

from pbem.models.prepared import OneOf, Prepared, joined_objects, objects, pipeline
from pbem.models.tables import AskRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.site import Reading


@dataclass(frozen=True)
class MatchBundle:
    """A match's seats in order, each with its player, the open asks in the same order, and the holidays."""

    people: Sequence[tuple[SeatRow, Player | None]]
    asks: Sequence[AskRow]
    holidays: Sequence[Any]


def send_bundle(session: Reading, connection: Connection, match_id: str) -> Callable[[], MatchBundle]:
    """Sends the queries for a match's bundle; call the returned function to read it after the `pipeline` block."""
    known = {"match": match_id}
    people, asks = statements.TABLE.send(connection, known), statements.OPEN_ASKS.send(connection, known)
    holidays = statements.HOLIDAYS.send(connection, known)

    def read() -> MatchBundle:
        session.people = sitting = joined_objects(session, (SeatRow, Player), people.rows())
        return MatchBundle(sitting, objects(session, AskRow, asks.rows()), holidays.rows())

    return read


_seats, _players, _asks = table(SeatRow), table(Player), table(AskRow)
_of_these = OneOf(_seats.c.match_id, "matches")
_PEOPLE = Prepared(
    select(_seats, _players)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .where(_of_these)
    .order_by(_seats.c.seat)
)
_ASKS = Prepared(
    select(_asks).where(OneOf(_asks.c.match_id, "matches"), _asks.c.closed_at.is_(None)).order_by(_asks.c.seat)
)
_AWAY = Prepared(statements.ANNOUNCED.add_columns(_seats.c.match_id).where(_of_these))


def bundles(session: Reading, match_ids: Collection[str]) -> dict[str, MatchBundle]:
    """Returns the bundles of these matches, in three queries and one round trip however many they are."""
    these = {"matches": [*match_ids]}
    with pipeline(session) as connection:
        people, asks, away = (one.send(connection, these) for one in (_PEOPLE, _ASKS, _AWAY))
    session.people = sitting = joined_objects(session, (SeatRow, Player), people.rows())
    of_seat = _by_match((seat.match_id, (seat, player)) for seat, player in sitting)
    of_ask = _by_match((ask.match_id, ask) for ask in objects(session, AskRow, asks.rows()))
    of_day = _by_match((at, (seat, first, last)) for seat, first, last, at in away.rows())
    return {match_id: MatchBundle(of_seat[match_id], of_ask[match_id], of_day[match_id]) for match_id in match_ids}


def seats_of(session: Session, match_ids: Collection[str]) -> dict[str, list[SeatRow]]:
    """Returns the seats of these matches in order."""
    seats = select(SeatRow).where(col(SeatRow.match_id).in_(match_ids)).order_by(col(SeatRow.seat))
    return _by_match((seat.match_id, seat) for seat in session.exec(seats))


def _by_match(found: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    sorted_out: dict[str, list[Any]] = defaultdict(list)
    for match_id, one in found:
        sorted_out[match_id].append(one)
    return sorted_out
