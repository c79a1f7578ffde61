"""Circles."""

from __future__ import annotations

from typing import Any

from sqlmodel import col, select

from pbem.features.circles import claims, founding, joining, occasions, sheets, standing
from pbem.features.circles.claims import CircleClaim
from pbem.features.circles.tables import CircleMember
from pbem.services.lobby.match_request import NewMatch
from pbem.services.players import players
from tests.api.surface import Row, Scene, statuses_for_players

STABLE: dict[str, set[str]] = {
    "/api/v1/circles": {"get", "post"},
    "/api/v1/circles/{circle_id}": {"get", "patch"},
    "/api/v1/circles/{circle_id}/standings": {"get"},
    "/api/v1/circles/{circle_id}/link": {"post"},
    "/api/v1/circles/{circle_id}/invitations": {"post"},
    "/api/v1/circle-links/{token}": {"post"},
    "/api/v1/circles/{circle_id}/accept": {"post"},
    "/api/v1/circles/{circle_id}/decline": {"post"},
    "/api/v1/circles/{circle_id}/me": {"patch"},
    "/api/v1/circles/{circle_id}/members/{member_id}": {"delete"},
    "/api/v1/circles/{circle_id}/matches": {"post"},
    "/api/v1/circles/{circle_id}/tables": {"post"},
    "/api/v1/circles/{circle_id}/tables/{table_id}": {"delete"},
    "/api/v1/circles/{circle_id}/tables/{table_id}/answer": {"put"},
}


def id_of_player(scene: Scene, name: str) -> int:
    """The id of one of the cast."""
    with scene.api.site.reading() as session:
        found = players.player_by_address(session, f"{name}@example.org")
    assert found is not None
    return found.id or 0


def circle_of_alice(scene: Scene) -> str:
    """The id of a circle that Alice has founded and Bob has joined."""
    site = scene.api.site
    with site.reading() as session:
        mine = (col(CircleMember.player_id) == id_of_player(scene, "alice"), col(CircleMember.status) == "member")
        known = session.exec(select(CircleMember.circle_id).where(*mine)).first()
    if known is not None:
        return known
    made = founding.found_circle(site, id_of_player(scene, "alice"), "Les Lacs", "Alice")
    joining.join_signed_in(site, CircleClaim(made, 0), id_of_player(scene, "bob"), "Bob")
    return made


def circle_inviting_alice(scene: Scene) -> str:
    """The id of a circle of Bob's that has invited Alice."""
    site, bob = scene.api.site, id_of_player(scene, "bob")
    made = founding.found_circle(site, bob, "Others", "Bob")
    joining.invite_address(site, sheets.claim_of_player(site, bob, made), "Alice", "alice@example.org", "en")
    return made


def token_of_circle_link(scene: Scene) -> str:
    """The token of the invitation link of a circle of Bob's."""
    return scene.api.site.tokens.sign(
        claims.CircleClaim(founding.found_circle(scene.api.site, id_of_player(scene, "bob"), "Others", "Bob"), 0)
    )


def bob_there(scene: Scene) -> str:
    """Bob's id as a member of Alice's circle."""
    return str(sheets.claim_of_player(scene.api.site, id_of_player(scene, "bob"), circle_of_alice(scene)).member_id)


def table_there(scene: Scene) -> str:
    """The id of a standing table of Alice's circle, whose members are asked."""
    site = scene.api.site
    alice = sheets.claim_of_player(site, id_of_player(scene, "alice"), circle_of_alice(scene))
    made = standing.set_up_table(site, alice, NewMatch("hogen", ()), standing.Weekly(6, 18, "Europe/Paris"))
    occasions.run_standing_tables(site)
    return str(made)


def with_bob(scene: Scene) -> dict[str, Any]:
    """A match with Bob."""
    return {"game": "hogen", "members": [int(bob_there(scene))], "bots": ["random"]}


WEEKLY = {"game": "hogen", "weekday": 6, "hour": 18, "zone": "Europe/Paris"}
CIRCLE = {"circle_id": circle_of_alice}
TABLE = {"circle_id": circle_of_alice, "table_id": table_there}
GUEST = {"circle_id": circle_inviting_alice}
MINE, FOREIGN, GONE = statuses_for_players(), statuses_for_players(foreign=404), statuses_for_players(204, foreign=404)
PATH = "/circles/{circle_id}"
MAKING: dict[str, Any] = {"scope": "create", "also": ("read",)}
SAYING: dict[str, Any] = {"scope": "play", "also": ("read",)}

ROWS: list[Row] = [
    Row("GET", "/circles", MINE),
    Row("POST", "/circles", statuses_for_players(201), body={"title": "Les Lacs", "name": "Alice"}, **MAKING),
    Row("GET", PATH, FOREIGN, values=CIRCLE),
    Row("PATCH", PATH, FOREIGN, body={"title": "Les Étangs"}, values=CIRCLE, **MAKING),
    Row("GET", f"{PATH}/standings", FOREIGN, values=CIRCLE),
    Row("POST", f"{PATH}/link", FOREIGN, body={}, values=CIRCLE, **MAKING),
    Row("POST", f"{PATH}/invitations", GONE, body={"email": "zoe@example.org"}, values=CIRCLE, scope="create"),
    Row("POST", "/circle-links/{token}", MINE, body={"name": "Zoe"}, values={"token": token_of_circle_link}, **SAYING),
    Row("POST", f"{PATH}/accept", FOREIGN, body={"name": "Alice"}, values=GUEST, **SAYING),
    Row("POST", f"{PATH}/decline", GONE, body={}, values=GUEST),
    Row("PATCH", f"{PATH}/me", FOREIGN, body={"muted": True}, values=CIRCLE, **SAYING),
    Row("DELETE", f"{PATH}/members/{{member_id}}", GONE, values={"circle_id": circle_of_alice, "member_id": bob_there}),
    Row(
        "POST", f"{PATH}/matches", statuses_for_players(201, foreign=404), body=with_bob, values=CIRCLE, scope="create"
    ),
    Row("POST", f"{PATH}/tables", statuses_for_players(201, foreign=404), body=WEEKLY, values=CIRCLE, **MAKING),
    Row("DELETE", f"{PATH}/tables/{{table_id}}", GONE, values=TABLE, scope="create"),
    Row("PUT", f"{PATH}/tables/{{table_id}}/answer", FOREIGN, body={"yes": True}, values=TABLE, **SAYING),
]
