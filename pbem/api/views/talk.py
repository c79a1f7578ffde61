"""Table talk, and the caller's own note. Neither is in the log; spectators get neither."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields

from pbem.api.protocol.bodies import Query, Shown, Strict, Whole
from pbem.api.protocol.callers import SEAT, claimed, locked, seated, site, viewer
from pbem.api.protocol.document import Endpoints
from pbem.api.protocol.idempotency import once, repeatable
from pbem.api.protocol.preconditions import if_match, seen
from pbem.api.views.match_views import MOST
from pbem.clock import iso
from pbem.services.views import talk

blueprint = Endpoints("talking", "Words between the players of a match, and a note for oneself.")


class Since(Query):
    """Selects messages."""

    after = Whole(0, MOST, digits=True, load_default=0, metadata={"description": "Only messages with id above this."})


class Said(Shown):
    """A message to the table."""

    id = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    text = fields.String(required=True)


class Messages(Shown):
    """The newest messages, at most 200, oldest first."""

    messages = fields.List(fields.Nested(Said), required=True)


class NewMessage(Strict):
    """A message to send: at most 500 characters; line breaks are kept."""

    text = fields.String(required=True)


class Note(Shown):
    """The note of the caller's seat; "" without one."""

    text = fields.String(required=True)


class NewNote(Strict):
    """The new text of the note: at most 4000 characters; "" deletes it."""

    text = fields.String(required=True)


def _seat() -> int:
    seat = viewer()
    assert seat is not None, "seated"
    return seat


def _said(message: talk.Message) -> dict[str, Any]:
    return {"id": message.id, "seat": message.seat, "at": iso(message.at), "text": message.text}


@blueprint.route("/matches/<match_id>/messages")
@blueprint.doc(operationId="listMessages", security=SEAT)
@blueprint.refuses(401, 403, 404)
@seated
@blueprint.arguments(Since, location="query")
@blueprint.response(200, Messages)
def messages(query: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Returns the table talk."""
    found = talk.read_talk(site(), match_id, _seat(), query["after"])
    return {"messages": [_said(message) for message in found.messages]}


@blueprint.route("/matches/<match_id>/messages", methods=["POST"])
@blueprint.doc(operationId="say", security=SEAT)
@blueprint.refuses(400, 401, 403, 404, 409, 412, 413, 415, 429, 503)
@seated
@blueprint.arguments(Query, location="query")
@blueprint.arguments(NewMessage)
@blueprint.response(201, Said)
@repeatable
@if_match(messages)
@locked
def say(query: Mapping[str, Any], body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Sends a message to the table. The same text again within a minute returns the first message."""
    return _said(talk.say(site(), claimed(), body["text"], once=once()))


@blueprint.route("/matches/<match_id>/note")
@blueprint.doc(operationId="getNote", security=SEAT)
@blueprint.refuses(401, 403, 404)
@seated
@blueprint.arguments(Query, location="query")
@blueprint.response(200, Note)
def note(query: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Returns the note that only the caller's seat can read."""
    return {"text": talk.read_talk(site(), match_id, _seat()).note}


@blueprint.route("/matches/<match_id>/note", methods=["PUT"])
@blueprint.doc(operationId="putNote", security=SEAT)
@blueprint.refuses(400, 401, 403, 404, 412, 413, 415, 503)
@seated
@blueprint.arguments(Query, location="query")
@blueprint.arguments(NewNote)
@blueprint.response(200, Note)
@if_match(note)
@locked
def put_note(query: Mapping[str, Any], body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Replaces the note."""
    was = seen()
    kept = talk.write_note(site(), claimed(), body["text"], was=was["text"] if was else None)
    return {"text": kept}
