"""The parts of letters: the board, a choice, a seat's result, a message, a line about a match."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from billiard.exceptions import SoftTimeLimitExceeded

from pbem.kit.answers import MARKED, TAKEN
from pbem.kit.contract import AnyGame, Phrase, Scene, Viewer
from pbem.kit.logs.chain import mark_of
from pbem.kit.texts import Lang
from pbem.mail.harmless import Name, Typed
from pbem.render.phrases import notations_in
from pbem.render.pictures import fault_of

Recap = tuple[tuple[int, Phrase], ...]
"""Lines of the story with the numbers that they have on the board."""


@dataclass(frozen=True, kw_only=True)
class Sender:
    """The sender: the site's name, the address in From and the site's URL without a slash at its end."""

    name: str
    address: str
    url: str


_SIGNS = {TAKEN.text: "#", MARKED: "*"}


@dataclass(frozen=True)
class Board:
    """The position as one viewer sees it: in words, line by line, and as the game draws it.

    `svg` is None if the reader wants no pictures, or if the game could not draw it; `fault` says why. Then the words
    stand where the picture would.
    """

    words: tuple[Phrase, ...]
    svg: str | None
    fault: str | None = None


@dataclass(frozen=True)
class Answer:
    """A field of `Answers`: `short` is as short as it can be said.

    `href` leads to the page where it is chosen, `label` says in full what it does. Both are "" for a heading and for
    what is not allowed at present. `typed` is what a reply says to choose it, or one of `several` answers that it
    leads to; "" if no reply could choose it.
    """

    short: Phrase
    label: Phrase = ""
    href: str = ""
    typed: str = ""
    several: bool = False


def _plain(short: Phrase) -> str:
    """Returns a field's text as a text shows it, if it is a notation alone."""
    return short.removeprefix("{").removesuffix("}")


@dataclass(frozen=True)
class Answers:
    """The answers to a question as a small table; see `pbem.kit.contract.Pad`."""

    title: Phrase
    rows: tuple[tuple[Answer, ...], ...]
    note: Phrase = ""
    places: tuple[tuple[Answer, ...], ...] = ()

    @property
    def links(self) -> tuple[Answer, ...]:
        """The answers that can be chosen, row by row, then those of the map."""
        return tuple(field for row in (*self.rows, *self.places) for field in row if field.href)

    @property
    def examples(self) -> tuple[str, ...]:
        """What replies could say, at most three, from different rows where there are; what is short comes first."""
        rows = (*self.rows, *self.places)
        typed = [next((field.typed for field in row if field.typed and not field.several), "") for row in rows]
        several = [field.typed for field in self.links if field.several]
        return tuple(dict.fromkeys(text for text in (*typed, *several) if text))[:3]

    @property
    def replies(self) -> tuple[str, ...]:
        """What a reply says to choose a field of the rows, each once; the examples if none is a whole answer."""
        whole = (field.typed for row in self.rows for field in row if field.typed and not field.several)
        return tuple(dict.fromkeys(whole)) or self.examples

    @property
    def lines(self) -> tuple[str | Answer, ...]:
        """The rows as a text shows them. One in which each field is what a reply says is drawn, with -- for what is not
        allowed; of the others, each field is a line of its own."""
        found: list[str | Answer] = []
        for row in self.rows:
            if len(row) > 1 and all(_plain(field.short) == field.typed for field in row if field.href):
                signs = (_plain(field.short) if field.href or not field.short else "--" for field in row)
                found.append("".join(sign.ljust(5) for sign in signs).rstrip())
            else:
                found += [field for field in row if field.short]
        return tuple(found)

    @property
    def drawn_places(self) -> tuple[str, ...]:
        """The map in signs that every mail program has, line by line; () without one."""
        if not self.places:
            return ()
        wide = max(len(field.short) for row in self.places for field in row)
        lines = []
        for number, row in enumerate(self.places):
            signs = [_SIGNS.get(field.short, field.short) or "." for field in row]
            if number == 0:
                signs[0] = ""  # where the names of rows and columns meet
            lines.append(" ".join(sign.rjust(wide) for sign in signs).rstrip())
        return tuple(lines)

    @property
    def drawn_note(self) -> Phrase:
        """The note with the signs of `drawn_places`."""
        return "".join(_SIGNS.get(letter, letter) for letter in self.note)

    @property
    def columns(self) -> int:
        """The number of fields in the longest row."""
        return max(map(len, self.rows))

    @property
    def notations(self) -> tuple[str, ...]:
        """The notation of everything that the links name, each once."""
        return tuple(dict.fromkeys(name for field in self.links for name in notations_in(field.short)))


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

    With an `increment` the time is for all turns together, and each turn adds to it.
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
    for `more_going`. `stop_url` opens the page with the button
    that stops them all, `change_url` leads to them.
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
class TurnLine:
    """A match in which the reader of a digest is asked. `title` is the ask kind's; `names` are those of all seats.

    `said_before` is the number of messages before those in `said`. `commitment` and `head` are as in a `MatchLetter`.
    """

    game: AnyGame
    names: tuple[Name, ...]
    seat: int
    title: str
    deadline: datetime
    recap: Recap
    moved: bool
    said: tuple[Said, ...]
    said_before: int = 0
    play_url: str
    commitment: str
    head: str
    match: str
    orders: OrderNews | None = None

    @property
    def mark(self) -> str:
        """The mark of the head, for the eye."""
        return mark_of(self.head)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])


@dataclass(frozen=True, kw_only=True)
class EndLine:
    """A match of a digest's reader that has ended: the ending, as in `endings_of`, and the URL of its replay.

    `commitment` and `head` are as in a `MatchLetter`.
    """

    game: AnyGame
    names: tuple[Name, ...]
    seat: int
    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str
    commitment: str
    head: str
    match: str
    orders: OrderNews | None = None

    @property
    def mark(self) -> str:
        """The mark of the head, for the eye."""
        return mark_of(self.head)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, in seat order."""
        return (*self.names[: self.seat], *self.names[self.seat + 1 :])


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
        return Board(words, None, fault_of(error))
    return Board(words, svg) if svg else Board(words, None, "nothing is drawn")
