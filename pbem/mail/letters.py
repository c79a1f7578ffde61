"""What every mail has, and what the service asks of a kind of mails; `kinds` has a module for each.

    Letter             all that a mail says, as one frozen value
    └── MatchLetter    about one seat of one match; these share a thread
        └── PlayLetter with the board, and a way to mute

Links arrive as finished URLs. Names and phrases arrive as they are; `compose` makes them harmless.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import ClassVar

from pbem.kit.contract import AnyGame, Lang
from pbem.mail.harmless import Name
from pbem.mail.parts import Board, Recap, Said, Sender


@dataclass(frozen=True, kw_only=True)
class Letter:
    """What every mail has: `row` is the outbox row it comes from, `at` the moment it is written.

    `never_url` opens the page with the button "never write to me again"; `unsubscribe` is where a mail program's
    own button posts to, None where the readers have asked for the mail themselves.
    """

    kind: ClassVar[str]
    """Names its folder of templates, and begins its Message-ID."""
    list_name: ClassVar[str | None] = None
    """By which mail programs may sort it (List-Id); that of a match's mails is the match."""

    row: int
    to: str
    lang: Lang
    zone: str
    at: datetime
    sender: Sender
    never_url: str
    unsubscribe: str | None = None

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("a letter is written at an aware moment")

    @property
    def addressee(self) -> str:
        """The name of the reader, "" where the letter knows none."""
        return ""

    @property
    def one_click_url(self) -> str | None:
        """Where the button of a mail program posts to (RFC 8058); None where there is nothing to unsubscribe from."""
        return self.unsubscribe

    def overline(self, subject: str) -> str:
        """What stands above the heading: what the mail is about, as far as the heading does not say it."""
        return self.sender.name


@dataclass(frozen=True, kw_only=True)
class MatchLetter(Letter):
    """A mail about the seat of one match. `names` are those of all seats, in seat order.

    `commitment` is the SHA-256 of the seed that the match's luck comes from, in 64 hexadecimal digits.
    """

    game: AnyGame
    match: str
    seat: int
    names: tuple[Name, ...]
    commitment: str

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])

    @property
    def addressee(self) -> str:
        """The reader's name in this match."""
        return self.names[self.seat]

    def overline(self, subject: str) -> str:
        """The subject of the thread."""
        return subject


@dataclass(frozen=True, kw_only=True)
class PlayLetter(MatchLetter):
    """A mail with the board. `recap` is what happened since the reader's last move, numbered as on the board; `moved`
    says whether they have made one. `said` is the newest that others have said since then, `said_before` how much more.

    A one-click POST to `mute_url` mutes the match; opening it shows the page with the button.
    """

    recap: Recap
    moved: bool
    said: tuple[Said, ...] = ()
    said_before: int = 0
    board: Board
    mute_url: str

    @property
    def one_click_url(self) -> str:
        """Where the match is muted."""
        return self.mute_url


@dataclass(frozen=True)
class Kind:
    """What the service asks of a kind of mails: which letter it is, and how it is treated on its way."""

    letter: type[Letter]
    _: KW_ONLY
    can_be_muted: bool = False
    """The button "mute" of its match stops it."""
    capped: bool = False
    """Somebody else's click can cause it, so it counts against the quotas of mail that strangers cause."""
    on_request: bool = False
    """Whoever wants it can ask for it again: where a quota holds it back for a day, it is dropped."""
    proves_address: bool = False
    """Its readers have just typed or confirmed the address on a page, and read it at once if it arrives. So it leaves
    for an address that bounces, and if the relay takes it, the bounce is forgotten."""
    to_newcomer: bool = False
    """It is about a seat, to somebody who does not sit there: the outbox row names the reader."""
    to_any_mailbox: bool = False
    """It may go to an address that is not its player's: what is known of theirs does not keep it back, and what
    becomes of it says nothing about theirs. Its builder checks where it goes."""
