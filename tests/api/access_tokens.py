"""Personal access tokens, made and revoked by the API of somebody who is signed in."""

from __future__ import annotations

from pbem.services.players import players
from tests.api.cast import Api, Caller, json_of

ALL = ["read", "play", "create"]


def sign_in(api: Api, name: str) -> Caller:
    """The player with the token of their account link."""
    with api.site.reading() as session:
        player = players.player_by_address(session, f"{name.lower()}@example.org")
    assert player is not None
    assert player.id is not None
    return api.caller(api.site.tokens.for_account(player.id, player.epoch, api.site.now()))


def make_program(
    api: Api, name: str, scopes: list[str] | None = None, days: int | None = None, label: str = "bot"
) -> Caller:
    """A program with a personal token of the player."""
    answer = sign_in(api, name).post("/me/tokens", {"name": label, "scopes": scopes or ALL, "days": days})
    return api.caller(json_of(answer, 201)["token"])


def revoke_all_tokens(api: Api, name: str) -> None:
    """Revokes all tokens of the player."""
    account = sign_in(api, name)
    for found in json_of(account.get("/me/tokens"))["tokens"]:
        delete_resource(account, f"/me/tokens/{found['id']}", 204)


def delete_resource(caller: Caller, path: str, status: int) -> None:
    headers = caller.headers() | {"If-Match": "*"}
    assert caller.client.delete(f"/api/v1{path}", headers=headers).status_code == status
