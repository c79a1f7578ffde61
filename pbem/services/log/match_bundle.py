"""What surrounds a match: its seats and players, its open asks, and the players' holidays."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session

from pbem.models.prepared import joined, objects, together
from pbem.models.tables import AskRow, Match, Player, SeatRow
from pbem.services import statements
from pbem.services.statements import Listed
from pbem.services.work import Reading


@dataclass(frozen=True)
class MatchBundle:
    """A match's seats in order, each with its player, the open asks in the same order, and the holidays."""

    people: Sequence[tuple[SeatRow, Player | None]]
    asks: Sequence[AskRow]
    holidays: Sequence[Any]


def send_bundle(session: Reading, connection: Connection, match_id: str) -> Callable[[], MatchBundle]:
    """Sends the queries for a match's bundle; call the returned function to read it after the `together` block."""
    known = {"match": match_id}
    people, asks = statements.TABLE.send(connection, known), statements.OPEN_ASKS.send(connection, known)
    holidays = statements.HOLIDAYS.send(connection, known)

    def read() -> MatchBundle:
        session.people = sitting = joined(session, (SeatRow, Player), people.rows())
        return MatchBundle(sitting, objects(session, AskRow, asks.rows()), holidays.rows())

    return read


def listed(
    session: Session, wanted: Listed, player_id: int | None, most: int
) -> list[tuple[SeatRow, Match, MatchBundle]]:
    """Returns the player's seats, each with its match and bundle, in a fixed number of queries."""
    his = {"player": player_id, "most": most}
    with together(session) as connection:
        mine, people, asks, away = (statement.send(connection, his) for statement in wanted)
    sitting = joined(session, (SeatRow, Player), people.rows())
    of_seat = _by_match((row.match_id, (row, player)) for row, player in sitting)
    of_ask = _by_match((row.match_id, row) for row in objects(session, AskRow, asks.rows()))
    of_day = _by_match((at, (number, first, last)) for number, first, last, at in away.rows())
    return [
        (seat, match, MatchBundle(of_seat[match.id], of_ask[match.id], of_day[match.id]))
        for seat, match in joined(session, (SeatRow, Match), mine.rows())
    ]


def _by_match(found: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    sorted_out: dict[str, list[Any]] = defaultdict(list)
    for match_id, one in found:
        sorted_out[match_id].append(one)
    return sorted_out
