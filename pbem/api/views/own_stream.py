"""All matches of a player as one stream: how each stands, and again whenever that has changed.

    event: match
    data: {"ask": {"deadline": …, "key": "r1.t3.act0", "kind": "act"}, "game": "hogen", "id": …, "status": "running", …}

A program that comes again is told how everything stands, so it misses nothing: a state, unlike an event, is not lost.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Response

from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.waiting import (
    BACK,
    TOLD,
    go_on,
    last_event_id,
    last_event_id_parameter,
    position,
    stream,
    take_place,
)
from pbem.api.views.match_list import blueprint
from pbem.clock import iso
from pbem.errors import N_
from pbem.kit.codec import encode
from pbem.services.views.match_list import Standing, Standings, read_standings

KEPT = timedelta(days=7)
"""So long after its end a match is told of to a program that comes again."""
_LAST = last_event_id_parameter(
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
            "content": TOLD,
        }
    },
)
def follow(player_id: int) -> Response:
    """Streams what happens in all matches that the caller plays or is invited to, for three to four minutes."""
    before: dict[str, Standing] | None = position()
    if before is None:
        last = _last()
        take_place()  # a player who is refused costs no query
        now = read_standings(site(), player_id, since=last)
        told = b"".join((BACK, *_all(now)))
    else:
        now = read_standings(site(), player_id, known=before)
        told = b"".join(_changes(before, now))
    staying = {one.id: one for one in now.matches.values() if one.goes_on}
    go_on(staying, [one.known for one in staying.values()], player_id, now.places)
    return stream(told)


def _last() -> datetime | None:
    """Returns since when the caller has missed something, at most a week ago; None if they are new. Raises Invalid."""
    said = last_event_id(_LAST, N_("It must be the id of a message of this stream."))
    return max(datetime.fromtimestamp(said, UTC), site().now() - KEPT) if said is not None else None


def _all(now: Standings) -> Iterator[bytes]:
    for one in now.matches.values():
        yield _message("match", _brief(one))
    yield _message("current", {"matches": sorted(one.id for one in now.matches.values() if one.goes_on)}, now.at)


def _changes(before: dict[str, Standing], now: Standings) -> Iterator[bytes]:
    for one in now.matches.values():
        if before.get(one.id) != one:
            yield _message("match", _brief(one), now.at)
    for match_id in sorted(before.keys() - now.matches.keys()):
        yield _message("gone", {"id": match_id}, now.at)


def _message(event: str, data: dict[str, Any], at: datetime | None = None) -> bytes:
    """Returns a message; the last one of those that belong together has the moment in its id."""
    number = b"id: %d\n" % at.timestamp() if at is not None else b""
    return b"%sevent: %s\ndata: %s\n\n" % (number, event.encode(), encode(data))


def _brief(one: Standing) -> dict[str, Any]:
    ask = one.ask and {
        "key": one.ask.key, "kind": one.ask.kind, "deadline": one.ask.deadline and iso(one.ask.deadline),
    }  # fmt: skip
    return {
        "id": one.id, "game": one.game, "status": one.status, "version": one.version, "seat": one.seat,
        "seat_status": one.seat_status, "ask": ask, "outcome": one.outcome, "cancelled": one.cancelled,
    }  # fmt: skip
