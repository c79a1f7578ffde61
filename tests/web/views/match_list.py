"""What tests of match list share."""

from __future__ import annotations

from flask.testing import FlaskClient
from sqlmodel import select

from pbem.models.tables import Player
from tests.table import address_of
from tests.web.cast import Web, path_of


def sign_in(web: Web, name: str) -> FlaskClient:
    """The browser of a player who has pressed the button of their account link."""
    client = web.client()
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        assert player.id is not None
        link = web.site.tokens.for_account(player.id, player.epoch, web.site.now())
    assert path_of(client.post(f"/account/{link}")) == "/"
    return client
