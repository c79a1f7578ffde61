"""The mails that are written, one frozen value a kind, each holding all that its mail says.

    Letter
    ├── Confirm            to the organiser, before anybody else is written to
    ├── MyLinks            to whoever asked for his links
    │   └── Readdressed    the same, at an address that he has just changed to
    ├── Readdress          to the old and the new mailbox of who wants to change his address
    ├── Digest             one mail a day for who wants no mail a turn
    ├── WebhookOff         to whose webhook is called no more
    └── MatchLetter        about one seat of one match; these share a thread
        ├── Invitation     to a player who has not accepted yet
        ├── Declined       to the organiser: somebody does not want to play
        ├── Cancelled      to every player: there will be no match
        ├── Absent         to who has let the time pass: the clock plays for him until he comes back
        ├── Paused         to all who are absent: nobody is at the table, and the match waits
        ├── Vote           to those who may let the clock play for somebody who is late
        ├── Substitute     to somebody who has asked to take over a seat that was left
        └── PlayLetter     with the board, and a way to mute
            ├── Started
            ├── YourTurn
            │   └── Reminder
            └── MatchOver

Links arrive as finished URLs. Names and phrases arrive as they are; `compose` makes them harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from pbem.kit.contract import AnyGame, Phrase
from pbem.kit.replay import CancelReason as CancelReason
from pbem.mail.account_letters import Letter as Letter
from pbem.mail.account_letters import MyLinks as MyLinks
from pbem.mail.account_letters import Readdress as Readdress
from pbem.mail.account_letters import Readdressed as Readdressed
from pbem.mail.account_letters import WebhookOff as WebhookOff
from pbem.mail.parts import Away, Board, Choice, EndLine, MatchLink, Recap, Said, Standing, Start, TurnLine

MOST_CHOICES = 24
"""Links to single moves in one mail; when there are more, one a kind of move."""


@dataclass(frozen=True, kw_only=True)
class Confirm(Letter):
    """Is it you who starts this match? `names` are those of the others; the request lapses at `until`.

    `commitment` is as in a `MatchLetter`.
    """

    kind = "confirm"

    game: AnyGame
    organiser: str
    names: tuple[str, ...]
    confirm_url: str
    until: datetime
    commitment: str


@dataclass(frozen=True, kw_only=True)
class MatchLetter(Letter):
    """A mail about the seat of one match. `names` are those of all seats, in seat order.

    `commitment` is the SHA-256 of the seed that the match's luck comes from, in 64 hexadecimal digits.
    """

    game: AnyGame
    match: str
    seat: int
    names: tuple[str, ...]
    commitment: str

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])


@dataclass(frozen=True, kw_only=True)
class Invitation(MatchLetter):
    """Somebody would like to play with the reader. It lapses at `until`; `turn` is the time for each turn.

    With an `increment` the time is for all turns together, and each turn adds to it.
    """

    kind = "invitation"

    organiser: str
    invitation_url: str
    until: datetime
    turn: timedelta
    increment: timedelta | None = None


@dataclass(frozen=True, kw_only=True)
class Declined(MatchLetter):
    """To the organiser on `seat`: `who` does not want to play; `match_url` shows what can be done."""

    kind = "declined"

    who: str
    match_url: str


@dataclass(frozen=True, kw_only=True)
class Cancelled(MatchLetter):
    """There will be no match (any more): withdrawn by its organiser, lapsed, stopped by the host, or abandoned."""

    kind = "cancelled"

    organiser: str
    reason: CancelReason


@dataclass(frozen=True, kw_only=True)
class Absent(MatchLetter):
    """The reader has let the time pass, `misses` times in a row: the clock plays for him until he comes back.

    `paused`: nobody else is there, and the match waits until `until`. `play_url` has the button to come back.
    """

    kind = "absent"

    misses: int
    until: datetime | None
    play_url: str


@dataclass(frozen=True, kw_only=True)
class Paused(MatchLetter):
    """Nobody is at the table any more: the match waits for the first who comes back, but not longer than `until`.

    `play_url` has the button to come back.
    """

    kind = "paused"

    until: datetime
    play_url: str


@dataclass(frozen=True, kw_only=True)
class Vote(MatchLetter):
    """The time of `late`, a seat, is up: the others may let the clock play. `needed` votes decide; `cast` there are.

    `play_url` has the button.
    """

    kind = "vote"

    late: int
    cast: int
    needed: int
    play_url: str


@dataclass(frozen=True, kw_only=True)
class Substitute(MatchLetter):
    """The reader has asked to take over the seat that `former` has left; in `names` the reader's own stands there."""

    kind = "substitute"

    former: str
    takeover_url: str
    turn: timedelta
    increment: timedelta | None = None


@dataclass(frozen=True, kw_only=True)
class PlayLetter(MatchLetter):
    """A mail with the board. `recap` is what happened since the reader's last move, numbered as on the board; `moved`
    says whether he has made one. `said` is the newest that others have said since then, `said_before` how much more.

    A one-click POST to `mute_url` mutes the match; opening it shows the page with the button.
    """

    recap: Recap
    moved: bool
    said: tuple[Said, ...] = ()
    said_before: int = 0
    board: Board
    mute_url: str


@dataclass(frozen=True, kw_only=True)
class Started(PlayLetter):
    """Everybody has accepted, and somebody else is asked first: those in `asked`."""

    kind = "started"

    start: Start
    play_url: str
    asked: tuple[str, ...]
    away: tuple[Away, ...] = ()


@dataclass(frozen=True, kw_only=True)
class YourTurn(PlayLetter):
    """The seat is asked something. `title` is the ask kind's; `waiting` names those who wait for it, `asked` the
    others who are asked at the same time, `away` those who are on holiday. `start` is there in the first mail of a
    match.
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
    away: tuple[Away, ...] = ()
    start: Start | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.choices) > MOST_CHOICES:
            raise ValueError(f"{len(self.choices)} choices are too many for a mail: at most {MOST_CHOICES}")


@dataclass(frozen=True, kw_only=True)
class Reminder(YourTurn):
    """The seat is still asked, and time runs out."""

    kind = "reminder"


@dataclass(frozen=True, kw_only=True)
class MatchOver(PlayLetter):
    """The match has ended: how each seat came out of it, winners first, and why, in `outcome`.

    `outcome` is the part of a sentence that `Meta.endings` has, without a capital letter or a full stop.
    """

    kind = "over"

    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str
    play_url: str


@dataclass(frozen=True, kw_only=True)
class Digest(Letter):
    """One mail for a day: where the reader is asked, the most urgent first; further such matches; what has ended.

    Of `more` matches in which he is asked it only says how many they are, and where they are listed.
    A one-click POST to `stop_url` mutes all these matches; opening it shows the page with the button.
    """

    kind = "digest"

    turns: tuple[TurnLine, ...]
    further: tuple[MatchLink, ...]
    ended: tuple[EndLine, ...]
    stop_url: str
    more: int = 0

    @property
    def asked(self) -> int:
        """In how many matches the reader is asked."""
        return len(self.turns) + len(self.further) + self.more


AnyLetter = (
    Confirm | MyLinks | Readdress | Digest | Invitation | Declined | Cancelled | Absent | Paused | Vote | Substitute
    | WebhookOff | Started | YourTurn | MatchOver
)  # fmt: skip
"""A `Reminder` is a `YourTurn`, a `Readdressed` a `MyLinks`."""
