"""What the caller sees of a match: their own fold, their own redacted log."""

from typing import Any

from flask import Response
from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, Generated, Query, ResponseSchema
from pbem.api.protocol.callers import ANYBODY, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.generated import OPTIONS_SHOWN
from pbem.api.protocol.language import language
from pbem.api.protocol.waiting import own_epoch, pause
from pbem.kit.codec import encode, plain
from pbem.kit.logs import logfile
from pbem.render.phrases import text
from pbem.services.log.proofs import Stretch
from pbem.services.views import match_views, waiting
from pbem.services.views.match_views import View
from pbem.services.views.waiting import ENDED, Known

MOST = 10**9
LONGEST_WAIT_S = 50
"""Less than the minute after which a proxy gives up, if nobody has told it otherwise."""
FULL_S = 2
"""When to come again, where too many wait already."""

blueprint = Endpoints("watching", "The caller's own view of a match: null stands for what they may not see.")


class Position(ResponseSchema):
    """The state as the caller sees it after `version` entries; null before the match begins."""

    game = fields.String(required=True)
    version = fields.Integer(required=True)
    viewer = fields.Integer(required=True, allow_none=True)
    state = Generated("State", required=True, allow_none=True)


class Events(ResponseSchema):
    """Entries of the log, redacted for the caller, and the version they lead to."""

    game = fields.String(required=True)
    version = fields.Integer(required=True)
    base = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The head of the log's chain before these entries: that after entry `after`, if there is "
            "such an entry."
        },
    )
    head = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The head after entry `version`, the same for everybody; null before the start."},
    )
    mark = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The beginning of the head, eight signs for the eye, as in the mails."},
    )
    events = fields.List(Generated("Entry"), required=True)


class Reversal(ResponseSchema):
    """Where `POST …/takeback` goes back to with this move; `GET …/takeback` says whether it can."""

    to = fields.Integer(required=True)
    held_until = fields.String(
        required=True,
        allow_none=True,
        metadata={"format": "date-time", "description": "No email about it goes out before. Null: nothing is held."},
    )


class StoryLine(ResponseSchema):
    """An entry in words; `n` is its number in the log."""

    n = fields.Integer(required=True)
    text = fields.String(required=True)


class Story(ResponseSchema):
    """What happened in the game and at the table, in words, as the caller may see it."""

    version = fields.Integer(required=True)
    lines = fields.List(fields.Nested(StoryLine), required=True)


class After(Query):
    """Selects entries."""

    after = BoundedInt(
        0, MOST, digits=True, load_default=0, metadata={"description": "Only entries with n above this."}
    )


class Follow(After):
    """Selects entries, and how long to wait for the first of them."""

    wait = BoundedInt(
        0, LONGEST_WAIT_S, digits=True, load_default=0,
        metadata={"description": "Seconds to wait, at most, while there is no such entry and the match goes on."},
    )  # fmt: skip


class Log(ResponseSchema):
    """The portable log: with all secrets and the seed once the match is over and open, else the caller's own."""

    format = fields.String(required=True, validate=validate.Equal(logfile.FORMAT))
    game = fields.String(required=True)
    options = Generated(OPTIONS_SHOWN, required=True)
    seats = fields.Integer(required=True)
    viewer = fields.Raw(
        required=True,
        metadata={
            "anyOf": [{"type": "integer"}, {"const": "all"}, {"type": "null"}],
            "description": "The seat whose eyes it was written for, null for spectators, “all” when nothing is hidden.",
        },
    )
    deal = fields.String(required=True)
    commitment = fields.String(required=True)
    words = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The SHA-256 of each seat's lucky word, in seat order."},
    )
    head = fields.String(required=True, metadata={"description": "The head of the log's chain after its last entry."})
    seed = fields.String()
    table = fields.String(
        metadata={
            "description": "The id of the match, if other tables play the same `deal`, which has its own id then."
        }
    )
    sealed_until = fields.String(
        metadata={
            "description": "Until when the secrets of the finished match are kept: an instant; or “deal”, until the "
            "last table of its deal is over. Such a log has no seed."
        }
    )
    events = fields.List(Generated("Entry"), required=True)


class AnyLog(Log):
    """A portable log of either format: `pbem-log/1` has `seed_sha256` in place of the chain and what it begins with."""

    format = fields.String(required=True, validate=validate.OneOf((logfile.FORMAT, logfile.FIRST_FORMAT)))
    deal = fields.String()
    commitment = fields.String()
    words = fields.List(fields.String())
    head = fields.String()
    seed_sha256 = fields.String()


@blueprint.operation("getState", "GET /matches/<match_id>/state", who=ANYBODY, gives=Position)
def state(match_id: str) -> dict[str, Any]:
    """Returns the position as the caller sees it."""
    view = match_views.read_view(site(), match_id, viewer())
    slug = view.game.meta.slug
    return {"game": slug, "version": view.sheet.version, "viewer": view.viewer, "state": plain(view.fold)}


@blueprint.operation("listEvents", "GET /matches/<match_id>/events", who=ANYBODY, query=Follow, gives=Events)
def events(match_id: str, after: int, wait: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the log after an entry, redacted for the caller; with `wait`, as soon as there is such an entry.

    If the caller has no place to wait, or the match is not confirmed yet, the answer comes at once, and `Retry-After`
    says when to ask again.
    """
    still = waiting.read_still(site(), match_id, viewer(), after) if wait else None
    if still is not None and pause(Known(match_id, after, viewer(), own_epoch()), wait):
        return events_json(still.game, after, Stretch(still.head, still.head, [])), {}
    (view, told), headers = match_views.read_events(site(), match_id, viewer(), after), {}
    waits = wait > 0 and not over(view) and view.sheet.version <= after
    if waits and not (can_wait(view) and pause(known(view, after), wait)):
        headers["Retry-After"] = str(FULL_S)
    return events_json(view.game.meta.slug, view.sheet.version, told), headers


def events_json(game: str, version: int, told: Stretch) -> dict[str, Any]:
    """Returns entries that lead to this version, with what proves them, for a framework that encodes JSON itself."""
    return _with_entries(game, version, told, plain(told.entries))


def receipt_bytes(game: str, version: int, told: Stretch, more: dict[str, Any]) -> bytes:
    """Returns the same as JSON with `more`, without making plain values of the entries first: every move needs it."""
    return encode(_with_entries(game, version, told, told.entries) | more)


def _with_entries(game: str, version: int, told: Stretch, entries: Any) -> dict[str, Any]:
    return {
        "game": game, "version": version, "base": told.base, "head": told.head, "mark": told.mark, "events": entries,
    }  # fmt: skip


def can_wait(view: View) -> bool:
    """True unless the match is not confirmed yet: anybody can start one, just to have something to wait for."""
    return view.sheet.status != "unconfirmed"


def known(view: View, after: int) -> Known:
    """Returns what the caller knows, who has the match up to this entry."""
    return Known(view.sheet.id, after, view.viewer, own_epoch())


def over(view: View) -> bool:
    """True if nothing will ever happen in the match again."""
    return view.sheet.status in ENDED


@blueprint.operation("getStory", "GET /matches/<match_id>/story", who=ANYBODY, query=After, gives=Story)
def story(match_id: str, after: int) -> dict[str, Any]:
    """Returns the log after an entry in words; minor entries have no line."""
    view = match_views.read_view(site(), match_id, viewer())
    lines = view.story(language(), after)
    return {
        "version": view.sheet.version,
        "lines": [{"n": line.n, "text": text(line.text, view.sheet.names)} for line in lines],
    }


@blueprint.operation("getLog", "GET /matches/<match_id>/log", who=ANYBODY, gives=Log, refuses=(409,))
def log(match_id: str) -> Response:
    """Returns the portable log, a file that replays anywhere."""
    return Response(logfile.write(match_views.read_log(site(), match_id, viewer())), mimetype="application/json")
