"""Circles, for programs: what a member sees and does on the pages, with their token. No address is ever told."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import wraps
from typing import Any

from flask import Response, url_for
from marshmallow import fields

from pbem.api.lobby.matches import Clock, Created, created, word_field
from pbem.api.protocol.bodies import (
    BoundedInt,
    Generated,
    Nothing,
    RequestSchema,
    ResponseSchema,
    SingleLine,
    StrictBool,
)
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.protocol.idempotency import once
from pbem.api.protocol.language import language
from pbem.api.protocol.preconditions import seen_state
from pbem.clock import iso
from pbem.services.circles import founding, joining, leaving, scores, sheets, standing, starting
from pbem.services.circles.names import TITLE_LENGTH, checked_title
from pbem.services.circles.sheets import CircleSheet, TableSheet
from pbem.services.lobby.match_request import BotSeat, NewMatch, OpenSeat, Wish
from pbem.services.players.players import checked_address, checked_name, checked_zone
from pbem.services.tokens import MemberClaim

_MOST_ID = 2**31 - 1
_ITS_NAME = "What the others of the circle call the player: at most 24 letters."

blueprint = Endpoints(
    "circles",
    "Named groups of players who start matches with each other by names, and whose tables can meet every week.",
)


class NewCircle(RequestSchema):
    """A new circle, and what its founder is called there."""

    title = SingleLine(200, checked_title, required=True, metadata={"description": f"At most {TITLE_LENGTH} letters."})
    name = SingleLine(200, checked_name, required=True, metadata={"description": _ITS_NAME})


class CircleChange(RequestSchema):
    """A change by the founder; a missing field stays as it is."""

    title = SingleLine(200, checked_title)
    open = StrictBool(
        metadata={
            "description": "Whether strangers see its page: its name, its standings, and the names of those who agree."
        }
    )


class CircleName(RequestSchema):
    """What the caller is called in the circle."""

    name = SingleLine(200, checked_name, required=True, metadata={"description": _ITS_NAME})


class CircleGuest(RequestSchema):
    """Somebody to invite; without a name they choose their own."""

    name = SingleLine(200, checked_name)
    email = SingleLine(254, checked_address, required=True)


class MembershipChange(RequestSchema):
    """A change of the caller's membership; a missing field stays as it is."""

    muted = StrictBool(metadata={"description": "Whether they get no mails of the circle."})
    listed = StrictBool(metadata={"description": "Whether strangers see their name while the page is open."})


class _Terms(RequestSchema):
    game = SingleLine(40, required=True)
    options = Generated("Options")
    clock = fields.Nested(Clock)
    spectators = StrictBool(
        metadata={"description": "Whether anyone who knows the match's id may look; true by default."}
    )
    takebacks = SingleLine(20, metadata={"description": "`consent` (usual) or `free`, as for any match."})


class NewCircleMatch(_Terms):
    """A match with other members; the caller has the first seat."""

    members = fields.List(
        BoundedInt(1, _MOST_ID), required=True, metadata={"description": "The `id` of each, in seat order."}
    )
    bots = fields.List(
        SingleLine(40), load_default=[], metadata={"description": "Bots for the seats after the members."}
    )
    open = BoundedInt(0, 16, load_default=0, metadata={"description": "How many seats are for anyone with their link."})
    word = word_field("The caller's lucky word, which the commitment covers: at most 40 characters.")


class NewStandingTable(_Terms):
    """A table that meets every week."""

    weekday = BoundedInt(0, 6, required=True, metadata={"description": "0 is Monday."})
    hour = BoundedInt(0, 23, required=True)
    zone = SingleLine(64, checked_zone, required=True, metadata={"description": "A time zone of the IANA list."})


class SaidYes(RequestSchema):
    """Whether the caller plays this week."""

    yes = StrictBool(required=True)


class CircleMember(ResponseSchema):
    """A member of a circle."""

    id = fields.Integer(required=True)
    name = fields.String(required=True)
    founder = fields.Boolean(required=True)


class StandingTable(ResponseSchema):
    """A table that meets every week. `starts_at` is the next time."""

    id = fields.Integer(required=True)
    game = fields.String(required=True)
    weekday = fields.Integer(required=True, metadata={"description": "0 is Monday."})
    hour = fields.Integer(required=True)
    zone = fields.String(required=True)
    starts_at = fields.String(required=True, metadata={"format": "date-time"})
    asking = fields.Boolean(required=True, metadata={"description": "Whether members can say yes or no now."})
    yes = fields.List(fields.String(), required=True, metadata={"description": "The names of those who have said yes."})
    no = fields.List(fields.String(), required=True)
    yours = fields.Boolean(
        required=True, allow_none=True, metadata={"description": "Null: the caller has not answered."}
    )


class CircleShown(ResponseSchema):
    """A circle as one of its members sees it; to somebody who is invited, members and tables are empty."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.String(required=True, metadata={"description": "The caller's: invited or member."})
    name = fields.String(required=True, metadata={"description": "What the caller is called there."})
    member = fields.Integer(required=True, metadata={"description": "The caller's id as a member."})
    founder = fields.Boolean(required=True, metadata={"description": "Whether the caller is the founder."})
    open = fields.Boolean(required=True)
    muted = fields.Boolean(required=True)
    listed = fields.Boolean(required=True)
    size = fields.Integer(required=True)
    members = fields.List(fields.Nested(CircleMember), required=True)
    tables = fields.List(fields.Nested(StandingTable), required=True)
    matches = fields.List(fields.String(), required=True, metadata={"description": "Those that go on, newest first."})
    join_url = fields.String(
        required=True, allow_none=True, metadata={"description": "Whoever has it can join; null for the invited."}
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


# --- reading -------------------------------------------------------------------------------------------------


def _claim(player_id: int, circle_id: str) -> MemberClaim:
    return sheets.own_claim(site(), player_id, circle_id)


def _circle_json(player_id: int, circle_id: str) -> dict[str, Any]:
    sheet: CircleSheet = sheets.read_circle(site(), _claim(player_id, circle_id))
    token = sheet.join_token
    return {
        "id": sheet.id, "title": sheet.name, "status": sheet.you.status, "name": sheet.you.name,
        "member": sheet.you.id, "founder": sheet.founder, "open": sheet.open, "muted": sheet.you.muted,
        "listed": sheet.you.listed, "size": sheet.size,
        "members": [{"id": one.id, "name": one.name, "founder": one.founder} for one in sheet.members],
        "tables": [_table_json(one) for one in sheet.tables], "matches": [one.id for one in sheet.matches],
        "join_url": site().url(f"/circle/join/{token}") if token is not None else None,
    }  # fmt: skip


def _table_json(one: TableSheet) -> dict[str, Any]:
    return {
        "id": one.id, "game": one.game.meta.slug, "weekday": one.weekday, "hour": one.hour, "zone": one.zone,
        "starts_at": iso(one.starts_at), "asking": one.occasion_id is not None, "yes": list(one.yes),
        "no": list(one.no), "yours": one.yours,
    }  # fmt: skip


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
    return _circle_json(player_id, circle_id)


@wraps(circle)
def _around(circle_id: str, **_: Any) -> Any:
    """Returns the circle, whatever else the address names."""
    return circle(circle_id=circle_id)


@blueprint.operation("getCircleStandings", "GET /circles/<circle_id>/standings", who=PLAYER, gives=CircleStandings)
def standings(circle_id: str, player_id: int) -> dict[str, Any]:
    """Returns the standings of a circle of the caller's."""
    claim = _claim(player_id, circle_id)
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


# --- the circle ----------------------------------------------------------------------------------------------


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
    return _circle_json(player_id, made), {"Location": url_for("api-circles.circle", circle_id=made)}


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
    claim, was = _claim(player_id, circle_id), seen_state()
    if "title" in body:
        founding.rename(site(), claim, body["title"], was=was["title"] if was is not None else None)
    if "open" in body:
        founding.set_open(site(), claim, body["open"])
    return _circle_json(player_id, circle_id)


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
    founding.renew_link(site(), _claim(player_id, circle_id))
    return _circle_json(player_id, circle_id)


# --- members -------------------------------------------------------------------------------------------------


@blueprint.operation(
    "inviteToCircle",
    "POST /circles/<circle_id>/invitations",
    who=PLAYER,
    scopes=("create",),
    body=CircleGuest,
    example={"email": "carol@example.org"},
    gives=(204, None),
    refuses=(409, 429),
)
def invite(body: Mapping[str, Any], circle_id: str, player_id: int) -> Response:
    """Invites somebody by mail. The answer does not tell whether they are known, or members already.

    Sent again, it invites nobody twice.
    """
    claim = _claim(player_id, circle_id)
    joining.invite(site(), claim, body.get("name", ""), body["email"], language())
    return no_content()


@blueprint.operation(
    "joinCircle",
    "POST /circles/join/<token>",
    who=PLAYER,
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    gives=CircleShown,
    refuses=(404, 429),
)
def join(body: Mapping[str, Any], token: str, player_id: int) -> dict[str, Any]:
    """Joins the circle of an invitation link, whose last segment is the token. A member stays one."""
    claim = site().tokens.read_circle(token)
    return _circle_json(player_id, joining.join_at_once(site(), claim, player_id, body["name"]))


@blueprint.operation(
    "acceptCircle",
    "POST /circles/<circle_id>/accept",
    who=PLAYER,
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    gives=CircleShown,
    refuses=(409, 429),
)
def accept(body: Mapping[str, Any], circle_id: str, player_id: int) -> dict[str, Any]:
    """Accepts an invitation to a circle. A member stays one."""
    claim = _claim(player_id, circle_id)
    sheet = sheets.read_member(site(), claim)
    joining.accept(site(), claim, sheet.language, sheet.zone, body["name"])
    return _circle_json(player_id, circle_id)


@blueprint.operation(
    "declineCircle",
    "POST /circles/<circle_id>/decline",
    who=PLAYER,
    body=Nothing,
    body_required=False,
    gives=(204, None),
    refuses=(409,),
)
def decline(circle_id: str, player_id: int) -> Response:
    """Declines an invitation to a circle."""
    joining.decline(site(), _claim(player_id, circle_id))
    return no_content()


@blueprint.operation(
    "changeMembership",
    "PATCH /circles/<circle_id>/me",
    who=PLAYER,
    scopes=("play", "read"),
    body=MembershipChange,
    example={"muted": True},
    gives=CircleShown,
    if_match=_around,
    refuses=(409,),
)
def change_membership(body: Mapping[str, Any], circle_id: str, player_id: int) -> dict[str, Any]:
    """Stops the circle's mails to the caller, or hides their name from strangers."""
    claim = _claim(player_id, circle_id)
    if "muted" in body:
        leaving.set_muted(site(), claim, body["muted"])
    if "listed" in body:
        leaving.set_listed(site(), claim, body["listed"])
    return _circle_json(player_id, circle_id)


@blueprint.operation(
    "removeMember",
    "DELETE /circles/<circle_id>/members/<int:member_id>",
    who=PLAYER,
    gives=(204, None),
    refuses=(403, 409),
)
def remove(circle_id: str, member_id: int, player_id: int) -> Response:
    """Leaves the circle, if the member is the caller; else removes the member, for the founder.

    If the founder leaves, the longest member follows them; the last member's leaving dissolves the circle.
    """
    claim = _claim(player_id, circle_id)
    if member_id == claim.member_id:
        leaving.leave(site(), claim)
    else:
        leaving.remove(site(), claim, member_id)
    return no_content()


# --- matches and standing tables -----------------------------------------------------------------------------


def _wanted(body: Mapping[str, Any], seats: list[Wish]) -> NewMatch:
    clock = body.get("clock", {})
    return NewMatch(
        game=body["game"], seats=seats, options=body.get("options", {}), turn_s=clock.get("turn_s"),
        window_s=clock.get("window_s"), late=clock.get("late"), bank_s=clock.get("bank_s"),
        increment_s=clock.get("increment_s"), windows=clock.get("windows"), spectators=body.get("spectators", True),
        language=language(), word=body.get("word"), takebacks=body.get("takebacks"),
    )  # fmt: skip


@blueprint.operation(
    "startCircleMatch",
    "POST /circles/<circle_id>/matches",
    who=PLAYER,
    scopes=("create",),
    body=NewCircleMatch,
    example={"game": "hogen", "members": [2, 3]},
    gives=(201, Created),
    repeatable=True,
    refuses=(409, 429),
)
def start(body: Mapping[str, Any], circle_id: str, player_id: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Starts a match with other members, who are invited by mail. It counts in the circle's standings."""
    seats: list[Wish] = [*map(BotSeat, body["bots"]), *[OpenSeat()] * body["open"]]
    claim = _claim(player_id, circle_id)
    match_id = starting.start_match(site(), claim, body["members"], _wanted(body, seats), once=once())
    return created(match_id), {"Location": url_for("api-matches.sheet", match_id=match_id)}


@blueprint.operation(
    "setUpTable",
    "POST /circles/<circle_id>/tables",
    who=PLAYER,
    scopes=("create", "read"),
    body=NewStandingTable,
    example={"game": "hagakure", "weekday": 6, "hour": 18, "zone": "Europe/Paris"},
    gives=(201, StandingTable),
    repeatable=True,
    refuses=(409, 429),
)
def set_up_table(body: Mapping[str, Any], circle_id: str, player_id: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Sets up a table that meets every week. Four days before, the members are asked whether they play."""
    claim = _claim(player_id, circle_id)
    weekly = standing.checked_weekly(body["weekday"], body["hour"], body["zone"])
    made = standing.set_up_table(site(), claim, _wanted(body, []), weekly, once=once())
    return _one_table(claim, made), {"Location": url_for("api-circles.circle", circle_id=circle_id)}


def _one_table(claim: MemberClaim, table_id: int) -> dict[str, Any]:
    sheet = sheets.read_circle(site(), claim)
    return next((_table_json(one) for one in sheet.tables if one.id == table_id), None) or _no_table()


def _no_table() -> dict[str, Any]:
    raise standing.no_table()


@blueprint.operation(
    "answerTable",
    "PUT /circles/<circle_id>/tables/<int:table_id>/answer",
    who=PLAYER,
    scopes=("play", "read"),
    body=SaidYes,
    example={"yes": True},
    gives=StandingTable,
    if_match=_around,
    refuses=(409,),
)
def answer(body: Mapping[str, Any], circle_id: str, table_id: int, player_id: int) -> dict[str, Any]:
    """Says whether the caller plays this week; they may change it until the hour."""
    claim = _claim(player_id, circle_id)
    standing.answer_table(site(), claim, table_id, body["yes"])
    return _one_table(claim, table_id)


@blueprint.operation(
    "stopTable",
    "DELETE /circles/<circle_id>/tables/<int:table_id>",
    who=PLAYER,
    scopes=("create",),
    gives=(204, None),
    refuses=(403, 409),
)
def stop_table(circle_id: str, table_id: int, player_id: int) -> Response:
    """Stops a standing table, for whoever set it up and for the founder; matches that have begun go on."""
    standing.stop_table(site(), _claim(player_id, circle_id), table_id)
    return no_content()
