"""Personal tokens."""

from __future__ import annotations

from pbem.services.access import access_tokens
from pbem.services.players import players
from tests.api.surface import Row, Scene, statuses_for_account, statuses_for_players

STABLE: dict[str, set[str]] = {
    "/api/v1/me": {"get"},
    "/api/v1/me/tokens": {"get", "post"},
    "/api/v1/me/tokens/{token_id}": {"get", "delete"},
}


NEW = {"name": "My bot", "scopes": ["read"], "days": 30}


def alices_token(scene: Scene) -> str:
    """The id of a token of Alice's."""
    with scene.api.site.reading() as session:
        alice = players.player_by_address(session, "alice@example.org")
    assert alice is not None
    assert alice.id is not None
    made, _ = access_tokens.create_token(scene.api.site, alice.id, "Spare", ["read"], None)
    return str(made.id)


ROWS: list[Row] = [
    Row("GET", "/me", statuses_for_players()),
    Row("GET", "/me/tokens", statuses_for_account()),
    Row("POST", "/me/tokens", statuses_for_account(201), body=NEW),
    Row("GET", "/me/tokens/{token_id}", statuses_for_account(), values={"token_id": alices_token}),
    Row(
        "DELETE",
        "/me/tokens/{token_id}",
        statuses_for_account(204),
        values={"token_id": alices_token},
        headers={"If-Match": "*"},
    ),
]
