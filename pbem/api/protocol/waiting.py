"""Requests that wait for news, and streams: the application answers at once, and the web server waits.

See `pbem.services.views.waiting`.
"""

import re
from collections.abc import Collection, Mapping
from random import random
from typing import Any, cast

from flask import Response, request

from pbem.answers import COMPONENTS
from pbem.api.protocol.callers import NOBODY, caller
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Busy, Invalid
from pbem.limits import network
from pbem.services.views.waiting import VISIT, Known, Pause, Places, Visit

LONGEST_S = 240.0
"""How long a stream lasts at most."""
SPREAD = 0.25
"""By how much of its longest time a stream, or a wait, may end sooner, by chance: clients that come together, when the
web has restarted, do not all come again in the same moment."""
FULL_S = 5
BACK = b"retry: 1000\n\n"
"""What a stream begins with: browsers come again after a second."""
STILL_HERE = b": still here\n\n"
_LAST = "Last-Event-ID"


def stream_content_schema(**data: type | str) -> dict[str, Any]:
    """Returns how the document declares the messages of a stream: the `data` of each `event`, by its name."""
    kinds = [kind if isinstance(kind, str) else kind.__name__ for kind in data.values()]
    of_data = {"anyOf": [{"$ref": f"{COMPONENTS}{kind}"} for kind in kinds]}
    listed = ", ".join(f"`{event}` (`{kind}`)" for event, kind in zip(data, kinds, strict=True))
    message = {
        "type": "object",
        "description": f"One message: {listed}.",
        "properties": {
            "event": {"type": "string"},
            "id": {"type": "string"},
            "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": of_data},
        },
    }
    return {"text/event-stream": {"schema": message}}


def visit_if_it_may_wait() -> Visit | None:
    """Returns what says that this request may wait; None if the server answers it now, and for HEAD."""
    return cast(Visit | None, request.environ.get(VISIT)) if request.method != "HEAD" else None


def pause_request_until_news(known: Known, most_s: float) -> bool:
    """True if the caller waits until there is news of a match, this long at most; False if they have no place."""
    here, who = visit_if_it_may_wait(), caller()
    # What an access token may do, and what spectators may see, can end without a trace in the match.
    renews = who.claim is not None and who.bearer is None
    return here is not None and here.ask_to_pause(Pause(*_place_owner(), _spread_wait(most_s), (known,), renews=renews))


def pause_stream_until_news(
    position: Any, known: Collection[Known], player_id: int | None = None, places: Places = frozenset()
) -> None:
    """Lets a stream go on from this position when there is news; a server that cannot wait ends it.

    Raises Busy if the server has no place left for this caller.
    """
    here = visit_if_it_may_wait()
    if here is None:
        return
    stay = Pause(*_place_owner(), _spread_wait(LONGEST_S), known, player_id, places, STILL_HERE, position)
    if not here.ask_to_pause(stay) and here.position_of_last_pause is None:
        raise busy_problem()


def busy_problem() -> Busy:
    """Returns what refuses a stream."""
    message = N_("Too many programs are following matches at the moment. Poll instead, or try again later.")
    return Busy(message, retry_after=FULL_S)


def stream_position() -> Any:
    """Returns where a stream goes on; None at its beginning."""
    here = visit_if_it_may_wait()
    return here.position_of_last_pause if here is not None else None


def last_event_id_parameter(description: str, digits: int) -> dict[str, Any]:
    """Returns how the document declares the last `id` that a caller has, a number of this many digits at most."""
    schema = {"type": "string", "pattern": f"^[0-9]{{1,{digits}}}$"}
    return {"in": "header", "name": _LAST, "description": description, "schema": schema}


def last_event_id(declared: Mapping[str, Any], otherwise: str) -> int | None:
    """Returns the last `id` that the caller has, which browsers send when they reconnect; None if they are new.

    Raises Invalid, with the message `otherwise`, if it is not as it is declared.
    """
    said = request.headers.get(_LAST, "")
    if not said:
        return None
    if not re.fullmatch(declared["schema"]["pattern"], said):
        raise with_fields(Invalid(otherwise), _LAST)
    return int(said)


def stream_response(piece: bytes) -> Response:
    """Returns a piece of a stream of server-sent events."""
    response = Response(iter([piece]), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"  # nginx would buffer it
    return response


def callers_knowledge_of_match(match_id: str, after: int) -> Known:
    """Returns what the caller, who may be a spectator, knows of the match: all up to this entry."""
    claim = caller().claim
    seat, epoch = (claim.seat, claim.epoch) if claim is not None else (None, None)
    return Known(match_id, after, seat, epoch)


def _spread_wait(most_s: float) -> float:
    """Returns how long a client waits that may wait for `most_s` seconds."""
    return most_s * (1 - random() * SPREAD)


def _place_owner() -> tuple[str, bool]:
    """Returns by what the places of the caller are counted, and whether they are a stranger."""
    who = caller().id
    return (f"from:{network(request.remote_addr)}", True) if who == NOBODY else (who, False)
