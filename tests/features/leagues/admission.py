"""A season of a circle, and players who leave it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pbem.features.circles import founding as circles
from pbem.features.circles import joining
from pbem.features.circles import sheets as circle_sheets
from pbem.features.circles.claims import CircleClaim
from pbem.features.leagues import founding
from tests.features.leagues.stage import enter_all, id_of_player
from tests.table import FOUR, House


def circle_season(house: House, **terms: Any) -> tuple[founding.Founded, str]:
    """Returns the season of a circle which all four members have entered, and the circle's id."""
    alice = id_of_player(house, "Alice")
    circle_id = circles.found_circle(house.site, alice, "Friends", "Alice")
    for name in FOUR[1:]:
        joining.join_signed_in(house.site, CircleClaim(circle_id, 0), id_of_player(house, name), name)
    terms = {"matches": 1, "seats": 2, **terms}
    made = founding.found_league(
        house.site, alice, "Ours", "allegeance", terms, house.clock() + timedelta(days=7), circle_id=circle_id
    )
    enter_all(house, made.season_id, *FOUR)
    return made, circle_id


def leave_circle(house: House, circle_id: str, name: str) -> None:
    joining.leave_circle(house.site, circle_sheets.claim_of_player(house.site, id_of_player(house, name), circle_id))
