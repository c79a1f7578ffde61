"""Table talk, and the caller's own note. Neither is in the log; spectators get neither."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields

from pbem.api.protocol.bodies import BoundedInt, Query, RequestSchema, ResponseSchema
from pbem.api.protocol.callers import SEAT, own_seat, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.idempotency import once
from pbem.api.protocol.preconditions import seen_state
from pbem.api.views.match_views import MOST
from pbem.clock import iso
from pbem.services.views import talk

blueprint = Endpoints("talking", "Words between the players of a match, and a note for oneself.")


class Since(Query):
    """Selects messages."""

    after = BoundedInt(
        0, MOST, digits=True, load_default=0, metadata={"description": "Only messages with id above this."}
    )


class Said(ResponseSchema):
    """A message to the table."""

    id = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    text = fields.String(required=True)


class Messages(ResponseSchema):
    """The newest messages, at most 200, oldest first."""

    messages = fields.List(fields.Nested(Said), required=True)


class NewMessage(RequestSchema):
    """A message to send: at most 500 characters; line breaks are kept."""

    text = fields.String(required=True)


class Note(ResponseSchema):
    """The note of the caller's seat; "" without one."""

    text = fields.String(required=True)


class NewNote(RequestSchema):
    """The new text of the note: at most 4000 characters; "" deletes it."""

    text = fields.String(required=True)


def _message_json(message: talk.Message) -> dict[str, Any]:
    return {"id": message.id, "seat": message.seat, "at": iso(message.at), "text": message.text}


@blueprint.operation("listMessages", "GET /matches/<match_id>/messages", who=SEAT, query=Since, gives=Messages)
def messages(match_id: str, after: int) -> dict[str, Any]:
    """Returns the table talk."""
    found = talk.read_talk(site(), match_id, own_seat(), after)
    return {"messages": [_message_json(message) for message in found.messages]}


@blueprint.operation(
    "say",
    "POST /matches/<match_id>/messages",
    who=SEAT,
    body=NewMessage,
    gives=(201, Said),
    if_match=messages,
    repeatable=True,
    refuses=(409, 429),
)
def say(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Sends a message to the table. The same text again within a minute returns the first message."""
    return _message_json(talk.say(site(), seat_claim(), body["text"], once=once()))


@blueprint.operation("getNote", "GET /matches/<match_id>/note", who=SEAT, gives=Note)
def note(match_id: str) -> dict[str, Any]:
    """Returns the note that only the caller's seat can read."""
    return {"text": talk.read_talk(site(), match_id, own_seat()).note}


@blueprint.operation("putNote", "PUT /matches/<match_id>/note", who=SEAT, body=NewNote, gives=Note, if_match=note)
def put_note(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Replaces the note."""
    was = seen_state()
    kept = talk.write_note(site(), seat_claim(), body["text"], was=was["text"] if was else None)
    return {"text": kept}
