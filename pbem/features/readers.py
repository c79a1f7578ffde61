"""Who reads a replay: anyone who may watch, or the player who holds a link to a seat; each has own addresses."""

from typing import Any, cast

from pbem.kit.contract import Viewer
from pbem.services.views import seats
from pbem.web.protocol.language import speak
from pbem.web.protocol.page import claim_of, site


def reader_of(match_id: str | None, token: str | None) -> tuple[str, Viewer]:
    """Returns the match that an address names, and the seat of its link; None: anyone's. Speaks the seat's language."""
    if token is None:
        return cast(str, match_id), None
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    return seated.sheet.id, seated.seat


def words_of(match_id: str | None, token: str | None) -> dict[str, Any]:
    """Returns what stands in the reader's addresses."""
    return {"match_id": cast(str, match_id)} if token is None else {"token": token}
