"""Plays a game's lesson: its deal, what comes before it, and the position that its reader sees at each step.

A touch chooses a step of the reader's move. Where other steps of the move are certain by then, nobody has to touch
them; once a single move is left, it is played, and so is what the others answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Lesson, LessonStep, Move, Step, Unreadable, ask_of
from pbem.kit.play import Table
from pbem.kit.replay import By, Entry
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang

READER = 0
"""The reader's seat."""


class WrongLesson(ValueError):
    """A lesson cannot be played as it is written; the message says at which step, and what could be touched there."""


@dataclass(frozen=True)
class Happened:
    """An event as the reader sees it, and their fold before it."""

    before: Any
    event: Event


@dataclass(frozen=True)
class Stage:
    """What the reader of a lesson sees at a step of it.

    `touched` are the steps of their move so far, `chosen` those with all that are certain by then, as boards mark them.
    `moves` are those to which a touch here may still lead. `recent` is what has happened since they last played, with
    that move.
    """

    step: LessonStep
    fold: Any
    ask: Ask | None
    touched: tuple[str, ...]
    chosen: tuple[str, ...]
    moves: tuple[Move, ...]
    recent: tuple[Happened, ...]

    @property
    def whole(self) -> Move | None:
        """Returns the move that a touch here completes; None if it does not."""
        return self.moves[0] if len(self.moves) == 1 else None

    def touch(self, game: AnyGame, lang: Lang) -> Step | None:
        """Returns the step of the move that is to be touched, with its label; None if there is nothing to touch."""
        if not self.step.touch:
            return None
        return next(one for one in game.path(self.moves[0], self.fold, lang) if one.text == self.step.touch)


def deal(game: AnyGame, lesson: Lesson) -> Table:
    """Returns the match of a lesson as it is dealt. Raises WrongLesson."""
    if lesson.seats not in game.meta.seats:
        raise WrongLesson(f"{game.meta.slug} is not for {lesson.seats} players")
    options = lesson.options if lesson.options is not None else game.meta.options()
    return Table(game, lesson.seats, options, bytes.fromhex(lesson.seed))


@cache
def play_lesson(game: AnyGame) -> tuple[Stage, ...]:
    """Returns the steps of a game's lesson as its reader sees them. Raises WrongLesson, also if there is none."""
    if game.lesson is None:
        raise WrongLesson(f"{game.meta.slug} has no lesson")
    reading = _Reading(game, game.lesson)
    stages = tuple(reading.read(number, step) for number, step in enumerate(game.lesson.steps, 1))
    if reading.touched:
        raise WrongLesson(f"the lesson ends in the middle of a move, after {', '.join(reading.touched)}")
    return stages


def touchable(game: AnyGame, fold: Any, ask: Ask | None, touched: Sequence[str]) -> dict[str, tuple[Move, ...]]:
    """Returns what the reader may touch after these touches: the texts of steps, each with the moves that have it."""
    if ask is None:
        return {}
    paths = [(tuple(step.text for step in game.path(move, fold, "en")), move) for move in game.legal(fold, READER)]
    paths = [(path, move) for path, move in paths if {*touched} <= {*path}]
    certain = _certain([path for path, _move in paths])
    free = game.meta.asks[ask.kind].any_order
    found: dict[str, tuple[Move, ...]] = {}
    for path, move in paths:
        # In order, what is certain or comes just after that.
        for text in path if free else path[: len(certain) + 1]:
            if text not in touched:
                found[text] = (*found.get(text, ()), move)
    return found


def _certain(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the steps with which all these paths begin."""
    first, *others = paths or [()]
    return tuple(text for at, text in enumerate(first) if all(path[: at + 1] == first[: at + 1] for path in others))


class _Reading:
    """A lesson in progress: its match, and the touches of the move that is being chosen."""

    def __init__(self, game: AnyGame, lesson: Lesson) -> None:
        self.game, self.table = game, deal(game, lesson)
        self.touched: tuple[str, ...] = ()
        self.recent: tuple[Happened, ...] = ()
        for seat, said in lesson.before:
            self._play_said(seat, said, "before the first step")

    def read(self, number: int, step: LessonStep) -> Stage:
        """Returns what the reader sees at this step, and does what it says."""
        where, fold = f"step {number}", self.table.folds[READER]
        ask = ask_of(self.game, self.table.state, READER)
        if not step.touch:
            shown = Stage(step, fold, ask, self.touched, self._marks(fold, ask, ""), (), self.recent)
        else:
            can = touchable(self.game, fold, ask, self.touched)
            if step.touch not in can:
                raise WrongLesson(f"{where}: {step.touch!r} cannot be touched, but {', '.join(can) or 'nothing'}")
            moves = can[step.touch]
            shown = Stage(step, fold, ask, self.touched, self._marks(fold, ask, step.touch), moves, self.recent)
            self.touched += (step.touch,)
            if shown.whole is not None:
                self.touched, self.recent = (), ()
                self._play(READER, shown.whole, where)
        if step.then and self.touched:
            raise WrongLesson(f"{where}: the others play in the middle of the reader's move")
        for seat, said in step.then:
            self._play_said(seat, said, where)
        return shown

    def _marks(self, fold: Any, ask: Ask | None, touch: str) -> tuple[str, ...]:
        """Returns the steps that a board marks as chosen before this touch: those that are certain, too."""
        if ask is None or not self.touched:
            return ()
        left = [
            path
            for move in self.game.legal(fold, READER)
            if {*self.touched} <= {*(path := tuple(one.text for one in self.game.path(move, fold, "en")))}
        ]
        common = [text for text in left[0] if all(text in path for path in left)]
        return tuple(text for text in common if text != touch)

    def _play_said(self, seat: int, said: str, where: str) -> None:
        try:
            move = self.game.parse(said, seat)
        except Unreadable as error:
            raise WrongLesson(f"{where}: {error}") from None
        self._play(seat, move, where)

    def _play(self, seat: int, move: Move, where: str) -> None:
        table = self.table
        ask = ask_of(self.game, table.state, seat)
        if ask is None:
            asked = ", ".join(f"seat {one.seat} ({one.kind})" for one in self.game.pending(table.state))
            raise WrongLesson(f"{where}: seat {seat} is not asked, but {asked or 'nobody'}")
        fold, said = table.folds[seat], self.game.format(move)
        if move not in self.game.legal(fold, seat):
            try:
                self.game.decide(table.state, seat, move, table.luck.rules(table.position, seat))
            except IllegalMove as error:
                raise WrongLesson(f"{where}: {said!r} of seat {seat} is refused: {error.code}") from None
            raise WrongLesson(f"{where}: {said!r} of seat {seat} is not legal")
        begin, before = len(table.entries), table.folds[READER]
        table.play(ask, move, By(seat=seat))
        for entry in table.entries[begin:]:
            assert isinstance(entry, Entry), "a move appends events"
            seen = redact(entry.event, READER)
            self.recent += (Happened(before, seen),)
            before = self.game.evolve(before, seen)
