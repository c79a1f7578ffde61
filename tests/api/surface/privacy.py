"""Address changes and erasure."""

from __future__ import annotations

from pbem.services.players import players
from pbem.services.privacy import address_change
from pbem.services.tokens import ChangeClaim
from tests.api.surface import Row, Scene, same_for_all_callers, statuses_for_account

STABLE: dict[str, set[str]] = {
    "/api/v1/me": {"delete"},
    "/api/v1/me/address": {"get", "post", "delete"},
    "/api/v1/address/{token}": {"post"},
}


def new_mailboxs_token(scene: Scene) -> str:
    """The token in the mail to the new mailbox, for a change that Alice has asked for."""
    site = scene.api.site
    with site.reading() as session:
        alice = players.player_by_address(session, "alice@example.org")
    assert alice is not None
    assert alice.id is not None
    address_change.request_change(site, alice.id, "new@example.net")
    return site.tokens.sign(ChangeClaim(1, "new"))


ROWS: list[Row] = [
    Row("GET", "/me/address", statuses_for_account()),
    Row("POST", "/me/address", statuses_for_account(202), body={"email": "new@example.net"}),
    Row("DELETE", "/me/address", statuses_for_account(204)),
    Row("POST", "/address/{token}", same_for_all_callers(), values={"token": new_mailboxs_token}, body={}),
    Row("DELETE", "/me", statuses_for_account(204), body={"confirm": "erase"}, headers={"If-Match": "*"}),
]
