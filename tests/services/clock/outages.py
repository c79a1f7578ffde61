"""What tests of outages share."""

from datetime import datetime

from pbem.kit.replay import Extended
from tests.table import House, deadline_of


def deadlines(house: House, match_id: str) -> set[datetime]:
    """Returns the deadlines of the open questions."""
    return {deadline_of(ask) for ask in house.asked(match_id)}


def extensions(house: House, match_id: str) -> list[Extended]:
    """Returns the log's entries about moved deadlines."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [event for event in events if isinstance(event, Extended)]
