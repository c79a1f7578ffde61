"""Table talk, and the caller's own note. Neither is in the log; spectators get neither."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields
from msgspec import Struct

from pbem.api.protocol.bodies import BoundedInt, Query, RequestSchema
from pbem.api.protocol.callers import SEAT, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once, state_seen
from pbem.api.views.match_views import MOST
from pbem.services.views import talk
from pbem.services.views.talk import Message

blueprint = Endpoints("talking", "Words between the players of a match, and a note for oneself.")


class Since(Query):
    """Selects messages."""

    after = BoundedInt(0, MOST, digits=True, load_default=0, about="Only messages with id above this.")


class Messages(Struct, frozen=True):
    """The newest messages, at most 200, oldest first."""

    messages: tuple[Message, ...]


class NewMessage(RequestSchema):
    """A message to send; line breaks are kept."""

    text = fields.String(required=True, metadata={"maxLength": talk.LONGEST_MESSAGE})


class Note(Struct, frozen=True):
    """The note of the caller's seat; "" without one."""

    text: str


class NewNote(RequestSchema):
    """The new text of the note; "" deletes it."""

    text = fields.String(required=True, metadata={"maxLength": talk.LONGEST_NOTE})


@blueprint.operation("listMessages", "GET /matches/<match_id>/messages", who=SEAT, query=Since)
def messages(match_id: str, after: int) -> Messages:
    """Returns the table talk."""
    return Messages(talk.read_talk(site(), match_id, seat_claim().seat, after).messages)


@blueprint.operation(
    "say",
    "POST /matches/<match_id>/messages",
    who=SEAT,
    body=NewMessage,
    status=201,
    if_match=messages,
    repeatable=True,
    refuses=(409, 429),
)
def say(body: Mapping[str, Any], match_id: str) -> Message:
    """Sends a message to the table. The same text again within a minute returns the first message."""
    return talk.say(site(), seat_claim(), body["text"], once=once())


@blueprint.operation("getNote", "GET /matches/<match_id>/note", who=SEAT)
def note(match_id: str) -> Note:
    """Returns the note that only the caller's seat can read."""
    return Note(talk.read_talk(site(), match_id, seat_claim().seat).note)


@blueprint.operation("putNote", "PUT /matches/<match_id>/note", who=SEAT, body=NewNote, if_match=note)
def put_note(body: Mapping[str, Any], match_id: str) -> Note:
    """Replaces the note."""
    was = state_seen()
    return Note(talk.write_note(site(), seat_claim(), body["text"], was=was["text"] if was else None))
