"""Coming back to a seat, who plays for it meanwhile, resigning, and voting on a late seat."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, validate

from pbem.api.lobby.matches import sheet
from pbem.api.protocol.bodies import BoundedInt, Nothing, RequestSchema, ResponseSchema
from pbem.api.protocol.callers import SEAT, own_seat, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.preconditions import seen_state
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import MOST
from pbem.errors import N_, Invalid
from pbem.services.play import presence, seen, stand_ins, voting
from pbem.services.views import match_views

blueprint = Endpoints("presence", "Who is at the table: coming back, who plays meanwhile, resigning, voting.")


class Standing(ResponseSchema):
    """The caller's seat, and whether the clock moves for it."""

    seat = fields.Integer(required=True)
    absent = fields.Boolean(required=True)
    resigned = fields.Boolean(required=True)


class StandIn(ResponseSchema):
    """Who plays for the caller's seat while they are absent, which nobody else learns before it plays."""

    seat = fields.Integer(required=True)
    bot = fields.String(required=True, allow_none=True, metadata={"description": "Null: the fallback plays."})


class NewStandIn(RequestSchema):
    """The bot that plays for the caller while they are absent."""

    bot = fields.String(
        required=True,
        allow_none=True,
        validate=validate.Length(min=1, error=N_("Name a bot, or send null: then the fallback plays.")),
        metadata={"description": "One of the game's `bots`; null: the fallback plays."},
    )


class SeenUpTo(RequestSchema):
    """The entry up to which the player of the seat has seen what happened."""

    version = BoundedInt(0, MOST, required=True)


class Seen(ResponseSchema):
    """The entry up to which the player of the caller's seat has seen what happened, as they alone learn."""

    seat = fields.Integer(required=True)
    seen = fields.Integer(required=True)


class Ballot(RequestSchema):
    """A vote for letting the clock move for a seat that is late."""

    seat = BoundedInt(0, 15, required=True)


class Counted(ResponseSchema):
    """Whether the vote made the clock move."""

    played = fields.Boolean(required=True)


def _standing(match_id: str) -> dict[str, Any]:
    seat = own_seat()
    place = match_views.read_sheet(site(), match_id, seat).seats[seat]
    return {"seat": seat, "absent": place.absent, "resigned": place.resigned}


@blueprint.operation(
    "comeBack", "POST /matches/<match_id>/back", who=SEAT, body=Nothing, gives=Standing, if_match=sheet, refuses=(409,)
)
def back(match_id: str) -> dict[str, Any]:
    """Ends the caller's absence: the clock no longer plays for the seat. A move does the same."""
    presence.come_back(site(), seat_claim())
    return _standing(match_id)


@blueprint.operation("getStandIn", "GET /matches/<match_id>/stand-in", who=SEAT, gives=StandIn)
def stand_in(match_id: str) -> dict[str, Any]:
    """Returns who plays for the caller's seat while they are absent. Only its owner can read it."""
    return {"seat": own_seat(), "bot": stand_ins.read_stand_in(site(), seat_claim()) or None}


@blueprint.operation(
    "putStandIn",
    "PUT /matches/<match_id>/stand-in",
    who=SEAT,
    body=NewStandIn,
    gives=StandIn,
    if_match=stand_in,
    refuses=(409,),
)
def put_stand_in(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Chooses the bot that plays for the caller's seat while they are absent, or the fallback.

    It does not end an absence. Nobody else learns of the choice before the bot has played.
    """
    was, bot = seen_state(), body["bot"]
    try:
        stand_ins.choose_stand_in(site(), seat_claim(), bot or "", was=(was["bot"] or "") if was else None)
    except Invalid as problem:
        raise with_fields(problem, "bot") from None
    return {"seat": own_seat(), "bot": bot}


@blueprint.operation("markSeen", "PUT /matches/<match_id>/seen", who=SEAT, body=SeenUpTo, gives=Seen)
def mark_seen(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Notes that the player of the caller's seat has seen what happened up to this entry. It only ever grows.

    Their page and mails begin with what follows. A program that shows `getStory` to its player says so here.
    """
    try:
        return {"seat": own_seat(), "seen": seen.mark_seen(site(), seat_claim(), body["version"])}
    except Invalid as problem:
        raise with_fields(problem, "version") from None


@blueprint.operation(
    "resign", "POST /matches/<match_id>/resign", who=SEAT, body=Nothing, gives=Standing, if_match=sheet, refuses=(409,)
)
def resign(match_id: str) -> dict[str, Any]:
    """Resigns: the clock moves for the caller's seat until the end. This cannot be undone.

    If one seat is left that has not resigned, or only bots are, the match is over: its `outcome` says so.
    """
    presence.resign(site(), seat_claim())
    return _standing(match_id)


@blueprint.operation(
    "vote", "POST /matches/<match_id>/votes", who=SEAT, body=Ballot, gives=Counted, if_match=sheet, refuses=(409,)
)
def vote(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Votes for letting the clock move for a late seat; with the votes of more than half of the others it does."""
    return {"played": voting.vote(site(), seat_claim(), body["seat"])}
