"""Who and what is around a match: who sits there, what is asked, who is on holiday."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session, col, select

from pbem.models.prepared import joined, objects
from pbem.models.tables import AskRow, Player, SeatRow
from pbem.services import statements

AT_HAND = "at_hand"
"""Where a session holds the people of its match: what nobody holds it forgets, and would read again by its key."""


@dataclass(frozen=True)
class Around:
    """A match's seats in order, each beside who sits there, its open questions in that order, and the holidays."""

    people: Sequence[tuple[SeatRow, Player | None]]
    asks: Sequence[AskRow]
    holidays: Sequence[Any]


def send_around(session: Session, connection: Connection, match_id: str) -> Callable[[], Around]:
    """Asks for it; it is read later, when all that is sent `together` has been answered."""
    known = {"match": match_id}
    people, asks = statements.TABLE.send(connection, known), statements.OPEN_ASKS.send(connection, known)
    holidays = statements.HOLIDAYS.send(connection, known)

    def read() -> Around:
        session.info[AT_HAND] = sitting = joined(session, (SeatRow, Player), people.rows())
        return Around(sitting, objects(session, AskRow, asks.rows()), holidays.rows())

    return read


def around_each(session: Session, match_ids: Sequence[str]) -> dict[str, Around]:
    """What is around each of these matches, however many there are, at the cost of one."""
    if not match_ids:
        return {}
    match_id, seat = col(SeatRow.match_id), col(SeatRow.seat)
    sitting = select(SeatRow, Player).join(Player, col(Player.id) == col(SeatRow.player_id), isouter=True)
    people = session.exec(sitting.where(match_id.in_(match_ids)).order_by(match_id, seat))
    of_seat = _by_match((row.match_id, (row, player)) for row, player in people)
    open_ones = select(AskRow).where(col(AskRow.match_id).in_(match_ids), col(AskRow.closed_at).is_(None))
    of_ask = _by_match((row.match_id, row) for row in session.exec(open_ones.order_by(col(AskRow.seat))))
    away = session.execute(statements.ANNOUNCED.add_columns(match_id).where(match_id.in_(match_ids)))
    of_day = _by_match((at, (number, first, last)) for number, first, last, at in away)
    return {known: Around(of_seat[known], of_ask[known], of_day[known]) for known in match_ids}


def _by_match(found: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    sorted_out: dict[str, list[Any]] = defaultdict(list)
    for match_id, one in found:
        sorted_out[match_id].append(one)
    return sorted_out
