"""Your turn: what you are asked, and the moves as links. The row's key names the ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from sqlalchemy import bindparam, or_, select

from pbem.kit.answers import MOST_FIELDS, MOST_PLACES, answer_text
from pbem.kit.contract import Cell, Mark, Move
from pbem.kit.texts import Lang
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, PlayLetter
from pbem.mail.parts import Answer, Answers, Away, Start
from pbem.models.prepared import Prepared
from pbem.models.tables import OutboxRow, table
from pbem.services.mail import board_letters, digests
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views
from pbem.services.views.match_views import View


@dataclass(frozen=True, kw_only=True)
class YourTurn(PlayLetter):
    """The seat is asked something. `title` is the ask kind's; `reacts`: it interrupts another player's turn.

    `waiting` names the people who wait for the reader, `asked` the others who are asked at the same time, `away` those
    on holiday. Nobody waits for a bot or for a player who has resigned, and they wait for nobody. `start` is set in the
    first mail of a match.
    """

    kind = "turn"

    title: str
    reacts: bool
    answers: Answers
    deadline: datetime
    play_url: str
    waiting: tuple[Name, ...]
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    start: Start | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        most = MOST_FIELDS + (MOST_PLACES if self.answers.places else 0)
        if len(self.answers.links) > most:
            raise ValueError(f"{len(self.answers.links)} answers are too many for a mail: at most {most}")

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of what the answers name."""
        return tuple(dict.fromkeys(self.game.meta.marks[name] for name in self.answers.notations))


def build(context: LetterContext) -> YourTurn | str:
    """Returns the letter unless the seat has answered or the daily digest covers the ask in time."""
    return of_question(context, YourTurn)


KIND = Kind(YourTurn, build, can_be_muted=True)


def of_question(context: LetterContext, letter: type[YourTurn]) -> YourTurn | str:
    """Returns the letter about the row's ask; "digest" if the digest covers it in time.

    It is stale once the ask is answered, in a silent window as soon as the answer is sealed.
    """
    row = context.table.read().ask_to(context.seat.seat)
    answered = row is None or row.sealed_at is not None
    if context.match.status != "running" or row is None or answered or row.origin != context.row.key:
        return "stale"
    assert row.deadline is not None, "no mail leaves for an untimed question"
    # A notification that nobody opened has started the clock: the digest may come too late.
    told = context.row.pushed_at is not None
    if not told and digests.has_digest_before(context.session, context.reader.player, row.deadline, context.now):
        return "digest"
    view = match_views.view(context.table, context.seat.seat)
    assert view.ask is not None, "the question is open"
    lang, game, ask = context.reader.lang, view.game, view.ask
    play_url = context.link("play", "play")
    names = view.sheet.names
    people = [seat for seat in view.sheet.seats if seat.bot is None and not seat.resigned]
    return letter(
        **board_letters.with_board(context, view),
        title=game.meta.asks[ask.kind].title[lang],
        reacts=game.meta.asks[ask.kind].window,
        answers=answers(view, lang, play_url),
        deadline=board_letters.deadline(context, row, view),
        play_url=play_url,
        start=board_letters.start(context) if _first(context, view) else None,
        waiting=tuple(names[s.seat] for s in people if not s.asked),
        asked=tuple(names[s.seat] for s in people if s.asked and s.seat != context.seat.seat),
        away=board_letters.away(context, view),
    )


_o = table(OutboxRow)
_TOLD = Prepared(
    select(_o.c.id).where(
        _o.c.match_id == bindparam("match"), _o.c.seat == bindparam("seat"), _o.c.result == "sent",
        _o.c.id != bindparam("row"), or_(*(_o.c.kind == kind for kind in ("started", "turn", "reminder"))),
    ).limit(1)
)  # fmt: skip
"""Finds a mail by which the reader of another one knows that the match has begun."""


def _first(context: LetterContext, view: View) -> bool:
    """True if this is the first mail to the reader about the match since it started."""
    if board_letters.has_moved(view):
        return False
    asked = {"match": context.match.id, "seat": context.seat.seat, "row": context.row.id}
    return not _TOLD.ask(context.session, asked).rows()


def answers(view: View, lang: Lang, play_url: str) -> Answers:
    """Returns the answers that the game offers in short, as links to the viewer's page, with what a reply would say."""
    assert view.ask is not None
    pad = view.game.pad(view.ask.ask, view.fold, lang)
    legal = view.legal()
    paths = [(tuple(step.text for step in view.game.path(move, view.fold, lang)), move) for move in legal]
    rows, places = (
        tuple(tuple(_answer(view, cell, play_url, legal, paths) for cell in row) for row in part)
        for part in (pad.rows, pad.places)
    )
    return Answers(pad.title, rows, pad.note, places)


def _answer(
    view: View, cell: Cell, play_url: str, legal: Sequence[Move], paths: Sequence[tuple[tuple[str, ...], Move]]
) -> Answer:
    assert view.ask is not None
    if cell.steps is None:
        return Answer(cell.text)
    chosen = tuple(step.text for step in cell.steps)
    moves = [move for path, move in paths if path[: len(chosen)] == chosen]
    typed = answer_text(view.game, moves[0], view.ask.seat, legal) if moves else ""
    picks = ",".join(step.text for step in cell.steps)
    label = " › ".join(step.label for step in cell.steps) or cell.text
    query = {"ask": view.ask.key, "pick": picks} if picks else {"ask": view.ask.key}
    return Answer(cell.text, label, f"{play_url}?{urlencode(query)}", typed, several=len(moves) > 1)
