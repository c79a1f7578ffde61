"""Open questions with their deadlines, and what has moved those."""

from datetime import datetime

from pbem.kit.replay import Extended
from pbem.models.tables import AskRow
from pbem.services.log import store
from tests.table import House, deadline_of


def open_ask_of_seat(house: House, match_id: str, seat: int) -> AskRow:
    """Returns the open question to the seat, with its clock."""
    with house.site.reading() as session:
        found = next(ask for ask in store.open_asks(session, match_id) if ask.seat == seat)
        session.expunge(found)
        return found


def deadlines(house: House, match_id: str) -> set[datetime]:
    """Returns the deadlines of the open questions."""
    return {deadline_of(ask) for ask in house.asks(match_id)}


def extensions_in_log(house: House, match_id: str) -> list[Extended]:
    """Returns the log's entries about moved deadlines."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [event for event in events if isinstance(event, Extended)]
