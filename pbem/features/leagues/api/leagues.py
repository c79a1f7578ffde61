"""Leagues for programs: founding one, changing the terms of its next season, ending it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, get_type_hints

import marshmallow as ma
from flask import url_for
from marshmallow import fields, validate
from msgspec import Struct, convert

from pbem.api.protocol.bodies import (
    BoundedInt,
    Generated,
    Nothing,
    Query,
    RequestSchema,
    Several,
    SingleLine,
    StrictBool,
    Word,
)
from pbem.api.protocol.callers import PLAYER, SOMEONE, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.features.leagues import founding, reading
from pbem.features.leagues.founding import check_league_name
from pbem.features.leagues.reading import LeagueView, SeasonListed
from pbem.features.leagues.terms import SeasonTerms
from pbem.services.who import Caller

FOUND = "api-leagues.found"
SOON = timedelta(days=7)
"""When the first season starts, unless its organiser says when."""

blueprint = Endpoints(
    "leagues",
    "Competitions in one game, played in seasons that begin and end on their dates, with divisions and standings.",
    who=PLAYER,
    scopes=("create", "read"),
)


PAIRING, UNFINISHED = ("rotation", "organiser"), ("half", "standing", "none")
_MOST = 10_000_000

_HINTS = get_type_hints(SeasonTerms, include_extras=True)


def _description_of_term(name: str) -> str:
    """Returns what the document says of one of the terms: the same of those that are sent and of those of a season."""
    return str(_HINTS[name].__metadata__[0].description)


class SeasonTermsSent(RequestSchema):
    """The terms of a season; what is left out has its default."""

    seats = BoundedInt(0, _MOST, about=_description_of_term("seats"))
    division_size = BoundedInt(0, _MOST, about=_description_of_term("division_size"))
    matches = BoundedInt(0, _MOST, about=_description_of_term("matches"))
    days = BoundedInt(0, _MOST, about=_description_of_term("days"))
    rest_days = BoundedInt(0, _MOST, allow_none=True, about=_description_of_term("rest_days"))
    turn_s = BoundedInt(0, _MOST, about=_description_of_term("turn_s"))
    window_s = BoundedInt(0, _MOST, about=_description_of_term("window_s"))
    options = Generated("Options")
    promoted = BoundedInt(0, _MOST, about=_description_of_term("promoted"))
    relegated = BoundedInt(0, _MOST, about=_description_of_term("relegated"))
    pairing = Word(PAIRING, N_("The pairing is “rotation” or “organiser”."), about=_description_of_term("pairing"))
    duplicate = StrictBool(about=_description_of_term("duplicate"))
    bots = Several(SingleLine(40), validate=validate.Length(0, 5), about=_description_of_term("bots"))
    unfinished = Word(
        UNFINISHED,
        N_("An unfinished match counts “half”, “standing” or “none”."),
        about=_description_of_term("unfinished"),
    )
    least = BoundedInt(0, _MOST, about=_description_of_term("least"))
    rated_with_bots = StrictBool(about=_description_of_term("rated_with_bots"))


class Moment(fields.String):
    """A moment with its zone, as in 2026-05-01T18:00:00Z; in answers in UTC."""

    def __init__(self, **more: Any) -> None:
        said = {"format": "date-time", **more.pop("metadata", {})}
        super().__init__(metadata=said, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        said = super()._deserialize(value, attr, data, **more)
        try:
            moment = datetime.fromisoformat(said)
            moment.astimezone()
            if moment.tzinfo is None:
                raise ValueError(said)
        except (ValueError, OverflowError, OSError):
            raise ma.ValidationError(N_("Send a moment with its zone, like 2026-05-01T18:00:00Z.")) from None
        return moment


class NewLeague(RequestSchema):
    """A new league, and its first season, which players may enter from now on."""

    name = SingleLine(200, check_league_name, required=True, about="At most 60 characters.")
    game = SingleLine(40, required=True)
    terms = fields.Nested(SeasonTermsSent)
    starts_at = Moment(metadata={"description": "When the first season starts; a week from now unless given."})
    circle = SingleLine(
        32, load_default=None, allow_none=True,
        about="Only members of this circle, to which the caller belongs, may enter."
    )  # fmt: skip
    listed = StrictBool(load_default=False, about="Whether the site lists it for everybody.")


class LeagueChange(RequestSchema):
    """A change of a league; a missing field stays as it is, `terms` are replaced as a whole."""

    name = SingleLine(200, check_league_name)
    terms = fields.Nested(SeasonTermsSent)
    listed = StrictBool()


class After(Query):
    """Selects leagues."""

    after = SingleLine(32, load_default="", about="`next` of the page before.")


class LeagueShown(LeagueView, frozen=True):
    """A league with its seasons, the newest first."""

    seasons: list[SeasonListed]


class Leagues(Struct, frozen=True):
    """A page of leagues, newest first; send `next` as `after` for the following page, null on the last."""

    leagues: list[LeagueShown]
    next: str | None


def _league_answer(who: Caller, league_id: str) -> LeagueShown:
    return convert(reading.read_league(site(), who, league_id), LeagueShown, from_attributes=True)


@blueprint.operation("listLeagues", "GET /leagues", who=SOMEONE, query=After)
def leagues(who: Caller, after: str) -> Leagues:
    """Returns the leagues that are listed, and those that the caller organises or plays in."""
    found, following = reading.list_all_leagues(site(), who, after)
    return Leagues(convert(found, list[LeagueShown], from_attributes=True), following)


@blueprint.operation(
    "foundLeague",
    "POST /leagues",
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
            circle_id=body["circle"], listed=body["listed"], once=idempotency_key(),
        )  # fmt: skip
    except Invalid as problem:
        raise problem if problem.fields else with_fields(problem, "game") from None
    where = url_for("api-leagues.league", league_id=made.league_id)
    return _league_answer(player_id, made.league_id), {"Location": where}


@blueprint.operation("getLeague", "GET /leagues/<league_id>", who=SOMEONE)
def league(league_id: str, who: Caller) -> LeagueShown:
    """Returns a league, for everybody who has its id."""
    return _league_answer(who, league_id)


@blueprint.operation(
    "changeLeague",
    "PATCH /leagues/<league_id>",
    body=LeagueChange,
    example={"listed": True},
    must_match=league,
    refuses=(409,),
)
def change(body: Mapping[str, Any], league_id: str, player_id: int) -> LeagueShown:
    """Changes the league. New terms hold for the open season if nobody has entered it, else for the one after it."""
    founding.change_league(site(), player_id, league_id, **body)
    return _league_answer(player_id, league_id)


@blueprint.operation("endLeague", "POST /leagues/<league_id>/end", body=Nothing, if_match=league)
def end(league_id: str, player_id: int) -> LeagueShown:
    """Ends the league: a season that has not begun is called off, one that runs goes on to its date."""
    founding.end_league(site(), player_id, league_id)
    return _league_answer(player_id, league_id)
