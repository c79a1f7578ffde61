"""Founding circles, reading them and their standings, and what the founder changes."""

from collections.abc import Mapping
from typing import Any

from flask import url_for
from msgspec import Struct

from pbem.api.protocol.bodies import Nothing, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once, state_seen
from pbem.features.circles import founding, scores, sheets
from pbem.features.circles.api.sheets import ITS_NAME, CircleShown, circle_answer, claim_of
from pbem.features.circles.rows import TITLE_LENGTH, check_title
from pbem.features.circles.scores import GameScores
from pbem.services.players.players import normalise_name

blueprint = Endpoints(
    "circles",
    "Named groups of players who start matches with each other by names, and whose tables can meet every week.",
)


class NewCircle(RequestSchema):
    """A new circle, and what its founder is called there."""

    title = SingleLine(200, check_title, required=True, metadata={"description": f"At most {TITLE_LENGTH} letters."})
    name = SingleLine(200, normalise_name, required=True, metadata={"description": ITS_NAME})


class CircleChange(RequestSchema):
    """A change by the founder; a missing field stays as it is."""

    title = SingleLine(200, check_title)
    open = StrictBool(
        metadata={
            "description": "Whether strangers see its page: its name, its standings, and the names of those who agree."
        }
    )


class CircleLine(Struct, frozen=True):
    """A circle in the caller's list. `asks` says that a standing table waits for their answer."""

    id: str
    title: str
    status: str
    size: int
    asks: bool


class Circles(Struct, frozen=True):
    """The caller's circles, and those that invite them."""

    circles: list[CircleLine]


class CircleStandings(Struct, frozen=True):
    """The standings of a circle, game by game; only matches that were started in it count."""

    games: tuple[GameScores, ...]


@blueprint.operation("listCircles", "GET /circles", who=PLAYER)
def circles(player_id: int) -> Circles:
    """Returns the caller's circles, and those that invite them."""
    mine = sheets.read_mine(site(), player_id)
    return Circles([CircleLine(one.id, one.name, one.status, one.size, one.ask) for one in mine])


@blueprint.operation("getCircle", "GET /circles/<circle_id>", who=PLAYER)
def circle(circle_id: str, player_id: int) -> CircleShown:
    """Returns a circle of the caller's. One of others is not found, whether it exists or not."""
    return circle_answer(player_id, circle_id)


@blueprint.operation("getCircleStandings", "GET /circles/<circle_id>/standings", who=PLAYER)
def standings(circle_id: str, player_id: int) -> CircleStandings:
    """Returns the standings of a circle of the caller's."""
    claim = claim_of(player_id, circle_id)
    sheet = sheets.read_member(site(), claim)
    found = scores.read_scores(site(), claim) if sheet.you.status == "member" else ()
    return CircleStandings(found)


@blueprint.operation(
    "foundCircle",
    "POST /circles",
    who=PLAYER,
    scopes=("create", "read"),
    body=NewCircle,
    example={"title": "Les Lacs", "name": "Alice"},
    status=201,
    repeatable=True,
    refuses=(429,),
)
def found(body: Mapping[str, Any], player_id: int) -> tuple[CircleShown, dict[str, str]]:
    """Founds a circle with the caller as its founder and only member."""
    made = founding.found_circle(site(), player_id, body["title"], body["name"], once=once())
    return circle_answer(player_id, made), {"Location": url_for("api-circles.circle", circle_id=made)}


@blueprint.operation(
    "changeCircle",
    "PATCH /circles/<circle_id>",
    who=PLAYER,
    scopes=("create", "read"),
    body=CircleChange,
    example={"title": "Les Lacs"},
    if_match=circle,
    refuses=(403, 409, 429),
)
def change(body: Mapping[str, Any], circle_id: str, player_id: int) -> CircleShown:
    """Renames the circle, or opens or closes its page, for its founder. An opening is announced by mail."""
    claim, was = claim_of(player_id, circle_id), state_seen()
    if "title" in body:
        founding.rename(site(), claim, body["title"], was=was["title"] if was is not None else None)
    if "open" in body:
        founding.set_open(site(), claim, body["open"])
    return circle_answer(player_id, circle_id)


@blueprint.operation(
    "renewCircleLink",
    "POST /circles/<circle_id>/link",
    who=PLAYER,
    scopes=("create", "read"),
    body=Nothing,
    body_required=False,
    if_match=circle,
    refuses=(403, 409),
)
def renew_link(circle_id: str, player_id: int) -> CircleShown:
    """Replaces the invitation link, for the founder: the old one ends."""
    founding.renew_link(site(), claim_of(player_id, circle_id))
    return circle_answer(player_id, circle_id)
