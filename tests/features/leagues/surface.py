"""Leagues, their seasons, and what an organiser does by program. The league is Alice's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlmodel import select

from pbem.features.leagues import claims, founding, lookups
from pbem.features.leagues.entry import entering
from pbem.features.leagues.founding import Founded
from pbem.features.leagues.running import bulk
from pbem.features.leagues.tables import Entrant
from pbem.services.lobby.match_request import Invitee
from pbem.services.players import players
from tests.api.surface import Row, Scene, same_for_all_callers, statuses_for_players

STABLE: dict[str, set[str]] = {
    "/api/v1/leagues": {"get", "post"},
    "/api/v1/leagues/{league_id}": {"get", "patch"},
    "/api/v1/leagues/{league_id}/end": {"post"},
    "/api/v1/leagues/{league_id}/seasons": {"post"},
    "/api/v1/seasons/{season_id}": {"get", "patch"},
    "/api/v1/seasons/{season_id}/start": {"post"},
    "/api/v1/seasons/{season_id}/close": {"post"},
    "/api/v1/seasons/{season_id}/matches": {"post"},
    "/api/v1/seasons/{season_id}/results": {"get"},
    "/api/v1/seasons/{season_id}/entrants": {"get", "post"},
    "/api/v1/seasons/{season_id}/entrants/{entrant_id}": {"get", "delete"},
    "/api/v1/entry/{token}/accept": {"post"},
    "/api/v1/entry/{token}/decline": {"post"},
}


CUP: dict[str, Any] = {"name": "Spring cup", "game": "allegeance", "terms": {"pairing": "organiser", "rest_days": None}}


def _alice(scene: Scene) -> int:
    with scene.api.site.reading() as session:
        found = players.player_by_address(session, "alice@example.org")
    assert found is not None
    assert found.id is not None
    return found.id


def _league_of_alice(scene: Scene) -> Founded:
    """Alice's league, whose season is open."""
    site = scene.api.site
    starts_at = site.now() + timedelta(days=7)
    return founding.found_league(site, _alice(scene), CUP["name"], CUP["game"], CUP["terms"], starts_at)


def id_of_league(scene: Scene) -> str:
    """A league of Alice's."""
    return _league_of_alice(scene).league_id


def league_at_rest(scene: Scene) -> str:
    """A league of Alice's without a season that goes on."""
    made = _league_of_alice(scene)
    site = scene.api.site
    with site.writing() as work:
        founding.cancel_season(site, work, lookups.lock_season(work, made.season_id))
    return made.league_id


def id_of_open_season(scene: Scene) -> str:
    """Her open season."""
    return _league_of_alice(scene).season_id


def season_with_entrants(scene: Scene) -> str:
    """Her open season, which she and a bot have entered."""
    season_id = id_of_open_season(scene)
    entering.enter_player(scene.api.site, _alice(scene), season_id, "Alice")
    entering.enter_bots(scene.api.site, _alice(scene), season_id, "random", 1)
    return season_id


def id_of_running_season(scene: Scene) -> str:
    """Her season, which runs."""
    season_id = season_with_entrants(scene)
    bulk.begin_season_early(scene.api.site, _alice(scene), season_id)
    return season_id


def token_of_season_mail(scene: Scene) -> str:
    """The token of the mail that invites Bob."""
    season_id = id_of_open_season(scene)
    entering.invite_to_season(scene.api.site, _alice(scene), season_id, [Invitee("Bob", "bob@example.org")], "en")
    with scene.api.site.reading() as session:
        entrant = session.exec(select(Entrant.id).where(Entrant.season_id == season_id, Entrant.name == "Bob")).one()
    return scene.api.site.tokens.sign_for(claims.EntrantClaim, entrant or 0, "bob@example.org")


def _row_for_organiser(method: str, path: str, status: int, body: Any = None, **more: Any) -> Row:
    """What only the organiser may do."""
    return Row(method, path, statuses_for_players(status, foreign=403), body=body, scope="create", **more)


L, S, E = "/leagues/{league_id}", "/seasons/{season_id}", "/seasons/{season_id}/entrants/{entrant_id}"
ANY = {"If-Match": "*"}
SEEN = statuses_for_players(nobody=200)
LATER = {"starts_at": "2026-05-01T18:00:00Z"}
ROWS: list[Row] = [
    Row("GET", "/leagues", SEEN),
    Row("POST", "/leagues", statuses_for_players(201), body=CUP, scope="create"),
    Row("GET", L, SEEN, values={"league_id": id_of_league}),
    _row_for_organiser("PATCH", L, 200, {"listed": True}, headers=ANY, values={"league_id": id_of_league},
    also=("read",)),
    _row_for_organiser("POST", f"{L}/end", 200, {}, values={"league_id": id_of_league}, also=("read",)),
    _row_for_organiser("POST", f"{L}/seasons", 201, LATER, values={"league_id": league_at_rest}, also=("read",)),
    Row("GET", S, SEEN, values={"season_id": id_of_open_season}),
    _row_for_organiser("PATCH", S, 200, LATER, headers=ANY, values={"season_id": id_of_open_season}, also=("read",)),
    _row_for_organiser("POST", f"{S}/start", 200, {}, values={"season_id": season_with_entrants}, also=("read",)),
    _row_for_organiser("POST", f"{S}/close", 202, {}, values={"season_id": id_of_running_season}, also=("read",)),
    _row_for_organiser("POST", f"{S}/matches", 201, {"matches": [{"seats": [1, 2]}]},
    values={"season_id": id_of_running_season}),
    Row("GET", f"{S}/results", SEEN, values={"season_id": id_of_running_season}),
    Row("GET", f"{S}/entrants", SEEN, values={"season_id": season_with_entrants}),
    Row(
        "POST", f"{S}/entrants", statuses_for_players(201), body={"name": "Newcomer"}, scope="create", also=("read",),
        values={"season_id": id_of_open_season},
    ),
    Row("GET", E, SEEN, values={"season_id": season_with_entrants, "entrant_id": "1"}),
    _row_for_organiser("DELETE", E, 204, values={"season_id": season_with_entrants, "entrant_id": "1"}, also=("read",)),
    Row("POST", "/entry/{token}/accept", same_for_all_callers(), body={"name": "Bobby"},
    values={"token": token_of_season_mail}),
    Row("POST", "/entry/{token}/decline", same_for_all_callers(), body={}, values={"token": token_of_season_mail}),
]  # fmt: skip
