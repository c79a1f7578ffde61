"""What tests of account share."""

from __future__ import annotations

import re

from sqlmodel import select

from pbem.models.tables import Player
from tests.web.cast import Web


def account(web: Web, name: str = "alice") -> str:
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == f"{name}@example.org")).one()
        assert player.id is not None
        return f"/account/{web.site.tokens.for_account(player.id, player.epoch, web.site.now())}"


def secret_of(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None
    return found[1]
