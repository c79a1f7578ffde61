"""Silent windows of Allégeance, for tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import select

from pbem.models.tables import AskRow
from pbem.services.lobby.match_request import SILENT
from pbem.services.log import store
from pbem.services.play import timeouts
from pbem.services.play.moves import Receipt
from tests.table import House, submit_answer


def begin_silent(house: House, seats: int = 4, **wanted: Any) -> str:
    """Returns a match of Allégeance with silent windows, at its first window."""
    match_id = house.begin(seats, "allegeance", windows=SILENT, **wanted)
    play_to_window(house, match_id)
    return match_id


def play_to_window(house: House, match_id: str) -> None:
    """Plays what is asked outside windows, each time the first legal move, until a window is open."""
    while house.asks(match_id)[0].kind != "answer":
        house.play(match_id, house.asks(match_id)[0].seat)


def rows_of(house: House, match_id: str) -> list[AskRow]:
    """Returns the rows of all questions of windows so far, the newest window last, each in seat order."""
    with house.site.reading() as session:
        asked = select(AskRow).where(AskRow.match_id == match_id, AskRow.kind == "answer")
        return sorted(session.exec(asked), key=lambda row: (row.opened_n, row.seat))


def floor_of(house: House, match_id: str) -> datetime:
    """Returns the floor of the open window."""
    with house.site.reading() as session:
        (floor,) = {row.floor_at for row in store.open_asks(session, match_id)}
    assert floor is not None
    return floor


def pass_floor(house: House, match_id: str) -> None:
    """Moves the clock to when the open window may close next, lets the sweep pass, and then orders answer."""
    with house.site.reading() as session:
        moments = [row.closes_at for row in store.open_asks(session, match_id) if row.closes_at is not None]
    house.clock.at = max(house.clock.at, *moments, floor_of(house, match_id))
    timeouts.sweep_deadlines(house.site)
    house.follow_orders()


def answer_window(house: House, match_id: str, seat: int, *, challenge: bool = False) -> Receipt:
    """Answers the open window for this seat."""
    view = house.view(match_id, seat)
    assert view.ask is not None
    return submit_answer(house.site, match_id, seat, view.ask.key, view.legal()[0 if challenge else 1], "api")


def answers_told(house: House, match_id: str, after: int = 0) -> list[tuple[str, int | None]]:
    """Returns the entries after this number as a spectator sees them: what happened, and to which seat."""
    entries = house.view(match_id, None).entries
    return [(type(one.event).__name__, getattr(one.event, "seat", None)) for one in entries if one.n > after]
