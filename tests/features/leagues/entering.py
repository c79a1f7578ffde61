"""Players who ask to enter a season."""

from __future__ import annotations

from pbem.features.leagues import claims
from pbem.features.leagues.claims import EntrantClaim
from pbem.features.leagues.entry import entering
from pbem.services.lobby.match_request import Invitee
from pbem.services.who import STRANGER
from tests.features.leagues.stage import (
    entrants_by_name,
)
from tests.table import House, address_of


def claim_for(house: House, season_id: str, name: str) -> EntrantClaim:
    """Returns what the link in the mail to this entrant claims."""
    canonical = address_of(name)
    return house.tokens.read(
        claims.EntrantClaim,
        house.tokens.sign_for(claims.EntrantClaim, entrants_by_name(house, season_id)[name].id or 0, canonical),
    )


def ask_to_enter_season(house: House, season_id: str, name: str) -> None:
    entering.send_entry_link(house.site, STRANGER, season_id, Invitee(name, address_of(name)), "en", "Europe/London")
