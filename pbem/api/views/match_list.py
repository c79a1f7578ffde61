"""The matches of a player, for programs: as a list, and as a stream that says how each stands, whenever that changes.

    event: match
    data: {"ask": {"deadline": …, "key": "r1.t3.act0", "kind": "act"}, "game": "hogen", "id": …, "status": "running", …}

A program that comes again is told how everything stands, so it misses nothing: a state, unlike an event, is not lost.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

import marshmallow as ma
from flask import Response, request
from marshmallow import fields
from msgspec import Struct

from pbem.answers import about, one_of
from pbem.api.protocol import waiting
from pbem.api.protocol.bodies import BoundedInt, Query, SingleLine, Word
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.kit.codec import encode
from pbem.kit.contract import Outcome
from pbem.services.views import match_list
from pbem.services.views.match_list import MatchStanding, read_own_match_standings
from pbem.services.views.match_views import STATUSES, SeatStatus, Status, end_of

PAGE, LARGEST_PAGE = 20, 100

blueprint = Endpoints("mine", "The caller's matches.", who=PLAYER)


class Words(fields.String):
    """A comma-separated list of some of these words."""

    def __init__(self, known: tuple[str, ...], refusal: str, **more: Any) -> None:
        listed = "|".join(known)
        about = "Only those with one of these, with commas between."
        super().__init__(metadata={"pattern": f"^({listed})(,({listed}))*$", "description": about}, **more)
        self._known, self._refusal = known, refusal

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        said = super()._deserialize(value, attr, data, **more)
        words = str(said).split(",")
        if not set(words) <= set(self._known):
            raise ma.ValidationError(self._refusal)
        return words


class Which(Query):
    """Selects some of the caller's matches."""

    status = Words(STATUSES, N_("Each value is one of unconfirmed, inviting, running, paused, over, cancelled."))
    game = SingleLine(40, about="Only matches of the game with this slug.")
    turn = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Only those where the caller is asked something, or only those where not."},
    )
    seat = Word(
        match_list.SEATED,
        N_("The seat is “accepted” or “invited”."),
        about="Only those where the caller sits, or only those to which they are invited.",
    )
    after = SingleLine(200, about="`next` of the page before.")
    limit = BoundedInt(1, LARGEST_PAGE, digits=True, load_default=PAGE)


class BriefPlayer(Struct, frozen=True):
    """The player, or invited player, of a seat."""

    seat: int
    name: str
    bot: str | None
    status: SeatStatus


class MatchBrief(Struct, frozen=True):
    """A match in the caller's list; GET /matches/<id> says more."""

    id: str
    game: str
    status: Status
    version: int
    seat: Annotated[int, about("The caller's.")]
    seat_status: Annotated[str, one_of(match_list.SEATED)]
    asked: Annotated[bool, about("Whether the caller is asked something.")]
    deadline: Annotated[
        datetime | None,
        about("Until when the caller is asked; null where they are not, or the match has no deadlines."),
    ]
    players: list[BriefPlayer]
    outcome: Outcome | None
    cancelled: str | None
    rematch_of: Annotated[str | None, about("The match that this one plays again, where the caller sat there.")]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class MyMatches(Struct, frozen=True):
    """A page of the caller's matches, newest first; send `next` as `after` for the following page."""

    matches: list[MatchBrief]
    next: Annotated[str | None, about("Null on the last page.")]


def _match_brief(one: match_list.Mine) -> MatchBrief:
    match = one.match
    outcome, cancelled = end_of(match.status, match.outcome)
    return MatchBrief(
        match.id, match.game, match.status, match.version, one.own.seat, one.own.status, one.asked, one.deadline,
        [BriefPlayer(seat.seat, seat.name, seat.bot, seat.status) for seat in one.seats],
        outcome, cancelled, one.former, match.created_at, match.started_at, match.ended_at,
    )  # fmt: skip


def _next_page_link(cursor: str) -> str:
    """Returns the Link header to the next page of the same query."""
    asked = {**request.args.to_dict(), "after": cursor}
    return f'<{site().url(f"{request.path}?{urlencode(asked)}")}>; rel="next"'


@blueprint.operation(
    "listMyMatches",
    "GET /me/matches",
    scopes=("read",),
    query=Which,
    headers={"Link": "The next page, where there is one: rel=next."},
)
def list_matches(
    player_id: int, status: Sequence[str] = (), seat: str | None = None, **more: Any
) -> tuple[MyMatches, dict[str, str]]:
    """Returns the matches that the caller plays or is invited to, newest first."""
    seats = match_list.SEATED if seat is None else (seat,)
    wanted = match_list.Wanted(statuses=status, seats=seats, **more)
    try:
        found, cursor = match_list.page_of_own_matches(site(), player_id, wanted)
    except Invalid as problem:
        raise with_fields(problem, "after") from None
    headers = {"Link": _next_page_link(cursor)} if cursor is not None else {}
    return MyMatches([_match_brief(one) for one in found], cursor), headers


# --- as a stream -----------------------------------------------------------------------------------------------

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
    scopes=("read",),
    refuses=(503,),
    parameters=[_LAST],
    responses={
        "200": {
            "description": "How each match of the caller stands that goes on: `match`; then `current` with the ids of "
            "all of them, and from then on `match` for each that changes, and `gone` for one that is theirs no longer.",
            "content": waiting.stream_content_schema(match=MatchStanding, current=Current, gone=Gone),
        }
    },
)
def stream_matches(player_id: int) -> Response:
    """Streams what happens in all matches that the caller plays or is invited to, for three to four minutes."""
    before: dict[str, MatchStanding] | None = waiting.stream_position()
    if before is None:
        said = waiting.last_event_id(_LAST, N_("It must be the id of a message of this stream."))
        since = max(datetime.fromtimestamp(said, UTC), site().now() - KEPT) if said is not None else None
        waiting.pause_stream_until_news((), ())  # takes the place: a player who is refused costs no query
        now = read_own_match_standings(site(), player_id, since=since)
        goes_on = Current(sorted(one.id for one in now.matches.values() if one.goes_on))
        told = [
            waiting.BACK,
            *(_event_bytes("match", one) for one in now.matches.values()),
            _event_bytes("current", goes_on, now.at),
        ]
    else:
        now = read_own_match_standings(site(), player_id, known=before)
        told = [_event_bytes("match", one, now.at) for one in now.matches.values() if before.get(one.id) != one]
        told += [_event_bytes("gone", Gone(one), now.at) for one in sorted(before.keys() - now.matches.keys())]
    staying = {one.id: one for one in now.matches.values() if one.goes_on}
    waiting.pause_stream_until_news(staying, [one.what_reader_knows for one in staying.values()], player_id, now.places)
    return waiting.stream_response(b"".join(told))


def _event_bytes(event: str, data: Struct, at: datetime | None = None) -> bytes:
    """Returns a message; the last one of those that belong together has the moment in its id."""
    number = b"id: %d\n" % at.timestamp() if at is not None else b""
    return b"%sevent: %s\ndata: %s\n\n" % (number, event.encode(), encode(data))
