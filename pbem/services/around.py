"""Who and what is around a match: who sits there, what is asked, who is on holiday."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session

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
