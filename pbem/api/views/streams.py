"""A match as a stream: one answer that sends each entry when it happens (server-sent events).

    id: 12
    event: entry
    data: {"at": …, "by": …, "event": …, "key": …, "n": 12, "salts": …, "sealed": …}

The answer ends by itself after three to four minutes, or when the match has ended; a client that reconnects with
`Last-Event-ID`, or `after`, misses nothing.
"""

from flask import Response
from msgspec import Struct

from pbem.api.protocol import waiting
from pbem.api.protocol.callers import ANYBODY, site, viewer
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.views.match_views import After, can_wait
from pbem.errors import N_
from pbem.kit.codec import encode
from pbem.services.views import match_views
from pbem.services.views.match_views import Status
from pbem.services.views.waiting import Known

_LAST = waiting.last_event_id_parameter(
    "The last entry that the caller has, in place of `after`; browsers send it when they come again.", digits=9
)

blueprint = Endpoints("streams", "A match as it goes on.")


class Over(Struct, frozen=True):
    """The match has ended, and the caller has all of it."""

    version: int
    status: Status
    head: str | None


blueprint.tell(Over)


@blueprint.operation(
    "followEvents",
    "GET /matches/<match_id>/events/stream",
    who=ANYBODY,
    query=After,
    refuses=(503,),
    parameters=[_LAST],
    responses={
        "200": {
            "description": "Each entry as it happens: `entry`, and at the end `over`.",
            "content": waiting.stream_content(entry="Entry", over=Over),
        },
        "204": {"description": "The match has ended, and the caller has all of it. Browsers do not come again."},
    },
)
def follow(match_id: str, after: int) -> Response:
    """Streams the entries after a given one, redacted for the caller, as they happen, for three to four minutes."""
    begins = waiting.position() is None
    last = waiting.last_event_id(_LAST, N_("It must be the number of an entry.")) if begins else waiting.position()
    after = last or after
    view, told = match_views.read_events(site(), match_id, viewer(), after)
    if begins and view.sheet.has_ended and view.sheet.version <= after:
        return no_content()
    after = max(after, view.sheet.version)
    if not view.sheet.has_ended:
        if not can_wait(view):
            raise waiting.busy()
        waiting.go_on(after, (Known(match_id, after, viewer(), waiting.own_epoch()),))
    sent = [waiting.BACK] if begins else []
    sent += [b"id: %d\nevent: entry\ndata: %s\n\n" % (entry.n, encode(entry)) for entry in told.entries]
    if view.sheet.has_ended:
        sent.append(b"event: over\ndata: %s\n\n" % encode(Over(after, view.sheet.status, told.head)))
    return waiting.stream(b"".join(sent))
