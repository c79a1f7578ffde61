"""Coming back to a seat, who plays for it meanwhile, resigning, and voting on a late seat."""

from collections.abc import Mapping
from typing import Annotated, Any

from marshmallow import validate
from msgspec import Struct

from pbem.answers import about
from pbem.api.lobby.matches import sheet
from pbem.api.protocol.bodies import BoundedInt, Nothing, RequestSchema, Text
from pbem.api.protocol.callers import SEAT, own_seat, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import state_seen
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import MOST
from pbem.errors import N_, Invalid
from pbem.services.play import presence, stand_ins, voting
from pbem.services.views import match_views

blueprint = Endpoints("presence", "Who is at the table: coming back, who plays meanwhile, resigning, voting.")


class Standing(Struct, frozen=True):
    """The caller's seat, and whether the clock moves for it."""

    seat: int
    absent: bool
    resigned: bool


class StandIn(Struct, frozen=True):
    """Who plays for the caller's seat while they are absent, which nobody else learns before it plays."""

    seat: int
    bot: Annotated[str | None, about("Null: the fallback plays.")]


class NewStandIn(RequestSchema):
    """The bot that plays for the caller while they are absent."""

    bot = Text(
        required=True,
        allow_none=True,
        validate=validate.Length(min=1, error=N_("Name a bot, or send null: then the fallback plays.")),
        about="One of the game's `bots`; null: the fallback plays.",
    )


class SeenUpTo(RequestSchema):
    """The entry up to which the player of the seat has seen what happened."""

    version = BoundedInt(0, MOST, required=True)


class Seen(Struct, frozen=True):
    """The entry up to which the player of the caller's seat has seen what happened, as they alone learn."""

    seat: int
    seen: int


class Ballot(RequestSchema):
    """A vote for letting the clock move for a seat that is late."""

    seat = BoundedInt(0, 15, required=True)


class Counted(Struct, frozen=True):
    """Whether the vote made the clock move."""

    played: bool


def _standing(match_id: str) -> Standing:
    seat = own_seat()
    place = match_views.read_sheet(site(), match_id, seat).seats[seat]
    return Standing(seat, place.absent, place.resigned)


@blueprint.operation(
    "comeBack", "POST /matches/<match_id>/back", who=SEAT, body=Nothing, if_match=sheet, refuses=(409,)
)
def back(match_id: str) -> Standing:
    """Ends the caller's absence: the clock no longer plays for the seat. A move does the same."""
    presence.come_back(site(), seat_claim())
    return _standing(match_id)


@blueprint.operation("getStandIn", "GET /matches/<match_id>/stand-in", who=SEAT)
def stand_in(match_id: str) -> StandIn:
    """Returns who plays for the caller's seat while they are absent. Only its owner can read it."""
    return StandIn(own_seat(), stand_ins.read_stand_in(site(), seat_claim()) or None)


@blueprint.operation(
    "putStandIn", "PUT /matches/<match_id>/stand-in", who=SEAT, body=NewStandIn, if_match=stand_in, refuses=(409,)
)
def put_stand_in(body: Mapping[str, Any], match_id: str) -> StandIn:
    """Chooses the bot that plays for the caller's seat while they are absent, or the fallback.

    It does not end an absence. Nobody else learns of the choice before the bot has played.
    """
    was, bot = state_seen(), body["bot"]
    try:
        stand_ins.choose_stand_in(site(), seat_claim(), bot or "", was=(was["bot"] or "") if was else None)
    except Invalid as problem:
        raise with_fields(problem, "bot") from None
    return StandIn(own_seat(), bot)


@blueprint.operation("markSeen", "PUT /matches/<match_id>/seen", who=SEAT, body=SeenUpTo)
def mark_seen(body: Mapping[str, Any], match_id: str) -> Seen:
    """Notes that the player of the caller's seat has seen what happened up to this entry. It only ever grows.

    Their page and mails begin with what follows. A program that shows `getStory` to its player says so here.
    """
    try:
        return Seen(own_seat(), presence.mark_seen(site(), seat_claim(), body["version"]))
    except Invalid as problem:
        raise with_fields(problem, "version") from None


@blueprint.operation(
    "resign", "POST /matches/<match_id>/resign", who=SEAT, body=Nothing, if_match=sheet, refuses=(409,)
)
def resign(match_id: str) -> Standing:
    """Resigns: the clock moves for the caller's seat until the end. This cannot be undone.

    If one seat is left that has not resigned, or only bots are, the match is over: its `outcome` says so.
    """
    presence.resign(site(), seat_claim())
    return _standing(match_id)


@blueprint.operation("vote", "POST /matches/<match_id>/votes", who=SEAT, body=Ballot, if_match=sheet, refuses=(409,))
def vote(body: Mapping[str, Any], match_id: str) -> Counted:
    """Votes for letting the clock move for a late seat; with the votes of more than half of the others it does."""
    return Counted(voting.vote(site(), seat_claim(), body["seat"]))
