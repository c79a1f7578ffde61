"""A match as a stream: one answer that sends each entry when it happens (server-sent events).

    id: 12
    event: entry
    data: {"at": …, "by": …, "event": …, "key": …, "n": 12, "salts": …, "sealed": …}

The answer ends by itself after two minutes, or when the match has ended; a client that reconnects with
`Last-Event-ID`, or `after`, misses nothing.
"""

import re
from collections.abc import Iterator

from flask import Response, request, stream_with_context

from pbem.api.protocol.callers import ANYBODY, site, viewer
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import After, again, over, place_for, waiting
from pbem.errors import N_, Busy, Invalid, Problem
from pbem.kit.codec import encode
from pbem.services.log.proofs import Stretch
from pbem.services.views import match_views
from pbem.services.views.match_views import View
from pbem.services.views.waiting import Slot, news_of

LONGEST_S = 120.0
ALIVE_S = 15.0
"""So often something is said where nothing happens: proxies cut what is silent, and so a caller who left is noticed."""
FULL_S = 5
BACK_MS = 1000
_NUMBER = re.compile("[0-9]{1,9}")
_LAST = {
    "in": "header",
    "name": "Last-Event-ID",
    "description": "The last entry that the caller has, in place of `after`; browsers send it when they come again.",
    "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"},
}
_TOLD = {"text/event-stream": {"schema": {"type": "string"}}}

blueprint = Endpoints("streams", "A match as it goes on.")


@blueprint.operation(
    "followEvents",
    "GET /matches/<match_id>/events/stream",
    who=ANYBODY,
    query=After,
    refuses=(503,),
    parameters=[_LAST],
    responses={
        "200": {"description": "Each entry as it happens: `entry`, and at the end `over`.", "content": _TOLD},
        "204": {"description": "The match has ended, and the caller has all of it. Browsers do not come again."},
    },
)
def follow(match_id: str, after: int) -> Response:
    """Streams the entries after a given one, redacted for the caller, as they happen, for at most two minutes."""
    after = _last() or after
    view, told = match_views.read_events(site(), match_id, viewer(), after)
    if over(view) and view.sheet.version <= after:
        return no_content()
    place = place_for(view)
    if place is None:
        message = N_("Too many programs are following matches at the moment. Poll instead, or try again later.")
        raise Busy(message, retry_after=FULL_S)
    response = Response(
        stream_with_context(_messages(match_id, view, told, after, place)), mimetype="text/event-stream"
    )
    response.headers["X-Accel-Buffering"] = "no"  # nginx would buffer it
    response.call_on_close(place.leave)  # an answer that never started does not run its generator
    return response


def _last() -> int:
    """Returns the number in `Last-Event-ID`, 0 without one. Raises Invalid."""
    said = request.headers.get("Last-Event-ID", "")
    if said and not _NUMBER.fullmatch(said):
        raise with_fields(Invalid(N_("It must be the number of an entry.")), "Last-Event-ID")
    return int(said or "0")


def _messages(match_id: str, view: View, told: Stretch, after: int, place: Slot) -> Iterator[bytes]:
    """Yields the messages of the answer."""
    try:
        end = waiting().time() + LONGEST_S
        yield b"retry: %d\n\n" % BACK_MS
        while True:
            for entry in told.entries:
                yield b"id: %d\nevent: entry\ndata: %s\n\n" % (entry.n, encode(entry))
            after = max(after, view.sheet.version)
            if over(view):
                yield b"event: over\ndata: %s\n\n" % encode(
                    {"version": after, "status": view.sheet.status, "head": told.head}
                )
                return
            left = end - waiting().time()
            if left <= 0 or waiting().ended():
                return
            news = news_of(site(), match_id, viewer(), after)
            if not waiting().wait_for(news, min(ALIVE_S, left)):
                yield b": still here\n\n"
            view, told = again(match_id, after)
    except Problem:
        return  # The answer has begun, so it can only end; a client that reconnects is told the problem.
    finally:
        place.leave()
