"""Matches among the members of a circle, and its standing tables."""

from collections.abc import Mapping
from typing import Any

from flask import request, url_for
from marshmallow import fields
from msgspec import convert

from pbem.api.lobby.matches import Clock, Created, lucky_word_field, show_new_match
from pbem.api.protocol.bodies import BoundedInt, Generated, RequestSchema, Several, SingleLine, StrictBool
from pbem.api.protocol.callers import language, site
from pbem.api.protocol.headers import idempotency_key
from pbem.features.circles import sheets, standing, starting
from pbem.features.circles.api.circles import blueprint, circle
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.sheets import StandingTable
from pbem.services.lobby.match_request import BotSeat, NewMatch, OpenSeat, Wish
from pbem.services.players.players import check_zone

_MOST_ID = 2**31 - 1


class _Terms(RequestSchema):
    game = SingleLine(40, required=True)
    options = Generated("Options")
    clock = fields.Nested(Clock)
    spectators = StrictBool(about="Whether anyone who knows the match's id may look; true by default.")
    takebacks = SingleLine(20, about="`consent` (usual) or `free`, as for any match.")


class NewCircleMatch(_Terms):
    """A match with other members; the caller has the first seat."""

    members = Several(BoundedInt(1, _MOST_ID), required=True, about="The `id` of each, in seat order.")
    bots = Several(SingleLine(40), load_default=[], about="Bots for the seats after the members.")
    open = BoundedInt(0, 16, load_default=0, about="How many seats are for anyone with their link.")
    word = lucky_word_field("The caller's lucky word, which the commitment covers: at most 40 characters.")


class NewStandingTable(_Terms):
    """A table that meets every week."""

    weekday = BoundedInt(0, 6, required=True, about="0 is Monday.")
    hour = BoundedInt(0, 23, required=True)
    zone = SingleLine(64, check_zone, required=True, about="A time zone of the IANA list.")


class SaidYes(RequestSchema):
    """Whether the caller plays this week."""

    yes = StrictBool(required=True)


def _match_in_body(body: Mapping[str, Any], seats: list[Wish]) -> NewMatch:
    return NewMatch(
        game=body["game"], seats=seats, options=body.get("options", {}), **body.get("clock", {}),
        spectators=body.get("spectators", True), language=language(), word=body.get("word"),
        takebacks=body.get("takebacks"),
    )  # fmt: skip


@blueprint.operation(
    "startCircleMatch",
    "POST /circles/<circle_id>/matches",
    scopes=("create",),
    body=NewCircleMatch,
    example={"game": "hogen", "members": [2, 3]},
    status=201,
    repeatable=True,
    refuses=(409, 429),
)
def start(body: Mapping[str, Any], claim: MemberClaim) -> tuple[Created, dict[str, str]]:
    """Starts a match with other members, who are invited by mail. It counts in the circle's standings."""
    seats: list[Wish] = [*map(BotSeat, body["bots"]), *[OpenSeat()] * body["open"]]
    match_id = starting.create_match_and_invite_members(
        site(), claim, body["members"], _match_in_body(body, seats), once=idempotency_key()
    )
    return show_new_match(match_id), {"Location": url_for("api-matches.match_sheet", match_id=match_id)}


@blueprint.operation(
    "setUpTable",
    "POST /circles/<circle_id>/tables",
    scopes=("create", "read"),
    body=NewStandingTable,
    example={"game": "hagakure", "weekday": 6, "hour": 18, "zone": "Europe/Paris"},
    status=201,
    repeatable=True,
    refuses=(409, 429),
)
def set_up_table(body: Mapping[str, Any], claim: MemberClaim) -> tuple[StandingTable, dict[str, str]]:
    """Sets up a table that meets every week. Four days before, the members are asked whether they play."""
    weekly = standing.parse_weekly(body["weekday"], body["hour"], body["zone"])
    made = standing.set_up_table(site(), claim, _match_in_body(body, []), weekly, once=idempotency_key())
    return _table_as_sent(claim, made), {"Location": url_for("api-circles.circle", **(request.view_args or {}))}


def _table_as_sent(claim: MemberClaim, table_id: int) -> StandingTable:
    one = next((one for one in sheets.read_circle(site(), claim).tables if one.id == table_id), None)
    if one is None:
        raise standing.no_table_error()
    return convert(one, StandingTable, from_attributes=True)


@blueprint.operation(
    "answerTable",
    "PUT /circles/<circle_id>/tables/<int:table_id>/answer",
    scopes=("play", "read"),
    body=SaidYes,
    example={"yes": True},
    if_match=circle,
    refuses=(409,),
)
def answer(body: Mapping[str, Any], table_id: int, claim: MemberClaim) -> StandingTable:
    """Says whether the caller plays this week; they may change it until the hour."""
    standing.answer_next_occasion(site(), claim, table_id, body["yes"])
    return _table_as_sent(claim, table_id)


@blueprint.operation(
    "stopTable", "DELETE /circles/<circle_id>/tables/<int:table_id>", scopes=("create",), refuses=(403, 409)
)
def stop_table(table_id: int, claim: MemberClaim) -> None:
    """Stops a standing table, for the member who set it up and for the founder; matches that have begun go on."""
    standing.stop_table(site(), claim, table_id)
