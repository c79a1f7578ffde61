"""What tests of clock start share."""

from pbem.models.tables import AskRow
from pbem.services.log import store
from tests.table import House


def row(house: House, match_id: str, seat: int) -> AskRow:
    """Returns the open question to the seat, with its clock."""
    with house.site.reading() as session:
        found = next(ask for ask in store.open_asks(session, match_id) if ask.seat == seat)
        session.expunge(found)
        return found
