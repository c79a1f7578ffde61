"""A match: starting it, and looking at its sheet."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import marshmallow as ma
from flask import url_for
from marshmallow import fields, validate, validates_schema

from pbem.api.protocol.bodies import BoundedInt, Generated, RequestSchema, SingleLine, StrictBool, Word
from pbem.api.protocol.callers import ANYBODY, SOMEONE, language, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once
from pbem.api.protocol.problems import with_fields
from pbem.api.views.sheets import Commitment, MatchSheet, Started, sheet_for, warnings
from pbem.errors import N_, Invalid
from pbem.services.lobby import match_request, matches
from pbem.services.players.players import check_address, normalise_name
from pbem.services.views import match_views
from pbem.services.who import ORGANISER, Caller

CREATE = "api-matches.create"
BOUNDS = N_("The time for a turn must be between one minute and sixty days.")

blueprint = Endpoints("matches", "Matches, as everybody who may look sees them.")


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


def word_field(description: str) -> SingleLine:
    """Returns the field of a lucky word; an empty one counts as none."""
    return SingleLine(200, match_request.check_word, about=description)


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
    word = word_field(
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
def create(body: Mapping[str, Any], who: Caller) -> tuple[Created, dict[str, str]]:
    """Starts a match. Its organiser, the first seat, gets a mail and confirms it before anybody else is invited.

    Keep the commitment: it fixes the luck before anybody else has chosen a lucky word.

    With a player's token, and the player's own address on the first seat, the match is confirmed at once.
    """
    told = {name: value for name, value in body.items() if name not in ("seats", "clock")}
    wanted = {"language": language(), **told, **body.get("clock", {})}
    asked_for = match_request.NewMatch(seats=[_seat_request(seat) for seat in body["seats"]], **wanted)
    try:
        match_id = matches.create(site(), who, asked_for, once=once())
    except Invalid as problem:
        raise _locate(problem, body) from None
    where = url_for("api-matches.sheet", match_id=match_id)
    return show_new_match(match_id), {"Location": where}


def show_new_match(match_id: str) -> Created:
    """Returns a new match, as its creator may see it."""
    shown = match_views.read_sheet(site(), match_id, ORGANISER)
    return Created(id=match_id, status=shown.status, warnings=warnings(shown), commitment=shown.commitment)


def _seat_request(seat: Mapping[str, Any]) -> match_request.Invitee | match_request.BotSeat | match_request.OpenSeat:
    if "bot" in seat:
        return match_request.BotSeat(seat["bot"])
    return match_request.OpenSeat() if "open" in seat else match_request.Invitee(seat["name"], seat["email"])


def _locate(problem: Invalid, body: Mapping[str, Any]) -> Invalid:
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
            return with_fields(problem, *_alike(seats, "email", address, lambda typed: check_address(typed)[1]))
        case {"name": name, "other": other}:
            named = [
                n for n, seat in enumerate(seats) if "name" in seat and normalise_name(seat["name"]) in (name, other)
            ]
            return with_fields(problem, *(f"seats.{n}.name" for n in named))
        case {"name": name}:
            return with_fields(problem, *_alike(seats, "name", name, lambda typed: normalise_name(typed).casefold()))
    wrong = [kind for kind in ("bot", "open") if kind in seats[0]]
    return with_fields(problem, f"seats.0.{wrong[0]}") if wrong else problem


def _alike(seats: Sequence[Mapping[str, str]], field: str, value: str, form: Callable[[str], str]) -> list[str]:
    """Returns the paths of the seats whose field compares equal to this value."""
    return [f"seats.{n}.{field}" for n, seat in enumerate(seats) if field in seat and form(seat[field]) == form(value)]


@blueprint.operation("getMatch", "GET /matches/<match_id>", who=ANYBODY)
def sheet(match_id: str) -> MatchSheet:
    """Returns the match's sheet: status, seats, who is asked, deadlines, how it ended."""
    return sheet_for(match_views.read_sheet(site(), match_id, viewer()), viewer())
