"""What tests of substitutes share."""

from __future__ import annotations

from pbem.models.tables import SeatRow
from tests.web.cast import Web
from tests.web.lobby.start import READER

CHARLIE = {"name": "Charlie", "address": "charlie@example.org", **READER}


def seat_link(web: Web, match_id: str, seat: int = 1) -> str:
    """Returns the current path of the seat's page."""
    with web.site.reading() as session:
        epoch = session.get_one(SeatRow, (match_id, seat)).epoch
    return web.link("play", match_id, seat, epoch)
