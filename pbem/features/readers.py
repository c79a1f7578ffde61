"""Who reads a replay: anyone who may watch, or the player who holds a link to a seat; each has own addresses."""

from typing import Any, cast

from pbem.kit.contract import Viewer
from pbem.web.protocol.page import seat_of_link


def match_and_reader(match_id: str | None, token: str | None) -> tuple[str, Viewer]:
    """Returns the match that an address names, and the seat of its link; None for the seat if anyone may open it.

    With a link it sets the page's language to that of the seat's player.
    """
    if token is None:
        return cast(str, match_id), None
    seated = seat_of_link(token)
    return seated.sheet.id, seated.seat


def address_words(match_id: str | None, token: str | None) -> dict[str, Any]:
    """Returns what stands in the reader's addresses."""
    return {"match_id": cast(str, match_id)} if token is None else {"token": token}
