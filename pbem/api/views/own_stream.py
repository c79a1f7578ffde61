"""All matches of a player as one stream: how each stands, and again whenever that has changed.

    event: match
    data: {"ask": {"deadline": …, "key": "r1.t3.act0", "kind": "act"}, "game": "hogen", "id": …, "status": "running", …}

A program that comes again is told how everything stands, so it misses nothing: a state, unlike an event, is not lost.
"""

from datetime import UTC, datetime, timedelta

from flask import Response
from msgspec import Struct

from pbem.api.protocol import waiting
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.views.match_list import blueprint
from pbem.errors import N_
from pbem.kit.codec import encode
from pbem.services.views.match_list import MatchStanding, read_standings

KEPT = timedelta(days=7)
"""So long after its end a match is told of to a program that comes again."""


class Current(Struct, frozen=True):
    """The ids of all matches of the caller that go on."""

    matches: list[str]


class Gone(Struct, frozen=True):
    """A match that is the caller's no longer."""

    id: str


blueprint.tell(MatchStanding, Current, Gone)
_LAST = waiting.last_event_id_parameter(
    "The last `id` that the caller has: matches that ended since are told of, too, for a week.", digits=11
)


@blueprint.operation(
    "followMatches",
    "GET /me/stream",
    who=PLAYER,
    scopes=("read",),
    refuses=(503,),
    parameters=[_LAST],
    responses={
        "200": {
            "description": "How each match of the caller stands that goes on: `match`; then `current` with the ids of "
            "all of them, and from then on `match` for each that changes, and `gone` for one that is theirs no longer.",
            "content": waiting.stream_content(match=MatchStanding, current=Current, gone=Gone),
        }
    },
)
def follow(player_id: int) -> Response:
    """Streams what happens in all matches that the caller plays or is invited to, for three to four minutes."""
    before: dict[str, MatchStanding] | None = waiting.position()
    if before is None:
        said = waiting.last_event_id(_LAST, N_("It must be the id of a message of this stream."))
        since = max(datetime.fromtimestamp(said, UTC), site().now() - KEPT) if said is not None else None
        waiting.go_on((), ())  # takes the place: a player who is refused costs no query
        now = read_standings(site(), player_id, since=since)
        goes_on = Current(sorted(one.id for one in now.matches.values() if one.goes_on))
        told = [
            waiting.BACK,
            *(_message("match", one) for one in now.matches.values()),
            _message("current", goes_on, now.at),
        ]
    else:
        now = read_standings(site(), player_id, known=before)
        told = [_message("match", one, now.at) for one in now.matches.values() if before.get(one.id) != one]
        told += [_message("gone", Gone(one), now.at) for one in sorted(before.keys() - now.matches.keys())]
    staying = {one.id: one for one in now.matches.values() if one.goes_on}
    waiting.go_on(staying, [one.as_known for one in staying.values()], player_id, now.places)
    return waiting.stream(b"".join(told))


def _message(event: str, data: Struct, at: datetime | None = None) -> bytes:
    """Returns a message; the last one of those that belong together has the moment in its id."""
    number = b"id: %d\n" % at.timestamp() if at is not None else b""
    return b"%sevent: %s\ndata: %s\n\n" % (number, event.encode(), encode(data))
