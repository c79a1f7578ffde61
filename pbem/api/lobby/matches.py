"""A match: starting it, looking at its sheet; its seats before the start, leaving before it, playing it again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import marshmallow as ma
from flask import url_for
from marshmallow import fields, validate, validates_schema
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.protocol.answers import schema_reference
from pbem.api.protocol.bodies import BoundedInt, Generated, Nothing, RequestSchema, SingleLine, StrictBool, Word
from pbem.api.protocol.callers import ANYBODY, SEAT, SOMEONE, caller, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key, state_seen
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import Commitment, MatchSheet, Started, sheet_for_seat, warnings_in_words
from pbem.errors import N_, Invalid
from pbem.kit.contract import Viewer
from pbem.services.lobby import joining, match_request, matches, rematches, reminding
from pbem.services.lobby.seating import SeatSeen
from pbem.services.players.players import check_address, normalise_name
from pbem.services.tokens import SEAT_CLAIMS, SeatClaim
from pbem.services.views import match_views
from pbem.services.who import ORGANISER, STRANGER, Caller

CREATE = "api-matches.create_match"
BOUNDS = N_("The time for a turn must be between one minute and sixty days.")

blueprint = Endpoints("matches", "Matches, as everybody who may look sees them.")
tables = Endpoints("tables", "A table's seats before the start, and the same match once more.", who=SEAT)


class NewSeat(RequestSchema):
    """A seat's player: a person by name and address, a bot by its name, or anyone with the seat's link.

    The first is the organiser, a person.
    """

    name = SingleLine(200, normalise_name, about="What the others call the player: at most 24 letters.")
    email = SingleLine(254, check_address)
    bot = SingleLine(40, about="A program that fills the seat: one of the game's `bots`.")
    open = StrictBool(
        validate=validate.Equal(True, error=N_("An open seat says true.")),
        about="A seat for anyone who holds its link: `join` in the match's sheet, for the organiser.",
    )

    @validates_schema
    def one_kind(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuses a seat that is none of these kinds, or several."""
        others = [name for name in ("bot", "open") if name in data]
        if others and len(data) > 1:
            raise ma.ValidationError({others[0]: [N_("A seat is either for a person, or for a bot, or open.")]})
        missing = [] if others else [name for name in ("name", "email") if name not in data]
        if missing:
            raise ma.ValidationError({name: [N_("Missing data for required field.")] for name in missing})


def lucky_word_field(description: str) -> SingleLine:
    """Returns the field of a lucky word; an empty one counts as none."""
    return SingleLine(200, match_request.normalise_and_check_lucky_word, about=description)


class Clock(RequestSchema):
    """Seconds for a turn, and for an answer during another's turn; by default those of the site."""

    turn_s = BoundedInt(match_request.TURN_MIN_S, match_request.TURN_MAX_S, refusal=BOUNDS)
    window_s = BoundedInt(match_request.TURN_MIN_S, match_request.TURN_MAX_S, refusal=BOUNDS)
    bank_s = BoundedInt(
        match_request.TURN_MIN_S, match_request.TURN_MAX_S, refusal=BOUNDS,
        about="A capped bank for all turns of a seat, in place of a time for each turn."
    )  # fmt: skip
    increment_s = BoundedInt(0, match_request.TURN_MAX_S, refusal=BOUNDS, about="What each turn adds to the bank.")
    late = Word(
        match_request.LATE,
        match_request.WHEN_LATE,
        about="When the grace is over: the `fallback` plays (usual), or the others take a `vote` on it.",
    )
    windows = Word(
        match_request.WINDOWS,
        match_request.WHICH_WINDOWS,
        about="What is asked during another's turn: `silent` (usual), so that nobody sees when or how "
        "anybody answers before all have and a drawn time is past; or it closes `at_once`, and how fast somebody "
        "answers tells what they hold.",
    )


class NewMatch(RequestSchema):
    """A new match."""

    game = SingleLine(40, required=True)
    seats = fields.List(fields.Nested(NewSeat), required=True, validate=validate.Length(1, 16))
    options = Generated("Options")
    clock = fields.Nested(Clock)
    spectators = StrictBool(about="Whether anyone who knows the match's id may look; true unless given.")
    language = Word(
        ("fr", "en"),
        N_("The language must be “fr” or “en”."),
        about="Of the first mails; everybody chooses their own later.",
    )
    takebacks = Word(
        match_request.TAKEBACKS,
        match_request.WHAT_BACK,
        about="What can be taken back: with the others' `consent` also what they have seen (usual), or "
        "only what is `free`: nobody has learned anything from it.",
    )
    word = lucky_word_field(
        "The organiser's lucky word, which the commitment covers: at most 40 characters. Without one, it follows from "
        "the seed."
    )


class Created(Started, frozen=True, kw_only=True):
    """A new match, and the commitment to its luck."""

    commitment: Commitment


@blueprint.operation(
    "createMatch",
    "POST /matches",
    who=SOMEONE,
    scopes=("create",),
    body=NewMatch,
    example={
        "game": "hogen",
        "seats": [{"name": name, "email": f"{name.lower()}@example.org"} for name in ("Alice", "Bob", "Carol")],
    },
    status=201,
    repeatable=True,
    refuses=(429,),
)
def create_match(body: Mapping[str, Any], who: Caller) -> tuple[Created, dict[str, str]]:
    """Starts a match. Its organiser, the first seat, gets a mail and confirms it before anybody else is invited.

    Keep the commitment: it fixes the luck before anybody else has chosen a lucky word.

    With a player's token, and the player's own address on the first seat, the match is confirmed at once.
    """
    told = {name: value for name, value in body.items() if name not in ("seats", "clock")}
    wanted = {"language": language(), **told, **body.get("clock", {})}
    asked_for = match_request.NewMatch(seats=[_seat_request(seat) for seat in body["seats"]], **wanted)
    try:
        match_id = matches.create_match(site(), who, asked_for, once=idempotency_key())
    except Invalid as problem:
        raise _name_wrong_fields(problem, body) from None
    where = url_for("api-matches.match_sheet", match_id=match_id)
    return show_new_match(match_id), {"Location": where}


def show_new_match(match_id: str) -> Created:
    """Returns a new match, as its creator may see it."""
    shown = match_views.read_sheet(site(), match_id, ORGANISER)
    return Created(id=match_id, status=shown.status, warnings=warnings_in_words(shown), commitment=shown.commitment)


def _seat_request(seat: Mapping[str, Any]) -> match_request.Invitee | match_request.BotSeat | match_request.OpenSeat:
    if "bot" in seat:
        return match_request.BotSeat(seat["bot"])
    return match_request.OpenSeat() if "open" in seat else match_request.Invitee(seat["name"], seat["email"])


def _name_wrong_fields(problem: Invalid, body: Mapping[str, Any]) -> Invalid:
    """Turns a refusal by the service into one of single fields of the body: its facts tell which ones."""
    facts, seats = problem.facts, body["seats"]
    match facts:
        case {"count": _}:
            return with_fields(problem, "seats")
        case {"game": _}:
            return with_fields(problem, "game")
        case {"why": why}:
            message = N_("These options are not valid. GET /api/v1/games/%(game)s returns their schema.")
            return with_fields(Invalid(message, {"game": body["game"]}, extra={"why": why}), "options")
        case {"bot": bot}:
            return with_fields(problem, *(f"seats.{n}.bot" for n, seat in enumerate(seats) if seat.get("bot") == bot))
        case {"address": address}:
            return with_fields(
                problem, *_paths_with_same_value(seats, "email", address, lambda typed: check_address(typed)[1])
            )
        case {"name": name, "other": other}:
            named = [
                n for n, seat in enumerate(seats) if "name" in seat and normalise_name(seat["name"]) in (name, other)
            ]
            return with_fields(problem, *(f"seats.{n}.name" for n in named))
        case {"name": name}:
            return with_fields(
                problem, *_paths_with_same_value(seats, "name", name, lambda typed: normalise_name(typed).casefold())
            )
    wrong = [kind for kind in ("bot", "open") if kind in seats[0]]
    return with_fields(problem, f"seats.0.{wrong[0]}") if wrong else problem


def _paths_with_same_value(
    seats: Sequence[Mapping[str, str]], field: str, value: str, form: Callable[[str], str]
) -> list[str]:
    """Returns the paths of the seats whose field compares equal to this value."""
    return [f"seats.{n}.{field}" for n, seat in enumerate(seats) if field in seat and form(seat[field]) == form(value)]


@blueprint.operation("getMatch", "GET /matches/<match_id>", who=ANYBODY)
def match_sheet(match_id: str, viewer: Viewer) -> MatchSheet:
    """Returns the match's sheet: status, seats, who is asked, deadlines, how it ended."""
    return sheet_for_seat(match_views.read_sheet(site(), match_id, viewer), viewer)


# --- before the start, and again --------------------------------------------------------------------------------------


class Again(RequestSchema):
    """What the player who asks for a rematch brings into it."""

    word = lucky_word_field(
        "The lucky word of the player who asks first (201), which the commitment covers. A later one (200) is not "
        "kept: its player sends it as they accept."
    )


class Rematch(Created, frozen=True, kw_only=True):
    """The match that plays this one again."""

    seat: Annotated[
        int | None, about("The caller's, with a personal token; null with a seat's own, whose owner gets a mail.")
    ]


@tables.operation(
    "playAgain",
    "POST /matches/<match_id>/rematch",
    scopes=("create",),
    body=Again,
    body_required=False,
    status=201,
    repeatable=True,
    refuses=(409, 429),
)
@tables.alt_response(
    200,
    schema=schema_reference(Rematch),
    success=True,
    description="Somebody had asked for it before: a `word` is not kept.",
)
def rematch(body: Mapping[str, str], claim: SeatClaim) -> tuple[Rematch, int, dict[str, str]]:
    """Sets up a rematch of a finished match, with the caller on the first seat; later requests return the same one."""
    bearer = caller().bearer
    who = bearer.player_id if bearer is not None else STRANGER
    way = rematches.find_or_create_rematch(site(), claim, who, word=body.get("word"), once=idempotency_key())
    where = url_for("api-matches.match_sheet", match_id=way.match_id)
    seat = None  # where its link is mailed
    if way.token is not None and way.seat != "mail":
        seat = site().tokens.read(SEAT_CLAIMS[way.seat], way.token).seat
    answer = Rematch(**asdict(show_new_match(way.match_id)), seat=seat)
    return answer, 201 if way.made else 200, {"Location": where}


@tables.operation(
    "putSeat",
    "PUT /matches/<match_id>/seats/<int:seat>",
    scopes=("create",),
    body=NewSeat,
    example={"bot": "random"},
    if_match=match_sheet,
    refuses=(409, 429),
)
def put_seat(body: Mapping[str, Any], claim: SeatClaim, seat: int) -> MatchSheet:
    """Before the start, the organiser gives a seat that nobody has taken to somebody else, to a bot, or to anyone with
    its link. Its former links stop working; if no seat is left to fill, the match begins.
    """
    was = _seat_seen_by_organiser(seat)
    try:
        if "bot" in body:
            joining.fill_with_bot(site(), claim, seat, body["bot"], was)
        elif "open" in body:
            joining.open_seat(site(), claim, seat, was)
        else:
            matches.invite_to_untaken_seat(site(), claim, seat, match_request.Invitee(body["name"], body["email"]), was)
    except Invalid as problem:
        # Without facts it is about the invited person.
        fields_of = {"bot": "bot", "name": "name", "address": "email"}
        wrong = [field for fact, field in fields_of.items() if fact in problem.facts]
        raise with_fields(problem, *(wrong or ["email"])) from None
    return sheet_for_seat(match_views.read_sheet(site(), claim.match_id, claim.seat), claim.seat)


def _seat_seen_by_organiser(seat: int) -> SeatSeen | None:
    """Returns the seat as its organiser has seen it; None if they do not say, or if there is none."""
    sheet_seen = state_seen()
    if sheet_seen is None or seat >= len(sheet_seen["seats"]):
        return None
    return SeatSeen(sheet_seen["seats"][seat]["name"], sheet_seen["seats"][seat]["status"])


@tables.operation(
    "remindSeat",
    "POST /matches/<match_id>/seats/<int:seat>/reminder",
    scopes=("create",),
    body=Nothing,
    repeatable=True,
    refuses=(409, 429),
)
def remind_invited(claim: SeatClaim, seat: int) -> MatchSheet:
    """Before the start, the organiser sends a player who has not answered the invitation once more.

    At least a day after the last one, and twice at most.
    """
    reminding.remind_invited_player(site(), claim, seat, once=idempotency_key())
    return sheet_for_seat(match_views.read_sheet(site(), claim.match_id, claim.seat), claim.seat)


@tables.operation(
    "withdraw",
    "POST /matches/<match_id>/withdraw",
    scopes=("create",),
    body=Nothing,
    if_match=match_sheet,
    refuses=(409,),
)
def cancel_or_leave_match(claim: SeatClaim) -> Started:
    """Before the start: the organiser cancels the match; anybody else gives up their seat."""
    left = matches.cancel_or_leave_match(site(), claim)
    shown = match_views.read_sheet(site(), left, ORGANISER)
    return Started(id=left, status=shown.status, warnings=warnings_in_words(shown))
