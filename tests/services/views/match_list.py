"""What tests of match list share."""

from __future__ import annotations

from sqlmodel import select

from pbem.models.tables import Player
from tests.table import House, address_of


def id_of(house: House, name: str) -> int:
    """The player's id."""
    with house.site.reading() as session:
        found = session.exec(select(Player).where(Player.canonical == address_of(name))).one().id
    assert found is not None
    return found
