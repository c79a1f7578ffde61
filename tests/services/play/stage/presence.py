"""Seats whose players sleep, and what they are told."""

from collections.abc import Callable

from pbem.kit.replay import TableEvent
from pbem.models.tables import SeatRow
from pbem.services.play import timeouts
from tests.table import House


def entries_of_table(house: House, match_id: str) -> list[TableEvent]:
    """Returns the table's own entries in the log."""
    entries = house.view(match_id, None).entries
    return [entry.event for entry in entries if isinstance(entry.event, TableEvent)]


def seat_of(house: House, match_id: str, seat: int) -> SeatRow:
    """Returns the seat's row."""
    with house.site.reading() as session:
        row = session.get_one(SeatRow, (match_id, seat))
        session.expunge(row)
        return row


def miss_turns(
    house: House, match_id: str, seat: int, turns: int = 2, until: Callable[[], bool] = lambda: False
) -> None:
    """Plays for everybody except this seat, which misses this many turns."""
    missed = 0
    while missed < turns and not until():
        asks = house.asks(match_id)
        others = [ask for ask in asks if ask.seat != seat]
        if others:
            house.play(match_id, others[0].seat)
            continue
        house.time_is_up(match_id)
        assert timeouts.sweep_deadlines(house.site) > 0
        missed += 1
