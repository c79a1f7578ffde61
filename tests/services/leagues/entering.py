"""Players who ask to enter a season."""

from __future__ import annotations

from pbem.services.leagues import entering
from pbem.services.tokens import EntrantClaim
from pbem.services.who import STRANGER
from tests.services.leagues.stage import (
    entrants,
)
from tests.table import House, address_of


def claim_for(house: House, season_id: str, name: str) -> EntrantClaim:
    """Returns what the link in the mail to this entrant claims."""
    canonical = address_of(name)
    return house.tokens.read_entrant(house.tokens.for_entrant(entrants(house, season_id)[name].id or 0, canonical))


def ask(house: House, season_id: str, name: str) -> None:
    entering.ask_to_enter(house.site, STRANGER, season_id, name, address_of(name), "en", "Europe/London")
