"""Founding a league, changing the terms of its next season, ending it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from flask import url_for
from marshmallow import fields
from msgspec import Struct

from pbem.api.protocol.bodies import Nothing, Query, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, SOMEONE, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once
from pbem.api.protocol.problems import with_fields
from pbem.errors import Invalid
from pbem.features.leagues import founding, reading
from pbem.features.leagues.api.sheets import LeagueShown, Moment, SeasonTermsSent, league_answer
from pbem.features.leagues.founding import check_league_name
from pbem.services.who import Caller

FOUND = "api-leagues.found"
SOON = timedelta(days=7)
"""When the first season starts, unless its organiser says when."""

blueprint = Endpoints(
    "leagues",
    "Competitions in one game, played in seasons that begin and end on their dates, with divisions and standings.",
)


class NewLeague(RequestSchema):
    """A new league, and its first season, which players may enter from now on."""

    name = SingleLine(200, check_league_name, required=True, metadata={"description": "At most 60 characters."})
    game = SingleLine(40, required=True)
    terms = fields.Nested(SeasonTermsSent)
    starts_at = Moment(metadata={"description": "When the first season starts; a week from now unless given."})
    circle = SingleLine(
        32, load_default=None, allow_none=True,
        metadata={"description": "Only members of this circle, to which the caller belongs, may enter."},
    )  # fmt: skip
    listed = StrictBool(load_default=False, metadata={"description": "Whether the site lists it for everybody."})


class LeagueChange(RequestSchema):
    """A change of a league; a missing field stays as it is, `terms` are replaced as a whole."""

    name = SingleLine(200, check_league_name)
    terms = fields.Nested(SeasonTermsSent)
    listed = StrictBool()


class After(Query):
    """Selects leagues."""

    after = SingleLine(32, load_default="", metadata={"description": "`next` of the page before."})


class Leagues(Struct, frozen=True):
    """A page of leagues, newest first; send `next` as `after` for the following page, null on the last."""

    leagues: list[LeagueShown]
    next: str | None


@blueprint.operation("listLeagues", "GET /leagues", who=SOMEONE, query=After)
def leagues(who: Caller, after: str) -> Leagues:
    """Returns the leagues that are listed, and those that the caller organises or plays in."""
    found, following = reading.list_all_leagues(site(), who, after)
    return Leagues([league_answer(one) for one in found], following)


@blueprint.operation(
    "foundLeague",
    "POST /leagues",
    who=PLAYER,
    scopes=("create",),
    body=NewLeague,
    example={"name": "Spring cup", "game": "allegeance", "terms": {"pairing": "organiser", "matches": 2, "days": 30}},
    status=201,
    repeatable=True,
    refuses=(404, 409, 429),
)
def found(body: Mapping[str, Any], player_id: int) -> tuple[LeagueShown, dict[str, str]]:
    """Founds a league with its first season. The caller organises it: a player with an address."""
    starts_at = body.get("starts_at") or site().now() + SOON
    try:
        made = founding.found_league(
            site(), player_id, body["name"], body["game"], body.get("terms", {}), starts_at,
            circle_id=body["circle"], listed=body["listed"], once=once(),
        )  # fmt: skip
    except Invalid as problem:
        raise problem if problem.fields else with_fields(problem, "game") from None
    where = url_for("api-leagues.league", league_id=made.league_id)
    return league_answer(reading.read_league(site(), player_id, made.league_id)), {"Location": where}


@blueprint.operation("getLeague", "GET /leagues/<league_id>", who=SOMEONE)
def league(league_id: str, who: Caller) -> LeagueShown:
    """Returns a league, for everybody who has its id."""
    return league_answer(reading.read_league(site(), who, league_id))


@blueprint.operation(
    "changeLeague",
    "PATCH /leagues/<league_id>",
    who=PLAYER,
    scopes=("create", "read"),
    body=LeagueChange,
    example={"listed": True},
    if_match=league,
    if_match_required=True,
    refuses=(409,),
)
def change(body: Mapping[str, Any], league_id: str, player_id: int) -> LeagueShown:
    """Changes the league. New terms hold for the open season if nobody has entered it, else for the one after it."""
    founding.change_league(site(), player_id, league_id, **body)
    return league_answer(reading.read_league(site(), player_id, league_id))


@blueprint.operation(
    "endLeague",
    "POST /leagues/<league_id>/end",
    who=PLAYER,
    scopes=("create", "read"),
    body=Nothing,
    body_required=False,
    if_match=league,
)
def end(league_id: str, player_id: int) -> LeagueShown:
    """Ends the league: a season that has not begun is called off, one that runs goes on to its date."""
    founding.end_league(site(), player_id, league_id)
    return league_answer(reading.read_league(site(), player_id, league_id))
