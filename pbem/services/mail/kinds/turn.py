"""Your turn: what you are asked, and the moves as links. The row's key names the ask."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from pbem.kit.answers import MARKED, MOST_FIELDS, MOST_PLACES, TAKEN, first_words_of_moves, shortest_answer_text
from pbem.kit.contract import Cell, Mark, Move, Pad, Phrase, Step
from pbem.kit.texts import Lang
from pbem.mail.harmless import Name
from pbem.mail.letters import Away, Kind, OfBoard, PlayLetter, Start
from pbem.render.phrases import notations_in
from pbem.services.mail import digests
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views
from pbem.services.views.match_views import View

_SIGNS = {TAKEN.text: "#", MARKED: "*"}


@dataclass(frozen=True)
class Answer:
    """A field of `Answers`: `short` is as short as it can be said, `label` says in full what it does.

    `href` leads to the page where it is chosen; both are "" for a heading and for what is not allowed at present.
    `typed` is what a reply says to choose it, or one of `several` answers that it leads to; "" if no reply could.
    """

    short: Phrase
    label: Phrase = ""
    href: str = ""
    typed: str = ""
    several: bool = False


def _without_notation_marks(short: Phrase) -> str:
    """Returns a field's text as a text shows it, if it is a notation alone."""
    return short.removeprefix("{").removesuffix("}")


@dataclass(frozen=True)
class Answers:
    """The answers to a question as a small table; see `pbem.kit.contract.Pad`."""

    title: Phrase
    rows: tuple[tuple[Answer, ...], ...]
    note: Phrase = ""
    places: tuple[tuple[Answer, ...], ...] = ()

    @cached_property
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
    def rows_as_text_lines(self) -> tuple[str | Answer, ...]:
        """The rows as a text shows them. One in which each field is what a reply says is drawn, with -- for what is not
        allowed; of the others, each field is a line of its own."""
        found: list[str | Answer] = []
        for row in self.rows:
            if len(row) > 1 and all(_without_notation_marks(field.short) == field.typed for field in row if field.href):
                signs = (
                    _without_notation_marks(field.short) if field.href or not field.short else "--" for field in row
                )
                found.append("".join(sign.ljust(5) for sign in signs).rstrip())
            else:
                found += [field for field in row if field.short]
        return tuple(found)

    @property
    def map_lines_in_plain_signs(self) -> tuple[str, ...]:
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
    def note_in_plain_signs(self) -> Phrase:
        """The note with the signs of `map_lines_in_plain_signs`."""
        return "".join(_SIGNS.get(letter, letter) for letter in self.note)

    @cached_property
    def column_count(self) -> int:
        """The number of fields in the longest row."""
        return max(map(len, self.rows))

    @property
    def notations(self) -> tuple[str, ...]:
        """The notation of everything that the links name, each once."""
        return tuple(dict.fromkeys(name for field in self.links for name in notations_in(field.short)))


@dataclass(frozen=True, kw_only=True)
class OfQuestion(OfBoard):
    """What a mail tells of a seat that is asked: `title` is the ask kind's."""

    title: str
    answers: Answers
    deadline: datetime

    def __post_init__(self) -> None:
        most = MOST_FIELDS + (MOST_PLACES if self.answers.places else 0)
        if len(self.answers.links) > most:
            raise ValueError(f"{len(self.answers.links)} answers are too many for a mail: at most {most}")


@dataclass(frozen=True, kw_only=True)
class YourTurn(OfQuestion, PlayLetter):
    """The seat is asked something. `reacts`: it interrupts another player's turn.

    `waiting` names those who wait for the reader, `asked` the others who are asked at the same time, `away` those on
    holiday; bots and players who have resigned are not among them. `start` is set in the first mail of a match.
    """

    reacts: bool
    waiting: tuple[Name, ...]
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    start: Start | None = None

    def __post_init__(self) -> None:
        PlayLetter.__post_init__(self)
        OfQuestion.__post_init__(self)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of what the answers name."""
        return tuple(dict.fromkeys(self.game.meta.marks[name] for name in self.answers.notations))


def build(context: LetterContext) -> YourTurn | str:
    """Returns the letter unless the seat has answered or the daily digest covers the ask in time."""
    return letter_about_question(context, YourTurn)


KIND = Kind(YourTurn, build, can_be_muted=True, with_board=True)


def letter_about_question(context: LetterContext, letter: type[YourTurn]) -> YourTurn | str:
    """Returns the letter about the row's ask; "digest" if the digest covers it in time, "stale" once it is answered.

    In a silent window it is stale as soon as the answer is sealed.
    """
    row = context.table.read_seats_and_open_asks().ask_to(context.seat.seat)
    answered = row is None or row.sealed_at is not None
    if context.match.status != "running" or row is None or answered or row.origin != context.row.key:
        return "stale"
    assert row.deadline is not None, "no mail leaves for an untimed question"
    # A notification that nobody opened has started the clock: the digest may come too late.
    player, told = context.reader.player, context.row.pushed_at is not None
    daily = player.digest_hour is not None and not told
    if daily and digests.time_of_digest_before_deadline(context.session, player, row.deadline, context.now) is not None:
        return "digest"
    view = match_views.glance(context.table, context.seat.seat)
    assert view.ask is not None, "the question is open"
    shown, kind, names = (
        context.board_fields(view),
        view.game.meta.asks[view.ask.kind],
        view.sheet.names,
    )
    begins = not shown["moved"] and not context.claimed.has_begun
    people = [seat for seat in view.sheet.seats if seat.bot is None and not seat.resigned]
    return letter(
        **shown,
        title=kind.title[context.reader.lang],
        reacts=kind.window,
        answers=answers_for_mail(view, context.reader.lang, shown["play_url"]),
        deadline=context.deadline_if_sent_now(row),
        start=context.how_match_is_played() if begins else None,
        waiting=tuple(names[s.seat] for s in people if not s.asked),
        asked=tuple(names[s.seat] for s in people if s.asked and s.seat != context.seat.seat),
        away=context.players_on_holiday(view),
    )


def answers_for_mail(view: View, lang: Lang, play_url: str) -> Answers:
    """Returns the answers that the game offers in short, as links to the viewer's page, with what a reply would say."""
    game, ask, legal = view.game, view.ask, view.legal()
    assert ask is not None
    pad, words = game.pad(ask.ask, view.fold, lang), [*first_words_of_moves(game, legal)]
    moves = _moves_of_fields(view, lang, pad)

    def answer(cell: Cell) -> Answer:
        if cell.steps is None:
            return Answer(cell.text)
        steps = _texts_of_steps(cell.steps)
        chosen = moves[steps]
        query = {"ask": ask.key} | ({"pick": ",".join(steps)} if steps else {})
        return Answer(
            cell.text,
            label=" › ".join(step.label for step in cell.steps) or cell.text,
            href=f"{play_url}?{urlencode(query)}",
            typed=shortest_answer_text(game, chosen[0], seat=ask.seat, legal=legal, words=words) if chosen else "",
            several=len(chosen) > 1,
        )

    rows, places = (tuple(tuple(map(answer, row)) for row in part) for part in (pad.rows, pad.places))
    return Answers(pad.title, rows, pad.note, places)


def _moves_of_fields(view: View, lang: Lang, pad: Pad) -> dict[tuple[str, ...], list[Move]]:
    """Returns by the steps of each field the move that it leads to, or the first two if there are several.

    The path of each legal move begins with one field, so the others are not looked at: they may be hundreds.
    """
    fields = (cell.steps for row in (*pad.rows, *pad.places) for cell in row if cell.steps is not None)
    moves: dict[tuple[str, ...], list[Move]] = {_texts_of_steps(steps): [] for steps in fields}
    wanted = {*moves}
    for move in view.legal():
        if not wanted:
            break
        path = _texts_of_steps(view.game.path(move, view.fold, lang))
        field = next((path[:number] for number in range(len(path) + 1) if path[:number] in wanted), None)
        if field is not None:
            moves[field].append(move)
            if field == path or len(moves[field]) > 1:
                wanted.remove(field)
    return moves


def _texts_of_steps(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple([step.text for step in steps])
