"""The fields that every mail has, the parts of several letters, and what makes a kind of mail.

    Letter             all that a mail says, as one frozen value
    └── MatchLetter    about one seat of one match; these share a thread
        └── PlayLetter with the board, and a way to mute

`pbem.services.mail.kinds` has a module for each kind. Links are complete URLs. Names and phrases are raw; `compose`
makes them harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Literal, Self

from billiard.exceptions import SoftTimeLimitExceeded

from pbem.kit.contract import AnyGame, Mark, Phrase, Scene, Viewer
from pbem.kit.logs.chain import mark_of
from pbem.kit.texts import Lang
from pbem.mail.harmless import Name, Typed
from pbem.render.pictures import error_kind_and_place

Recap = tuple[tuple[int, Phrase], ...]
"""Lines of the story with the numbers that they have on the board."""
OrdersTold = tuple[str, int, int]
"""A match, a seat, and the entry up to which a letter tells what the orders of the seat have done there."""


@dataclass(frozen=True, kw_only=True)
class Sender:
    """The sender: the site's name, the address in From and the site's URL without a slash at its end."""

    name: str
    address: str
    url: str


@dataclass(frozen=True)
class Board:
    """The position as one viewer sees it: in words, line by line, and as the game draws it.

    `svg` is None if the reader wants no pictures, or if the game could not draw it; `fault` says why. Then the words
    are shown in place of the picture.
    """

    words: tuple[Phrase, ...]
    svg: str | None
    fault: str | None = None


def board_of(game: AnyGame, fold: object, viewer: Viewer, lang: Lang, scene: Scene, *, pictured: bool = True) -> Board:
    """Returns the board of a mail from the viewer's own fold, with nothing to touch.

    It is in words alone if not pictured, or if the game cannot draw it: a mail needs no picture.
    """
    words = game.describe(fold, viewer, lang, over=scene.over)
    if not pictured:
        return Board(words, None)
    try:
        svg = game.draw(fold, viewer, lang, scene)
    except SoftTimeLimitExceeded:  # no fault of the picture: the mail comes again
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the mail leaves, and the fault is told by who sends it
        return Board(words, None, error_kind_and_place(error))
    return Board(words, svg) if svg else Board(words, None, "nothing is drawn")


@dataclass(frozen=True)
class Standing:
    """The result of a seat; `score` is None in games without scores."""

    seat: int
    won: bool
    score: int | None = None


@dataclass(frozen=True)
class MatchLink:
    """A match in the list of a player's links. `names` are those of the others; `url` opens the player's own seat."""

    game: AnyGame
    names: tuple[Name, ...]
    url: str
    status: Literal["unconfirmed", "invited", "your_turn", "waiting", "over"]


@dataclass(frozen=True)
class Said:
    """A message from the seat to its table, as it was typed."""

    seat: int
    text: Typed


@dataclass(frozen=True)
class Away:
    """The player of the seat is on holiday, up to this day in their own zone."""

    seat: int
    last: date


@dataclass(frozen=True)
class Start:
    """How the match that has just begun is played: time for a turn, and for a reaction if that differs; the rules.

    With an `increment` the time is for all turns together, and each turn adds that to it.
    """

    turn: timedelta
    window: timedelta | None
    rules_url: str
    increment: timedelta | None = None


@dataclass(frozen=True, kw_only=True)
class OrderNews:
    """What the reader's orders have done in a match since the last mail that told it, up to its entry `upto`.

    `answered` are the newest of their answers, `count` is the number of all; `left` says what they left to the reader,
    and why, the newest, after `left_before` others; `going` are the orders that stand, each with what it will do, but
    for `more_going`. `stop_url` opens the page with the button that stops them all, `change_url` leads to them.
    """

    answered: tuple[Phrase, ...]
    count: int
    left: tuple[Phrase, ...]
    going: tuple[Phrase, ...]
    stop_url: str
    change_url: str
    upto: int
    left_before: int = 0
    more_going: int = 0

    @property
    def count_left(self) -> int:
        """The number of all questions that they left."""
        return self.left_before + len(self.left)


@dataclass(frozen=True, kw_only=True)
class Letter:
    """The fields that every mail has: `row` is the id of its outbox row, `at` the moment it is written.

    `never_url` opens the page with the button "stop all emails"; a mail program's own button posts to `unsubscribe`,
    None for mails that the readers have asked for themselves.
    """

    kind: ClassVar[str]
    """The name of its module and its template, and the beginning of its Message-ID."""
    list_name: ClassVar[str | None] = None
    """The List-Id, by which mail programs may sort it; for the mails of a match, the match."""

    lists: ClassVar[tuple[str, ...]] = ()
    """The fields that may have more lines than a mail has room for; a page that it links to has them all."""

    row: int
    to: str
    lang: Lang
    zone: str
    at: datetime
    sender: Sender
    never_url: str
    unsubscribe: str | None = None
    unsubscribe_to: str | None = None
    """The address that does the same for mail programs that send a mail instead; None if no mail comes back."""
    reply_to: str | None = None
    """The address that names the seat, and the question if the letter asks one; None if a reply would say nothing."""
    reply_token: str | None = None
    """The seat's token, for the subject, if the address cannot carry any."""
    reply_question: str | None = None
    """The token of the question, or of the seat if the letter asks none, if the address cannot carry any."""
    reply_guide_url: str | None = None
    """The URL of the page that says what a reply can say; None if `reply_to` is."""
    left_out: tuple[int, ...] = ()
    """How many lines each of its `lists` lacks, in their order; () if none does."""
    return_path: str | None = None
    """The address that its bounce goes to, which names it; None: the sender's."""

    def __init_subclass__(cls) -> None:
        cls.kind = cls.__module__.rpartition(".")[2]

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("a letter is written at an aware moment")

    @property
    def addressee(self) -> str:
        """The name of the reader, "" if the letter has none."""
        return ""

    @property
    def one_click_url(self) -> str | None:
        """The URL that a mail program's button posts to (RFC 8058); None if there is nothing to unsubscribe from."""
        return self.unsubscribe

    @property
    def matches_told(self) -> tuple[OfMatch, ...]:
        """The matches that it tells of, in its own order."""
        return ()

    @property
    def commitments(self) -> tuple[str, ...]:
        """Their commitments; they stand in its headers."""
        return tuple(one.commitment for one in self.matches_told)

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads of the logs of those that have begun, as far as it tells them; in its headers, too."""
        return tuple(one.head for one in self.matches_told if one.head is not None)

    @property
    def orders_told(self) -> tuple[OrdersTold, ...]:
        """Those in which it tells what the reader's orders have done."""
        news = ((one, getattr(one, "orders", None)) for one in self.matches_told)
        return tuple((one.match, one.seat, orders.upto) for one, orders in news if orders is not None)

    @property
    def cover(self) -> AnyGame | None:
        """The game whose cover it shows; None for none, and for a reader who wants no pictures."""
        return None

    @property
    def boards(self) -> tuple[OfBoard, ...]:
        """What it shows with a board, in its own order."""
        return ()

    @property
    def mark(self) -> str | None:
        """The mark in its foot; None if it is not about one match, or that match has not begun."""
        return None

    def with_fewer_boards(self) -> Self | None:
        """Returns the letter with one board fewer, and a link in its place; None if it can do without none."""
        return None

    def with_fewer(self, most: int) -> Self:
        """Returns the letter with at most this many lines in each of its `lists`; it says how many it leaves out."""
        left_out = tuple(self.count_left_out(name) + max(0, len(getattr(self, name)) - most) for name in self.lists)
        return replace(self, left_out=left_out, **{name: getattr(self, name)[:most] for name in self.lists})

    def count_left_out(self, name: str) -> int:
        """Returns how many lines of this list the letter has no room for."""
        return dict(zip(self.lists, self.left_out, strict=False)).get(name, 0)

    def subject_line(self, subject: str) -> str:
        """Returns the subject as it leaves, with the seat's token if a reply could not name its seat otherwise.

        That token never changes, so the thread stays together.
        """
        return f"{subject} [{self.reply_token}]" if self.reply_token is not None else subject

    def subject_of_reply(self, subject: str) -> str:
        """Returns the subject of a reply that a link begins: it answers no mail, so it names the question itself."""
        return f"Re: {subject} [{self.reply_question}]" if self.reply_question is not None else f"Re: {subject}"


@dataclass(frozen=True, kw_only=True)
class OfMatch:
    """What is told of a match: a seat in it, and the `names` of all seats, in seat order.

    `commitment` is that to the match's luck, in 64 hexadecimal digits, `head` that of its log's chain when the mail is
    written, None before the start.
    """

    game: AnyGame
    match: str
    seat: int
    names: tuple[Name, ...]
    commitment: str
    head: str | None = None

    @property
    def mark(self) -> str | None:
        """The mark of the head, for the eye."""
        return mark_of(self.head) if self.head is not None else None

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])


@dataclass(frozen=True, kw_only=True)
class OfBoard(OfMatch):
    """What is told of a match with its board, as the seat sees it; `play_url` opens the seat's page."""

    board: Board
    play_url: str

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that are drawn beside its words, each once."""
        return ()


@dataclass(frozen=True, kw_only=True)
class MatchLetter(OfMatch, Letter):
    """A mail about a seat in one match.

    Its subject never changes, so that mail programs keep the match's mails together: it has the `first_names`, those at
    the start, in seat order (() if they are the same), and tells it from others that the same people play (`nth`).
    `word` is the lucky word that the reader typed, None without one.
    """

    word: Typed | None = None
    first_names: tuple[Name, ...] = ()
    nth: int = 1

    @property
    def matches_told(self) -> tuple[OfMatch, ...]:
        """Its own."""
        return (self,)

    @property
    def first_others(self) -> tuple[str, ...]:
        """The names that the other seats had at the start, in seat order."""
        names = self.first_names or self.names
        return (*names[: self.seat], *names[self.seat + 1 :])

    @property
    def addressee(self) -> str:
        """The reader's name in this match."""
        return self.names[self.seat]


@dataclass(frozen=True, kw_only=True)
class PlayLetter(OfBoard, MatchLetter):
    """A mail with the board. `recap` is what happened since the reader's last move, numbered as on the board.

    `moved` is True if they have made one; `said` holds the newest messages of others since then, after `said_before`
    earlier ones. A one-click POST to `mute_url` mutes the match; opening it shows the page with the button.
    """

    recap: Recap
    moved: bool
    said: tuple[Said, ...] = ()
    said_before: int = 0
    mute_url: str
    orders: OrderNews | None = None

    @property
    def boards(self) -> tuple[OfBoard, ...]:
        """Its own."""
        return (self,)

    @property
    def one_click_url(self) -> str:
        """The URL that mutes the match."""
        return self.mute_url


@dataclass(frozen=True)
class Kind:
    """A kind of mail: its letter, who writes it, and how the service treats it on its way."""

    letter: type[Letter]
    build: Callable[[Any], Letter | str]
    """Takes the `LetterContext` of a row; returns the letter to send now, or the word that becomes the row's result:
    "stale" if its reason is gone, "digest" if the daily digest covers it. It runs when the mail leaves."""
    _: KW_ONLY
    quotas_of: Callable[..., Any] | None = None
    """Takes the site, the session and the row; returns the quotas it counts against. None: those of its player."""
    can_be_muted: bool = False
    """Muting the match stops it, unless its reader has asked for it (`on_request`)."""
    capped: bool = False
    """Somebody else's click can cause it, so it counts against the quotas for mail caused by strangers."""
    on_request: bool = False
    """Its readers can ask for it again: if a quota holds it back for a day, it is dropped."""
    proves_address: bool = False
    """Its readers have just typed or confirmed the address on a page, and read it at once if it arrives. So it is sent
    even to an address that bounces, and if the relay takes it, the bounce is cleared."""
    with_board: bool = False
    """It shows the board of a match that goes on, so what it is made of is read with the row that is claimed."""
    to_newcomer: bool = False
    """It is about a seat, but its reader does not sit there: the outbox row names them."""
    to_any_mailbox: bool = False
    """It may go to an address that is not its player's: a bounce of theirs does not hold it back, and its fate says
    nothing about theirs. Its builder checks where it goes."""
