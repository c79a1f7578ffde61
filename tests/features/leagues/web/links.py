"""A season, and the links in its mails."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from pbem.features.circles import founding as circles
from pbem.features.circles import joining
from pbem.features.circles.claims import CircleClaim
from pbem.features.leagues import claims, founding
from tests.features.leagues.stage import enter_all, entrants_by_name, id_of_player
from tests.table import FOUR, House, MovedClock, Outgoing, address_of
from tests.web.cast import Web

WEEK = timedelta(days=7)
TERMS = {"matches": 1, "seats": 2, "division_size": 4}


@pytest.fixture
def house(web: Web, clock: MovedClock, undrawn_boards: None) -> House:
    """The same site, with its outgoing mail."""
    return House(web.site, clock, Outgoing(), [])


def season_of_alice(house: House, *, of_circle: bool, **terms: Any) -> founding.Founded:
    """Returns a season that Alice organises and four have entered, of a league of theirs alone or of one for all."""
    alice, circle_id = id_of_player(house, "Alice"), None
    if of_circle:
        circle_id = circles.found_circle(house.site, alice, "Friends", "Alice")
        for name in FOUR[1:]:
            joining.join_signed_in(house.site, CircleClaim(circle_id, 0), id_of_player(house, name), name)
    begins = house.clock() + WEEK
    made = founding.found_league(
        house.site, alice, "Ours", "allegeance", TERMS | terms, begins, circle_id=circle_id
    )  # fmt: skip
    enter_all(house, made.season_id, *FOUR)
    return made


def link_of(house: House, season_id: str, name: str) -> str:
    """Returns the path of the link that the mails to this entrant have."""
    number = entrants_by_name(house, season_id)[name].id or 0
    return f"/entry/{house.tokens.sign_for(claims.EntrantClaim, number, address_of(name))}"
