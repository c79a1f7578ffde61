"""Seats before the start, withdrawing before it, and rematches."""

from collections.abc import Mapping
from typing import Annotated, Any

from flask import url_for
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.lobby.matches import Created, NewSeat, sheet, show_new_match, word_field
from pbem.api.protocol.answers import reference
from pbem.api.protocol.bodies import Nothing, RequestSchema
from pbem.api.protocol.callers import SEAT, caller, seat_claim, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once, state_seen
from pbem.api.protocol.problems import with_fields
from pbem.api.views.sheets import MatchSheet, Started, sheet_for, warnings
from pbem.errors import Invalid
from pbem.services.lobby import joining, match_request, rematches, reminding
from pbem.services.lobby import matches as services
from pbem.services.lobby.seating import SeatSeen
from pbem.services.tokens import SEAT_CLAIMS
from pbem.services.views import match_views
from pbem.services.who import ORGANISER, STRANGER

blueprint = Endpoints("tables", "A table's seats before the start, and the same match once more.")


class Again(RequestSchema):
    """What the player who asks for a rematch brings into it."""

    word = word_field(
        "The lucky word of the player who asks first (201), which the commitment covers. A later one (200) is not "
        "kept: its player sends it as they accept."
    )


class Rematch(Created, frozen=True, kw_only=True):
    """The match that plays this one again."""

    seat: Annotated[
        int | None, about("The caller's, with a personal token; null with a seat's own, whose owner gets a mail.")
    ]


@blueprint.operation(
    "playAgain",
    "POST /matches/<match_id>/rematch",
    who=SEAT,
    scopes=("create",),
    body=Again,
    body_required=False,
    status=201,
    repeatable=True,
    refuses=(409, 429),
)
@blueprint.alt_response(
    200, schema=reference(Rematch), success=True, description="Somebody had asked for it before: a `word` is not kept."
)
def rematch(body: Mapping[str, str], match_id: str) -> tuple[Rematch, int, dict[str, str]]:
    """Sets up a rematch of a finished match, with the caller on the first seat; later requests return the same one."""
    bearer = caller().bearer
    who = bearer.player_id if bearer is not None else STRANGER
    way = rematches.play_again(site(), seat_claim(), who, word=body.get("word"), once=once())
    where = url_for("api-matches.sheet", match_id=way.match_id)
    seat = None  # where its link is mailed
    if way.token is not None and way.seat != "mail":
        seat = site().tokens.read(SEAT_CLAIMS[way.seat], way.token).seat
    answer = Rematch(**asdict(show_new_match(way.match_id)), seat=seat)
    return answer, 201 if way.made else 200, {"Location": where}


@blueprint.operation(
    "putSeat",
    "PUT /matches/<match_id>/seats/<int:seat>",
    who=SEAT,
    scopes=("create",),
    body=NewSeat,
    example={"bot": "random"},
    if_match=sheet,
    refuses=(409, 429),
)
def put_seat(body: Mapping[str, Any], match_id: str, seat: int) -> MatchSheet:
    """Before the start, the organiser gives a seat that nobody has taken to somebody else, to a bot, or to anyone with
    its link. Its former links stop working; if no seat is left to fill, the match begins.
    """
    was = _was(seat)
    try:
        if "bot" in body:
            joining.fill(site(), seat_claim(), seat, body["bot"], was)
        elif "open" in body:
            joining.open_seat(site(), seat_claim(), seat, was)
        else:
            services.name_another(site(), seat_claim(), seat, match_request.Invitee(body["name"], body["email"]), was)
    except Invalid as problem:
        # Without facts it is about the invited person.
        fields_of = {"bot": "bot", "name": "name", "address": "email"}
        wrong = [field for fact, field in fields_of.items() if fact in problem.facts]
        raise with_fields(problem, *(wrong or ["email"])) from None
    return sheet_for(match_views.read_sheet(site(), match_id, viewer()), viewer())


def _was(seat: int) -> SeatSeen | None:
    """Returns the seat as its organiser has seen it; None if they do not say, or if there is none."""
    sheet_seen = state_seen()
    if sheet_seen is None or seat >= len(sheet_seen["seats"]):
        return None
    return SeatSeen(sheet_seen["seats"][seat]["name"], sheet_seen["seats"][seat]["status"])


@blueprint.operation(
    "remindSeat",
    "POST /matches/<match_id>/seats/<int:seat>/reminder",
    who=SEAT,
    scopes=("create",),
    body=Nothing,
    repeatable=True,
    refuses=(409, 429),
)
def remind(match_id: str, seat: int) -> MatchSheet:
    """Before the start, the organiser sends a player who has not answered the invitation once more.

    At least a day after the last one, and twice at most.
    """
    reminding.remind(site(), seat_claim(), seat, once=once())
    return sheet_for(match_views.read_sheet(site(), match_id, viewer()), viewer())


@blueprint.operation(
    "withdraw",
    "POST /matches/<match_id>/withdraw",
    who=SEAT,
    scopes=("create",),
    body=Nothing,
    if_match=sheet,
    refuses=(409,),
)
def withdraw(match_id: str) -> Started:
    """Before the start: the organiser cancels the match; anybody else gives up their seat."""
    left = services.withdraw(site(), seat_claim())
    shown = match_views.read_sheet(site(), left, ORGANISER)
    return Started(id=left, status=shown.status, warnings=warnings(shown))
