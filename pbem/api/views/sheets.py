"""A match's sheet, which everybody who may see the match gets."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from pbem.answers import OPTIONS_SHOWN, about, answer_from, of_games, one_of
from pbem.api.protocol.callers import site
from pbem.kit.contract import Outcome
from pbem.kit.texts import LANGS, Text
from pbem.render import problems
from pbem.services.lobby import joining, rematches
from pbem.services.lobby.match_request import AT_ONCE, LATE, SILENT, TAKEBACKS, WINDOWS
from pbem.services.log.consent import Vote
from pbem.services.play import substitutes
from pbem.services.views.match_views import OpenRequest, Sheet, SheetSeat, Status

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


def warnings(sheet: Sheet) -> list[Warned]:
    """Returns the warnings for the players, in both languages: they are part of the ETag."""
    return [
        Warned("names_alike", seats, Text(*(problems.name_lookalikes(sheet.names, seats, lang) for lang in LANGS)))
        for seats in sheet.alike
    ]


def sheet_for(sheet: Sheet, seat: int | None) -> MatchSheet:
    """Returns the sheet for this seat, or for a spectator."""
    joins = {
        number: site().url(f"/join/{token}") for number, token in joining.join_tokens(site(), sheet.id, seat).items()
    }
    left = substitutes.links(site(), sheet, seat)
    windows = SILENT if sheet.silent else AT_ONCE
    return answer_from(
        MatchSheet, sheet, warnings=warnings(sheet), game=sheet.game.meta.slug, viewer=seat,
        seats=[replace(one, join=joins.get(one.seat), substitute=left.get(one.seat)) for one in sheet.seats],
        asks=[answer_from(SheetAsk, ask, grace_until=ask.acts_at) for ask in sheet.asks],
        clock=None if sheet.untimed else answer_from(SheetClock, sheet, windows=windows),
        sealed_until="deal" if sheet.sealed else None,
        rematch=rematches.read_rematch(site(), sheet.id) if sheet.over else None,
        words_typed=sheet.typed,
    )  # fmt: skip
