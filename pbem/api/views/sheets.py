"""A match's sheet, which everybody who may see the match gets: its schema and its JSON."""

from dataclasses import asdict
from typing import Any

from marshmallow import fields, validate

from pbem.api.protocol.bodies import Generated, ResponseSchema
from pbem.api.protocol.callers import site
from pbem.api.protocol.generated import OPTIONS_SHOWN
from pbem.clock import iso
from pbem.kit.codec import plain
from pbem.kit.logs.logfile import DEAL
from pbem.kit.texts import LANGS
from pbem.render import problems
from pbem.services.lobby import joining, rematches
from pbem.services.lobby.match_request import AT_ONCE, LATE, SILENT, TAKEBACKS, WINDOWS
from pbem.services.play import substitutes
from pbem.services.results.standing import Standing
from pbem.services.views.match_views import OpenAsk, Sheet

STATUSES = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")


class InBothLanguages(ResponseSchema):
    """A sentence for a reader, in each language."""

    fr = fields.String(required=True)
    en = fields.String(required=True)


class Warned(ResponseSchema):
    """A warning that the players should see, though nothing was refused."""

    code = fields.String(required=True, validate=validate.OneOf(("names_alike",)))
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that it is about."})
    text = fields.Nested(InBothLanguages, required=True)


def commitment_field() -> fields.String:
    """Returns the field of a match's commitment."""
    return fields.String(
        required=True,
        metadata={
            "description": "The commitment to its luck, made before anybody but the organiser has chosen a lucky word: "
            "64 digits that fix the seed and that word. Keep it to check the log at the end; it does not say how the "
            "seed was chosen."
        },
    )


class Started(ResponseSchema):
    """A match: id, status, warnings."""

    id = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    warnings = fields.List(
        fields.Nested(Warned),
        required=True,
        metadata={"description": "`names_alike`: the names on these seats look alike. Mostly empty."},
    )


class Holiday(ResponseSchema):
    """Days, in the player's own time zone, on which their clock stops."""

    first = fields.Date(required=True)
    last = fields.Date(required=True)


class RatingShown(ResponseSchema):
    """A rating in a game: the value, and how far the true one may be from it 19 times in 20."""

    value = fields.Integer(required=True)
    plus_minus = fields.Integer(required=True)
    matches = fields.Integer(required=True, metadata={"description": "How many matches have changed it."})


class PaceShown(ResponseSchema):
    """How fast a player usually answers: the median, over their matches that are over, of the median in each."""

    median_s = fields.Integer(required=True, metadata={"description": "In seconds."})
    matches = fields.Integer(required=True, metadata={"description": "Ten or more."})


class SheetSeat(ResponseSchema):
    """A seat."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(("open", "invited", "accepted", "declined")))
    asked = fields.Boolean(required=True)
    bot = fields.String(required=True, allow_none=True, metadata={"description": "The program that sits here."})
    absent = fields.Boolean(required=True, metadata={"description": "The clock moves until the owner comes back."})
    resigned = fields.Boolean(required=True, metadata={"description": "The clock moves until the end."})
    bank_s = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Seconds left for all its turns; null without a bank."}
    )
    holidays = fields.List(fields.Nested(Holiday), required=True)
    bounces = fields.Boolean(
        required=True,
        metadata={"description": "Mail to the player is refused, so they may not know that they are asked."},
    )
    rating = fields.Nested(
        RatingShown, metadata={"description": "In this game; only if the player wants ratings and has one."}
    )
    pace = fields.Nested(PaceShown, metadata={"description": "Only if the player shows it."})
    join = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The link of an open seat, for the organiser to give on; null for everybody else. "
            "Its last segment is the token of POST /join."
        },
    )
    substitute = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The link to a seat that was left, for anyone at the table to give on; null for "
            "everybody else. Its last segment is the token of POST /substitute."
        },
    )


class Vote(ResponseSchema):
    """A vote by which the others may let the clock move for a late seat: POST votes."""

    voters = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that may vote."})
    cast = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that are for it."})
    needed = fields.Integer(required=True, metadata={"description": "So many votes let the clock move."})


class SheetAsk(ResponseSchema):
    """An open question: to whom, until when, and when the clock answers it."""

    seat = fields.Integer(required=True)
    key = fields.String(required=True)
    kind = fields.String(required=True)
    deadline = fields.String(
        required=True,
        allow_none=True,
        metadata={"format": "date-time", "description": "Null: the match has no deadlines."},
    )
    grace_until = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "format": "date-time",
            "description": "When the clock moves: a grace after the deadline. Null: not by itself, or its mail has "
            "not left yet.",
        },
    )
    vote = fields.Nested(
        Vote, required=True, allow_none=True, metadata={"description": "Null: there is nothing to vote on."}
    )


class Outcome(ResponseSchema):
    """How the match ended: a key of the game's `endings`, the winning seats, the scores, if any."""

    reason = fields.String(required=True)
    winners = fields.List(fields.Integer(), required=True)
    scores = fields.List(fields.Integer(), required=True, allow_none=True)


class SheetClock(ResponseSchema):
    """Seconds for a turn, and for an answer during another's turn; what happens when the time is up."""

    turn_s = fields.Integer(required=True)
    window_s = fields.Integer(required=True)
    late = fields.String(required=True, validate=validate.OneOf(LATE))
    bank_s = fields.Integer(required=True, allow_none=True, metadata={"description": "Null: a time for each turn."})
    increment_s = fields.Integer(required=True)
    windows = fields.Function(
        lambda sheet: SILENT if sheet.silent else AT_ONCE,
        required=True,
        metadata={"type": "string", "enum": [*WINDOWS]},
    )


class OpenRequest(ResponseSchema):
    """Somebody asks the others to let them take back what was played after entry `to`: POST takeback/consent."""

    seat = fields.Integer(required=True)
    to = fields.Integer(required=True)
    needed = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that must agree."})
    agreed = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that have agreed."})


def _moment() -> fields.String:
    return fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class MatchSheet(Started):
    """What everybody who may see the match may know of it."""

    game = fields.String(required=True)
    version = fields.Integer(required=True, metadata={"description": "The number of the last entry of its log."})
    seen = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "The number of the last entry that you have seen, by `markSeen` or by an answer. Null: "
            "spectator, or not recorded. Nobody else learns of it."
        },
    )
    viewer = fields.Integer(required=True, allow_none=True, metadata={"description": "Your seat; null: spectator."})
    options = Generated(OPTIONS_SHOWN, required=True)
    seats = fields.List(fields.Nested(SheetSeat), required=True)
    asks = fields.List(fields.Nested(SheetAsk), required=True)
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    cancelled = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why it was called off: withdrawn, lapsed, host, abandoned, season."},
    )
    spectators = fields.Boolean(required=True)
    clock = fields.Nested(
        SheetClock,
        required=True,
        allow_none=True,
        metadata={"description": "Null: one person plays against bots, without deadlines."},
    )
    takebacks = fields.String(
        required=True,
        validate=validate.OneOf(TAKEBACKS),
        metadata={"description": "What can be taken back: with the others' consent also what they have seen, or not."},
    )
    takeback = fields.Nested(
        OpenRequest, required=True, allow_none=True, metadata={"description": "Null: nobody asks to take back."}
    )
    deal = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The id of the deal that other tables play, too; null: only this one has its luck."},
    )
    sealed_until = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "enum": [DEAL, None],
            "description": "“deal”: until the last table of its deal is over, the match keeps its secrets, also once "
            "it is over itself. Its seats see what they saw at the end, and spectators see nothing (403). Null: it "
            "keeps them only while it runs.",
        },
    )
    rematch = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match that plays this one again."}
    )
    commitment = commitment_field()
    words = fields.List(
        fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "The SHA-256 of each seat's lucky word; null before the start."},
    )
    words_typed = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={
            "description": "The seats whose word somebody typed; those of the others follow from the seed. Null before "
            "the start."
        },
    )
    mark = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The beginning of the head of the log's chain, as in the foot of the mails; null before "
            "the start."
        },
    )
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    started_at = _moment()
    ended_at = _moment()


def _seats(sheet: Sheet, seat: int | None) -> list[dict[str, Any]]:
    tokens = joining.join_tokens(site(), sheet.id, seat)
    links = {number: site().url(f"/join/{token}") for number, token in tokens.items()}
    left = substitutes.links(site(), sheet, seat)
    return [
        asdict(place)
        | _standing(place.standing)
        | {
            "join": links.get(place.seat),
            "substitute": left.get(place.seat),
            "holidays": [{"first": first, "last": last} for first, last in place.holidays],
        }
        for place in sheet.seats
    ]


def _standing(standing: Standing | None) -> dict[str, Any]:
    """Returns what the player shows of themselves; nothing tells others from those who have nothing to show."""
    shown = {} if standing is None else {"rating": standing.rating, "pace": standing.pace}
    return {name: asdict(one) for name, one in shown.items() if one is not None}


def _ask(ask: OpenAsk) -> dict[str, Any]:
    return {
        "seat": ask.seat, "key": ask.key, "kind": ask.kind, "deadline": ask.deadline and iso(ask.deadline),
        "grace_until": ask.acts_at and iso(ask.acts_at), "vote": ask.vote,
    }  # fmt: skip


def warnings(sheet: Sheet) -> list[dict[str, Any]]:
    """Returns the warnings for the players, in both languages: they are part of the ETag."""
    return [
        {
            "code": "names_alike",
            "seats": list(seats),
            "text": {lang: problems.name_lookalikes(sheet.names, seats, lang) for lang in LANGS},
        }
        for seats in sheet.alike
    ]


def sheet_json(sheet: Sheet, seat: int | None) -> dict[str, Any]:
    """Returns the sheet for this seat, or for a spectator."""
    return {
        "id": sheet.id,
        "status": sheet.status,
        "warnings": warnings(sheet),
        "game": sheet.game.meta.slug,
        "version": sheet.version,
        "seen": sheet.seen,
        "viewer": seat,
        "options": plain(sheet.options),
        "seats": _seats(sheet, seat),
        "asks": [_ask(ask) for ask in sheet.asks],
        "outcome": sheet.outcome,
        "cancelled": sheet.cancelled,
        "spectators": sheet.spectators,
        "clock": None if sheet.untimed else sheet,
        "takebacks": sheet.takebacks,
        "takeback": sheet.takeback,
        "deal": sheet.deal,
        "sealed_until": DEAL if sheet.sealed else None,
        "rematch": rematches.read_rematch(site(), sheet.id) if sheet.over else None,
        "commitment": sheet.commitment,
        "words": sheet.words,
        "words_typed": sheet.typed,
        "mark": sheet.mark,
        "created_at": iso(sheet.created_at),
        "started_at": sheet.started_at and iso(sheet.started_at),
        "ended_at": sheet.ended_at and iso(sheet.ended_at),
    }
