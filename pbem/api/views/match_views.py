"""What the caller sees of a match: its sheet, their own fold, their own redacted log, also as server-sent events.

    id: 12
    event: entry
    data: {"at": …, "by": …, "event": …, "key": …, "n": 12, "salts": …, "sealed": …}

A stream ends by itself after three to four minutes, or when the match has ended; a client that reconnects with
`Last-Event-ID`, or `after`, misses nothing.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from flask import Response
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from pbem.answers import OPTIONS_SHOWN, about, answer_from, of_games, one_of
from pbem.api.protocol import waiting
from pbem.api.protocol.bodies import BoundedInt, Query
from pbem.api.protocol.callers import ANYBODY, language, site
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.errors import N_
from pbem.kit.codec import encode
from pbem.kit.contract import Outcome, Viewer
from pbem.kit.logs import logfile
from pbem.kit.texts import LANGS, Text
from pbem.render import problems
from pbem.render.phrases import phrase_text
from pbem.services.lobby import joining, rematches
from pbem.services.lobby.match_request import AT_ONCE, LATE, SILENT, TAKEBACKS, WINDOWS
from pbem.services.log.consent import Vote
from pbem.services.log.proofs import Stretch
from pbem.services.play import substitutes
from pbem.services.views import match_views
from pbem.services.views.match_views import OpenRequest, Sheet, SheetSeat, Status, View
from pbem.services.views.waiting import read_game_and_head_if_unchanged

MOST = 10**9
LONGEST_WAIT_S = 50
"""Less than the minute after which a proxy gives up, if nobody has told it otherwise."""
FULL_S = 2
"""When to come again, where too many wait already."""

blueprint = Endpoints(
    "watching", "The caller's own view of a match: null stands for what they may not see.", who=ANYBODY
)


class Position(Struct, frozen=True):
    """The state as the caller sees it after `version` entries; null before the match begins."""

    game: str
    version: int
    viewer: int | None
    state: Annotated[Any, of_games("State", or_null=True)]


class Events(Struct, frozen=True, kw_only=True):
    """Entries of the log, redacted for the caller, and the version they lead to."""

    game: str
    version: int
    base: Annotated[
        str | None,
        about("The head of the log's chain before these entries: that after entry `after`, if there is such an entry."),
    ]
    head: Annotated[str | None, about("The head after entry `version`, the same for everybody; null before the start.")]
    mark: Annotated[str | None, about("The beginning of the head, eight signs for the eye, as in the mails.")]
    events: list[Annotated[Any, of_games("Entry")]]


class StoryLine(Struct, frozen=True):
    """An entry in words; `n` is its number in the log."""

    n: int
    text: str


class Story(Struct, frozen=True):
    """What happened in the game and at the table, in words, as the caller may see it."""

    version: int
    lines: list[StoryLine]


class After(Query):
    """Selects entries."""

    after = BoundedInt(0, MOST, digits=True, load_default=0, about="Only entries with n above this.")


class Follow(After):
    """Selects entries, and how long to wait for the first of them."""

    wait = BoundedInt(
        0, LONGEST_WAIT_S, digits=True, load_default=0,
        about="Seconds to wait, at most, while there is no such entry and the match goes on."
    )  # fmt: skip


Reader = Annotated[
    int | Literal["all"] | None,
    about("The seat whose eyes it was written for, null for spectators, “all” when nothing is hidden."),
]


class AnyLog(Struct, frozen=True, kw_only=True):
    """A portable log of either format: `pbem-log/1` has `seed_sha256` in place of the chain and what it begins with."""

    format: Annotated[str, one_of((logfile.FORMAT, logfile.FIRST_FORMAT))]
    game: str
    options: Annotated[Any, of_games(OPTIONS_SHOWN)]
    seats: int
    viewer: Reader
    deal: str | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    words: Annotated[list[str] | UnsetType, about("The SHA-256 of each seat's lucky word, in seat order.")] = UNSET
    head: Annotated[str | UnsetType, about("The head of the log's chain after its last entry.")] = UNSET
    seed: str | UnsetType = UNSET
    seed_sha256: str | UnsetType = UNSET
    table: Annotated[
        str | UnsetType, about("The id of the match, if other tables play the same `deal`, which has its own id then.")
    ] = UNSET
    sealed_until: Annotated[
        str | UnsetType,
        about(
            "Until when the secrets of the finished match are kept: an instant; or “deal”, until the "
            "last table of its deal is over. Such a log has no seed."
        ),
    ] = UNSET
    events: list[Annotated[Any, of_games("Entry")]]


class Log(AnyLog, frozen=True, kw_only=True):
    """The portable log: with all secrets and the seed once the match is over and open, else the caller's own."""

    format: Annotated[str, one_of((logfile.FORMAT,))]
    deal: str
    commitment: str
    words: Annotated[list[str], about("The SHA-256 of each seat's lucky word, in seat order.")]
    head: Annotated[str, about("The head of the log's chain after its last entry.")]


@blueprint.operation("getState", "GET /matches/<match_id>/state")
def state(match_id: str, viewer: Viewer) -> Position:
    """Returns the position as the caller sees it."""
    view = match_views.read_now(site(), match_id, viewer)
    return Position(view.game.meta.slug, view.sheet.version, view.viewer, view.fold)


@blueprint.operation("listEvents", "GET /matches/<match_id>/events", query=Follow)
def events(match_id: str, after: int, wait: int, viewer: Viewer) -> tuple[Events, dict[str, str]]:
    """Returns the log after an entry, redacted for the caller; with `wait`, as soon as there is such an entry.

    If the caller has no place to wait, or the match is not confirmed yet, the answer comes at once, and `Retry-After`
    says when to ask again.
    """
    known = waiting.callers_knowledge_of_match(match_id, after)
    still = read_game_and_head_if_unchanged(site(), match_id, viewer, after) if wait else None
    if still is not None and waiting.pause_request_until_news(known, wait):
        game, head = still
        return _events_answer(game, after, Stretch(head, head, [])), {}
    (view, told), headers = match_views.read_events(site(), match_id, viewer, after), {}
    waits = wait > 0 and not view.sheet.has_ended and view.sheet.version <= after
    if waits and not (is_match_confirmed(view) and waiting.pause_request_until_news(known, wait)):
        headers["Retry-After"] = str(FULL_S)
    return _events_answer(view.game.meta.slug, view.sheet.version, told), headers


def _events_answer(game: str, version: int, told: Stretch) -> Events:
    """Returns entries that lead to this version, with what proves them."""
    return Events(
        game=game, version=version, base=told.base, head=told.head, mark=told.mark_of_head, events=told.entries
    )


def is_match_confirmed(view: View) -> bool:
    """True unless the match is not confirmed yet: anybody can start one, just to have something to wait for."""
    return view.sheet.status != "unconfirmed"


@blueprint.operation("getStory", "GET /matches/<match_id>/story", query=After)
def story_in_words(match_id: str, after: int, viewer: Viewer) -> Story:
    """Returns the log after an entry in words; minor entries have no line."""
    view = match_views.read_now(site(), match_id, viewer, lambda seen: seen.tells(after))
    lines = view.story(language(), after)
    return Story(view.sheet.version, [StoryLine(line.n, phrase_text(line.text, view.sheet.names)) for line in lines])


@blueprint.operation("getLog", "GET /matches/<match_id>/log", gives=Log, refuses=(409,))
def portable_log(match_id: str, viewer: Viewer) -> Response:
    """Returns the portable log, a file that replays anywhere."""
    return Response(logfile.log_to_bytes(match_views.read_log(site(), match_id, viewer)), mimetype="application/json")


# --- the sheet, which everybody who may see the match gets -----------------------------------------------------

Commitment = Annotated[
    str,
    about(
        "The commitment to its luck, made before anybody but the organiser has chosen a lucky word: "
        "64 digits that fix the seed and that word. Keep it to check the log at the end; it does not say how the "
        "seed was chosen."
    ),
]


class Warned(Struct, frozen=True):
    """A warning that the players should see, though nothing was refused."""

    code: Literal["names_alike"]
    seats: Annotated[tuple[int, ...], about("The seats that it is about.")]
    text: Text


class Started(Struct, frozen=True, kw_only=True):
    """A match: id, status, warnings."""

    id: str
    status: Status
    warnings: Annotated[list[Warned], about("`names_alike`: the names on these seats look alike. Mostly empty.")]


class SheetAsk(Struct, frozen=True):
    """An open question: to whom, until when, and when the clock answers it."""

    seat: int
    key: str
    kind: str
    deadline: Annotated[datetime | None, about("Null: the match has no deadlines.")]
    grace_until: Annotated[
        datetime | None,
        about("When the clock moves: a grace after the deadline. Null: not by itself, or its mail has not left yet."),
    ]
    vote: Annotated[Vote | None, about("Null: there is nothing to vote on.")]


class SheetClock(Struct, frozen=True):
    """Seconds for a turn, and for an answer during another's turn; what happens when the time is up."""

    turn_s: int
    window_s: int
    late: Annotated[str, one_of(LATE)]
    bank_s: Annotated[int | None, about("Null: a time for each turn.")]
    increment_s: int
    windows: Annotated[str, one_of(WINDOWS)]


class MatchSheet(Started, frozen=True, kw_only=True):
    """What everybody who may see the match may know of it."""

    game: str
    version: Annotated[int, about("The number of the last entry of its log.")]
    seen: Annotated[
        int | None,
        about(
            "The number of the last entry that you have seen, by `markSeen` or by an answer. Null: "
            "spectator, or not recorded. Nobody else learns of it."
        ),
    ]
    viewer: Annotated[int | None, about("Your seat; null: spectator.")]
    options: Annotated[Any, of_games(OPTIONS_SHOWN)]
    seats: list[SheetSeat]
    asks: list[SheetAsk]
    outcome: Outcome | None
    cancelled: Annotated[str | None, about("Why it was called off: withdrawn, lapsed, host, abandoned, season.")]
    spectators: bool
    clock: Annotated[SheetClock | None, about("Null: one person plays against bots, without deadlines.")]
    takebacks: Annotated[
        str,
        one_of(TAKEBACKS),
        about("What can be taken back: with the others' consent also what they have seen, or not."),
    ]
    takeback: Annotated[OpenRequest | None, about("Null: nobody asks to take back.")]
    deal: Annotated[
        str | None, about("The id of the deal that other tables play, too; null: only this one has its luck.")
    ]
    sealed_until: Annotated[
        Literal["deal"] | None,
        about(
            "“deal”: until the last table of its deal is over, the match keeps its secrets, also once "
            "it is over itself. Its seats see what they saw at the end, and spectators see nothing (403). Null: it "
            "keeps them only while it runs."
        ),
    ]
    rematch: Annotated[str | None, about("The id of the match that plays this one again.")]
    commitment: Commitment
    words: Annotated[tuple[str, ...] | None, about("The SHA-256 of each seat's lucky word; null before the start.")]
    words_typed: Annotated[
        tuple[int, ...] | None,
        about("The seats whose word somebody typed; those of the others follow from the seed. Null before the start."),
    ]
    mark: Annotated[
        str | None,
        about("The beginning of the head of the log's chain, as in the foot of the mails; null before the start."),
    ]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


def warnings_in_words(sheet: Sheet) -> list[Warned]:
    """Returns the warnings for the players, in both languages: they are part of the ETag."""
    return [
        Warned("names_alike", seats, Text(*(problems.lookalikes_warning(sheet.names, seats, lang) for lang in LANGS)))
        for seats in sheet.alike
    ]


def sheet_for_seat(sheet: Sheet, seat: int | None) -> MatchSheet:
    """Returns the sheet for this seat, or for a spectator."""
    joins = {
        number: site().url(f"/join/{token}")
        for number, token in joining.join_tokens_for_organiser(site(), sheet.id, seat).items()
    }
    left = substitutes.substitute_links_by_seat(site(), sheet, seat)
    windows = SILENT if sheet.silent else AT_ONCE
    return answer_from(
        MatchSheet, sheet, warnings=warnings_in_words(sheet), game=sheet.game.meta.slug, viewer=seat,
        seats=[replace(one, join=joins.get(one.seat), substitute=left.get(one.seat)) for one in sheet.seats],
        asks=[answer_from(SheetAsk, ask, grace_until=ask.acts_at) for ask in sheet.asks],
        clock=None if sheet.untimed else answer_from(SheetClock, sheet, windows=windows),
        sealed_until="deal" if sheet.sealed else None,
        rematch=rematches.read_rematch_id(site(), sheet.id) if sheet.over else None,
        words_typed=sheet.typed,
    )  # fmt: skip


# --- as a stream -----------------------------------------------------------------------------------------------

_LAST = waiting.last_event_id_parameter(
    "The last entry that the caller has, in place of `after`; browsers send it when they come again.", digits=9
)

streams = Endpoints("streams", "A match as it goes on.")


class Over(Struct, frozen=True):
    """The match has ended, and the caller has all of it."""

    version: int
    status: Status
    head: str | None


streams.tell(Over)


@streams.operation(
    "followEvents",
    "GET /matches/<match_id>/events/stream",
    who=ANYBODY,
    query=After,
    refuses=(503,),
    parameters=[_LAST],
    responses={
        "200": {
            "description": "Each entry as it happens: `entry`, and at the end `over`.",
            "content": waiting.stream_content_schema(entry="Entry", over=Over),
        },
        "204": {"description": "The match has ended, and the caller has all of it. Browsers do not come again."},
    },
)
def stream_entries(match_id: str, after: int, viewer: Viewer) -> Response:
    """Streams the entries after a given one, redacted for the caller, as they happen, for three to four minutes."""
    begins = waiting.stream_position() is None
    last = (
        waiting.last_event_id(_LAST, N_("It must be the number of an entry.")) if begins else waiting.stream_position()
    )
    after = last or after
    view, told = match_views.read_events(site(), match_id, viewer, after)
    if begins and view.sheet.has_ended and view.sheet.version <= after:
        return no_content()
    after = max(after, view.sheet.version)
    if not view.sheet.has_ended:
        if not is_match_confirmed(view):
            raise waiting.busy_problem()
        waiting.pause_stream_until_news(after, (waiting.callers_knowledge_of_match(match_id, after),))
    sent = [waiting.BACK] if begins else []
    sent += [b"id: %d\nevent: entry\ndata: %s\n\n" % (entry.n, encode(entry)) for entry in told.entries]
    if view.sheet.has_ended:
        sent.append(b"event: over\ndata: %s\n\n" % encode(Over(after, view.sheet.status, told.head)))
    return waiting.stream_response(b"".join(sent))
