"""The mails that are written, one frozen value a kind, each holding all that its mail says.

    Letter
    ├── Confirm            to the organiser, before anybody else is written to
    ├── MyLinks            to whoever asked for his links
    └── MatchLetter        about one seat of one match; these share a thread
        ├── Invitation     to a player who has not accepted yet
        ├── Declined       to the organiser: somebody does not want to play
        ├── Cancelled      to every player: there will be no match
        └── PlayLetter     with the board, and a way to mute
            ├── YourTurn
            └── MatchOver

Links arrive as finished URLs. Names and phrases arrive as they are; `compose` makes them harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal

from pbem.rules.contract import AnyGame, Event, Lang, Phrase, Scene, Viewer

MOST_CHOICES = 24
"""Links to single moves in one mail; when there are more, one a kind of move."""

CancelReason = Literal["withdrawn", "lapsed", "host"]


@dataclass(frozen=True, kw_only=True)
class Sender:
    """Who writes: the site's name, the address in From and the site's URL without a slash at its end."""

    name: str
    address: str
    url: str


@dataclass(frozen=True)
class Board:
    """The position as one viewer sees it: in words, a line each, and as the game draws it."""

    words: tuple[Phrase, ...]
    svg: str


@dataclass(frozen=True)
class Choice:
    """A move, or a kind of moves, as a link to the page that shows it chosen. `notation` is "" for a kind."""

    label: Phrase
    notation: str
    href: str


@dataclass(frozen=True)
class Standing:
    """How a seat came out of a match; `score` is None in games without scores."""

    seat: int
    won: bool
    score: int | None = None


@dataclass(frozen=True)
class MatchLink:
    """A match in the list of somebody's links. `names` are those of the others; `url` opens his own seat."""

    game: AnyGame
    names: tuple[str, ...]
    url: str
    status: Literal["invited", "your_turn", "waiting", "over"]


@dataclass(frozen=True, kw_only=True)
class Letter:
    """What every mail has: `row` is the outbox row it comes from, `at` the moment it is written.

    `never_url` opens the page with the button "never write to me again".
    """

    kind: ClassVar[str]

    row: int
    to: str
    lang: Lang
    zone: str
    at: datetime
    sender: Sender
    never_url: str

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("a letter is written at an aware moment")


@dataclass(frozen=True, kw_only=True)
class Confirm(Letter):
    """Is it you who starts this match? `names` are those of the others; the request lapses at `until`."""

    kind = "confirm"

    game: AnyGame
    organiser: str
    names: tuple[str, ...]
    confirm_url: str
    until: datetime


@dataclass(frozen=True, kw_only=True)
class MyLinks(Letter):
    """The links that were asked for. `account_url` works for `life`, the others as long as their match."""

    kind = "links"

    account_url: str
    life: timedelta
    matches: tuple[MatchLink, ...]


@dataclass(frozen=True, kw_only=True)
class MatchLetter(Letter):
    """A mail about the seat of one match. `names` are those of all seats, in seat order."""

    game: AnyGame
    match: str
    seat: int
    names: tuple[str, ...]

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])


@dataclass(frozen=True, kw_only=True)
class Invitation(MatchLetter):
    """Somebody would like to play with the reader. It lapses at `until`; `turn` is the time for each turn."""

    kind = "invitation"

    organiser: str
    invitation_url: str
    until: datetime
    turn: timedelta


@dataclass(frozen=True, kw_only=True)
class Declined(MatchLetter):
    """To the organiser on `seat`: `who` does not want to play; `match_url` shows what can be done."""

    kind = "declined"

    who: str
    match_url: str


@dataclass(frozen=True, kw_only=True)
class Cancelled(MatchLetter):
    """There will be no match (any more): withdrawn by its organiser, lapsed, or stopped by the host."""

    kind = "cancelled"

    organiser: str
    reason: CancelReason


@dataclass(frozen=True, kw_only=True)
class PlayLetter(MatchLetter):
    """A mail with the board. `recap` is what happened since the reader's last move, numbered as on the board; `moved`
    says whether he has made one.

    A one-click POST to `mute_url` mutes the match; opening it shows the page with the button.
    """

    recap: tuple[tuple[int, Phrase], ...]
    moved: bool
    board: Board
    mute_url: str


@dataclass(frozen=True, kw_only=True)
class YourTurn(PlayLetter):
    """The seat is asked something. `title` is the ask kind's; `waiting` names those who wait for it, `asked` the
    others who are asked at the same time.
    """

    kind = "turn"

    key: str
    title: str
    prompt: Phrase
    choices: tuple[Choice, ...]
    deadline: datetime
    play_url: str
    waiting: tuple[str, ...]
    asked: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.choices) > MOST_CHOICES:
            raise ValueError(f"{len(self.choices)} choices are too many for a mail: at most {MOST_CHOICES}")


@dataclass(frozen=True, kw_only=True)
class MatchOver(PlayLetter):
    """The match has ended: how each seat came out of it, and why, in `outcome`.

    `outcome` is the part of a sentence that `Meta.endings` has, without a capital letter or a full stop.
    """

    kind = "over"

    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str


AnyLetter = Confirm | MyLinks | Invitation | Declined | Cancelled | YourTurn | MatchOver


def seen(game: AnyGame, fold: object, viewer: Viewer, lang: Lang, recent: tuple[tuple[int, Event], ...] = ()) -> Board:
    """The board of a mail from the viewer's own fold: nothing to touch, the newest events marked."""
    return Board(game.describe(fold, viewer, lang), game.draw(fold, viewer, lang, Scene(recent=recent)))
