"""A match: starting it, and its sheet."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import marshmallow as ma
from flask import url_for
from marshmallow import fields, validate, validates_schema

from pbem.api.bodies import Generated, Line, Query, Shown, Strict, Truth, Whole
from pbem.api.callers import site, viewer
from pbem.api.document import Endpoints
from pbem.api.generated import OPTIONS_SHOWN
from pbem.api.language import language
from pbem.api.problems import located
from pbem.clock import iso
from pbem.errors import N_, Invalid
from pbem.rules.codec import plain
from pbem.services import joining, matches, rematches, views, wanted
from pbem.services.players import checked_address, checked_name
from pbem.services.views import OpenAsk, Sheet
from pbem.services.voting import LATE, WHEN_LATE

STATUSES = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")
CREATE = "api-matches.create"
BOUNDS = N_("The time for a turn must be between one minute and sixty days.")

blueprint = Endpoints("matches", "Matches, as everybody who may look sees them.")


class NewSeat(Strict):
    """Who is to play: a person by name and address, a bot by its name, or whoever holds the seat's link.

    The first is the organiser, a person.
    """

    name = Line(200, checked_name, metadata={"description": "What the others call him: at most 24 letters."})
    email = Line(254, checked_address)
    bot = Line(40, metadata={"description": "A program that fills the seat: one of the game's `bots`."})
    open = Truth(
        validate=validate.Equal(True, error=N_("An open seat says true.")),
        metadata={"description": "A seat for whoever holds its link: `join` in the match's sheet, for the organiser."},
    )

    @validates_schema
    def one_kind(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuses what is nothing, or several things."""
        others = [name for name in ("bot", "open") if name in data]
        if others and len(data) > 1:
            raise ma.ValidationError({others[0]: [N_("A seat is either for a person, or for a bot, or open.")]})
        missing = [] if others else [name for name in ("name", "email") if name not in data]
        if missing:
            raise ma.ValidationError({name: [N_("Missing data for required field.")] for name in missing})


class Clock(Strict):
    """Seconds for a turn, and for an answer outside one's own turn; the site's own where left out."""

    turn_s = Whole(wanted.TURN_MIN_S, wanted.TURN_MAX_S, refusal=BOUNDS)
    window_s = Whole(wanted.TURN_MIN_S, wanted.TURN_MAX_S, refusal=BOUNDS)
    bank_s = Whole(
        wanted.TURN_MIN_S, wanted.TURN_MAX_S, refusal=BOUNDS,
        metadata={"description": "A capped bank for all turns of a seat, in place of a time for each turn."},
    )  # fmt: skip
    increment_s = Whole(
        0, wanted.TURN_MAX_S, refusal=BOUNDS, metadata={"description": "What each turn adds to the bank."}
    )
    late = fields.String(
        validate=validate.OneOf(LATE, error=WHEN_LATE),
        metadata={
            "description": "When the grace is over: the `fallback` plays (usual), or the others take a `vote` on it."
        },
    )


class NewMatch(Strict):
    """What a match is started from."""

    game = Line(40, required=True)
    seats = fields.List(fields.Nested(NewSeat), required=True, validate=validate.Length(1, 16))
    options = Generated("Options")
    clock = fields.Nested(Clock)
    spectators = Truth(metadata={"description": "Whether whoever knows the match's id may look; true unless given."})
    language = fields.String(
        validate=validate.OneOf(("fr", "en"), error=N_("The language must be “fr” or “en”.")),
        metadata={"description": "Of the first mails; everybody chooses his own later."},
    )


class Started(Shown):
    """A match by its id, and how far it is."""

    id = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))


class Holiday(Shown):
    """Days, in the player's own zone, on which his clock stands still."""

    first = fields.Date(required=True)
    last = fields.Date(required=True)


class SheetSeat(Shown):
    """A place at the table."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(("open", "invited", "accepted", "declined")))
    asked = fields.Boolean(required=True)
    bot = fields.String(required=True, allow_none=True, metadata={"description": "The program that sits here."})
    absent = fields.Boolean(required=True, metadata={"description": "The clock plays until the owner comes back."})
    resigned = fields.Boolean(required=True, metadata={"description": "The clock plays until the end."})
    bank_s = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Seconds left for all its turns; null without a bank."}
    )
    holidays = fields.List(fields.Nested(Holiday), required=True)
    join = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The link of an open seat, for the organiser to give on; null for everybody else. "
            "Its last segment is the token of POST /join."
        },
    )


class Vote(Shown):
    """The others may let the clock play for who is late: POST votes."""

    voters = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that may vote."})
    cast = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that are for it."})
    needed = fields.Integer(required=True, metadata={"description": "So many votes let the clock play."})


class SheetAsk(Shown):
    """An open question: to whom, until when, and when the clock answers it."""

    seat = fields.Integer(required=True)
    key = fields.String(required=True)
    kind = fields.String(required=True)
    deadline = fields.String(required=True, metadata={"format": "date-time"})
    grace_until = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "format": "date-time",
            "description": "When the clock plays: a grace after the deadline. Null: not by itself, or its mail has "
            "not left yet.",
        },
    )
    vote = fields.Nested(
        Vote, required=True, allow_none=True, metadata={"description": "Null: there is nothing to vote on."}
    )


class Outcome(Shown):
    """How the match ended: a key of the game's `endings`, the winning seats, the scores where there are any."""

    reason = fields.String(required=True)
    winners = fields.List(fields.Integer(), required=True)
    scores = fields.List(fields.Integer(), required=True, allow_none=True)


class SheetClock(Shown):
    """Seconds for a turn, and for an answer outside one's own turn; what happens when the time is up."""

    turn_s = fields.Integer(required=True)
    window_s = fields.Integer(required=True)
    late = fields.String(required=True, validate=validate.OneOf(LATE))
    bank_s = fields.Integer(required=True, allow_none=True, metadata={"description": "Null: a time for each turn."})
    increment_s = fields.Integer(required=True)


def _moment() -> fields.String:
    return fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class MatchSheet(Started):
    """What everybody who may see the match knows of it."""

    game = fields.String(required=True)
    version = fields.Integer(required=True, metadata={"description": "The number of the last entry of its log."})
    viewer = fields.Integer(required=True, allow_none=True, metadata={"description": "Your seat; null: spectator."})
    options = Generated(OPTIONS_SHOWN, required=True)
    seats = fields.List(fields.Nested(SheetSeat), required=True)
    asks = fields.List(fields.Nested(SheetAsk), required=True)
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    cancelled = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why it was called off: withdrawn, lapsed, host, abandoned."},
    )
    spectators = fields.Boolean(required=True)
    clock = fields.Nested(SheetClock, required=True)
    rematch = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match that plays this one again."}
    )
    seed_sha256 = fields.String(required=True)
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    started_at = _moment()
    ended_at = _moment()


def _seats(sheet: Sheet, seat: int | None) -> list[dict[str, Any]]:
    tokens = joining.join_tokens(site(), sheet.id, seat)
    links = {number: site().url(f"/join/{token}") for number, token in tokens.items()}
    return [
        asdict(place)
        | {
            "join": links.get(place.seat),
            "holidays": [{"first": first, "last": last} for first, last in place.holidays],
        }
        for place in sheet.seats
    ]


def _ask(ask: OpenAsk) -> dict[str, Any]:
    return {
        "seat": ask.seat, "key": ask.key, "kind": ask.kind, "deadline": iso(ask.deadline),
        "grace_until": ask.acts_at and iso(ask.acts_at), "vote": ask.vote,
    }  # fmt: skip


def _sheet(sheet: Sheet, seat: int | None) -> dict[str, Any]:
    return {
        "id": sheet.id,
        "status": sheet.status,
        "game": sheet.game.meta.slug,
        "version": sheet.version,
        "viewer": seat,
        "options": plain(sheet.options),
        "seats": _seats(sheet, seat),
        "asks": [_ask(ask) for ask in sheet.asks],
        "outcome": sheet.outcome,
        "cancelled": sheet.cancelled,
        "spectators": sheet.spectators,
        "clock": sheet,
        "rematch": rematches.read_rematch(site(), sheet.id) if sheet.over else None,
        "seed_sha256": sheet.seed_sha256,
        "created_at": iso(sheet.created_at),
        "started_at": sheet.started_at and iso(sheet.started_at),
        "ended_at": sheet.ended_at and iso(sheet.ended_at),
    }


@blueprint.route("/matches", methods=["POST"])
@blueprint.doc(operationId="createMatch")
@blueprint.refuses(400, 413, 415, 429, 503)
@blueprint.arguments(Query, location="query")
@blueprint.arguments(
    NewMatch,
    example={
        "game": "hogen",
        "seats": [{"name": name, "email": f"{name.lower()}@example.org"} for name in ("Alice", "Bob", "Carol")],
    },
)
@blueprint.response(201, Started)
def create(query: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Starts a match. Its organiser, the first seat, gets a mail and confirms before anybody else is written to."""
    clock = body.get("clock", {})
    asked_for = matches.NewMatch(
        game=body["game"],
        seats=[_wanted(seat) for seat in body["seats"]],
        options=body.get("options", {}),
        turn_s=clock.get("turn_s"),
        window_s=clock.get("window_s"),
        late=clock.get("late"),
        bank_s=clock.get("bank_s"),
        increment_s=clock.get("increment_s"),
        spectators=body.get("spectators", True),
        language=body.get("language", language()),
    )
    try:
        match_id = matches.create(site(), asked_for)
    except Invalid as problem:
        raise _located(problem, body) from None
    where = url_for("api-matches.sheet", match_id=match_id)
    return {"id": match_id, "status": "unconfirmed"}, {"Location": where}


def _wanted(seat: Mapping[str, Any]) -> matches.Invitee | matches.BotSeat | matches.OpenSeat:
    if "bot" in seat:
        return matches.BotSeat(seat["bot"])
    return matches.OpenSeat() if "open" in seat else matches.Invitee(seat["name"], seat["email"])


def _located(problem: Invalid, body: Mapping[str, Any]) -> Invalid:
    """What the service refuses of the body as a whole, said of its fields: the facts tell which it is about."""
    facts, seats = problem.facts, body["seats"]
    match facts:
        case {"count": _}:
            return located(problem, "seats")
        case {"game": _}:
            return located(problem, "game")
        case {"why": why}:
            message = N_("These options do not fit. GET /api/v1/games/%(game)s has the schema of its options.")
            return located(Invalid(message, {"game": body["game"]}, extra={"why": why}), "options")
        case {"bot": bot}:
            return located(problem, *(f"seats.{n}.bot" for n, seat in enumerate(seats) if seat.get("bot") == bot))
        case {"address": address}:
            return located(problem, *_alike(seats, "email", address, lambda typed: checked_address(typed)[1]))
        case {"name": name}:
            return located(problem, *_alike(seats, "name", name, lambda typed: checked_name(typed).casefold()))
    wrong = [kind for kind in ("bot", "open") if kind in seats[0]]
    return located(problem, f"seats.0.{wrong[0]}") if wrong else problem


def _alike(seats: Sequence[Mapping[str, str]], field: str, value: str, form: Callable[[str], str]) -> list[str]:
    """The paths of the seats whose field compares equal to this value."""
    return [f"seats.{n}.{field}" for n, seat in enumerate(seats) if field in seat and form(seat[field]) == form(value)]


@blueprint.route("/matches/<match_id>")
@blueprint.doc(operationId="getMatch", security=[{"seat": []}, {}])
@blueprint.refuses(401, 403, 404)
@blueprint.arguments(Query, location="query")
@blueprint.response(200, MatchSheet)
def sheet(query: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """The match's sheet: status, seats, who is asked, deadlines, how it ended."""
    return _sheet(views.read_sheet(site(), match_id, viewer()), viewer())
