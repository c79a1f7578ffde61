"""Founding circles, reading them and their standings, and what the founder changes."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import url_for
from marshmallow import fields

from pbem.api.protocol.bodies import Nothing, RequestSchema, ResponseSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.idempotency import once
from pbem.api.protocol.preconditions import seen_state
from pbem.features.circles import founding, scores, sheets
from pbem.features.circles.api.sheets import ITS_NAME, CircleShown, circle_json, claim_of
from pbem.features.circles.names import TITLE_LENGTH, checked_title
from pbem.services.players.players import checked_name

blueprint = Endpoints(
    "circles",
    "Named groups of players who start matches with each other by names, and whose tables can meet every week.",
)


class NewCircle(RequestSchema):
    """A new circle, and what its founder is called there."""

    title = SingleLine(200, checked_title, required=True, metadata={"description": f"At most {TITLE_LENGTH} letters."})
    name = SingleLine(200, checked_name, required=True, metadata={"description": ITS_NAME})


class CircleChange(RequestSchema):
    """A change by the founder; a missing field stays as it is."""

    title = SingleLine(200, checked_title)
    open = StrictBool(
        metadata={
            "description": "Whether strangers see its page: its name, its standings, and the names of those who agree."
        }
    )


class CircleLine(ResponseSchema):
    """A circle in the caller's list. `asks` says that a standing table waits for their answer."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.String(required=True)
    size = fields.Integer(required=True)
    asks = fields.Boolean(required=True)


class Circles(ResponseSchema):
    """The caller's circles, and those that invite them."""

    circles = fields.List(fields.Nested(CircleLine), required=True)


class Meeting(ResponseSchema):
    """How a member stands against another in one game."""

    member = fields.Integer(required=True)
    name = fields.String(required=True)
    matches = fields.Integer(required=True)
    ahead = fields.Integer(required=True)
    level = fields.Integer(required=True)
    behind = fields.Integer(required=True)


class CircleScore(ResponseSchema):
    """A member's matches of one game. `share` is the mean of what their places are worth.

    A place is worth the part of the other seats that one was ahead of, where level counts half: 1 is always first.
    """

    member = fields.Integer(required=True)
    name = fields.String(required=True)
    here = fields.Boolean(required=True, metadata={"description": "False if they have left."})
    matches = fields.Integer(required=True)
    wins = fields.Integer(required=True)
    share = fields.Float(required=True)
    against = fields.List(fields.Nested(Meeting), required=True)


class GameStandings(ResponseSchema):
    """The standings of a circle in one game, best first."""

    game = fields.String(required=True)
    matches = fields.Integer(required=True)
    scores = fields.List(fields.Nested(CircleScore), required=True)


class CircleStandings(ResponseSchema):
    """The standings of a circle, game by game; only matches that were started in it count."""

    games = fields.List(fields.Nested(GameStandings), required=True)


@blueprint.operation("listCircles", "GET /circles", who=PLAYER, gives=Circles)
def circles(player_id: int) -> dict[str, Any]:
    """Returns the caller's circles, and those that invite them."""
    lines = [
        {"id": one.id, "title": one.name, "status": one.status, "size": one.size, "asks": one.ask}
        for one in sheets.read_mine(site(), player_id)
    ]
    return {"circles": lines}


@blueprint.operation("getCircle", "GET /circles/<circle_id>", who=PLAYER, gives=CircleShown)
def circle(circle_id: str, player_id: int) -> dict[str, Any]:
    """Returns a circle of the caller's. One of others is not found, whether it exists or not."""
    return circle_json(player_id, circle_id)


@blueprint.operation("getCircleStandings", "GET /circles/<circle_id>/standings", who=PLAYER, gives=CircleStandings)
def standings(circle_id: str, player_id: int) -> dict[str, Any]:
    """Returns the standings of a circle of the caller's."""
    claim = claim_of(player_id, circle_id)
    sheet = sheets.read_member(site(), claim)
    found = scores.read_scores(site(), claim) if sheet.you.status == "member" else ()
    return {
        "games": [
            {"game": one.game, "matches": one.matches, "scores": [_score_json(score) for score in one.scores]}
            for one in found
        ]
    }


def _score_json(score: scores.Score) -> dict[str, Any]:
    said = asdict(score)
    said["member"] = said.pop("member_id")
    said["against"] = [{"member": one.pop("member_id"), **one} for one in said["against"]]
    return said


@blueprint.operation(
    "foundCircle",
    "POST /circles",
    who=PLAYER,
    scopes=("create", "read"),
    body=NewCircle,
    example={"title": "Les Lacs", "name": "Alice"},
    gives=(201, CircleShown),
    repeatable=True,
    refuses=(429,),
)
def found(body: Mapping[str, Any], player_id: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Founds a circle with the caller as its founder and only member."""
    made = founding.found_circle(site(), player_id, body["title"], body["name"], once=once())
    return circle_json(player_id, made), {"Location": url_for("api-circles.circle", circle_id=made)}


@blueprint.operation(
    "changeCircle",
    "PATCH /circles/<circle_id>",
    who=PLAYER,
    scopes=("create", "read"),
    body=CircleChange,
    example={"title": "Les Lacs"},
    gives=CircleShown,
    if_match=circle,
    refuses=(403, 409, 429),
)
def change(body: Mapping[str, Any], circle_id: str, player_id: int) -> dict[str, Any]:
    """Renames the circle, or opens or closes its page, for its founder. An opening is announced by mail."""
    claim, was = claim_of(player_id, circle_id), seen_state()
    if "title" in body:
        founding.rename(site(), claim, body["title"], was=was["title"] if was is not None else None)
    if "open" in body:
        founding.set_open(site(), claim, body["open"])
    return circle_json(player_id, circle_id)


@blueprint.operation(
    "renewCircleLink",
    "POST /circles/<circle_id>/link",
    who=PLAYER,
    scopes=("create", "read"),
    body=Nothing,
    body_required=False,
    gives=CircleShown,
    if_match=circle,
    refuses=(403, 409),
)
def renew_link(circle_id: str, player_id: int) -> dict[str, Any]:
    """Replaces the invitation link, for the founder: the old one ends."""
    founding.renew_link(site(), claim_of(player_id, circle_id))
    return circle_json(player_id, circle_id)
