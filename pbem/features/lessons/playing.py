"""Plays a game's lesson: its deal, what comes before it, and the position that its reader sees at each step.

A touch chooses a step of the reader's move. Where other steps of the move are certain by then, nobody has to touch
them; once a single move is left, it is played, and so is what the others answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pbem.kit.contract import (
    AnyGame,
    Ask,
    Event,
    IllegalMove,
    Lesson,
    LessonStep,
    Move,
    Options,
    Phrase,
    Step,
    Unreadable,
    ask_of,
)
from pbem.kit.play import Table
from pbem.kit.replay import AnyEntry, By, Entry, fold_for_viewer, full_fold
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang

READER = 0
"""The reader's seat."""


class WrongLesson(ValueError):
    """A lesson cannot be played as it is written; the message says at which step, and what could be touched there."""


@dataclass(frozen=True)
class Position:
    """Where a lesson is at a step of it: the full log, of which `begin` entries are older than the reader's last move.

    `touched` are the steps of the reader's move so far. What the reader may see of it is a `Stage`: nothing else of it
    goes on a page.
    """

    entries: tuple[AnyEntry, ...]
    begin: int
    touched: tuple[str, ...]


@dataclass(frozen=True)
class Happened:
    """An event as the reader sees it, and their fold before it."""

    before: Any
    event: Event


@dataclass(frozen=True)
class Stage:
    """What the reader of a lesson sees at a step of it.

    `touched` are the steps of their move so far, `chosen` those with all that are certain by then, as boards mark them.
    `can` are those that may be touched, each with the moves that have it, and `moves_still_possible` those to which the
    touch of this step may still lead. `recent` is what has happened since they last played, with that move.
    """

    step: LessonStep
    fold: Any
    ask: Ask | None
    touched: tuple[str, ...]
    chosen: tuple[str, ...]
    can: Mapping[str, tuple[Move, ...]]
    recent: tuple[Happened, ...]

    @property
    def moves_still_possible(self) -> tuple[Move, ...]:
        """Returns the moves to which the touch of this step may still lead; () if it is not offered."""
        return self.can.get(self.step.touch, ())

    @property
    def whole_move(self) -> Move | None:
        """Returns the move that a touch here completes; None if it does not."""
        return self.moves_still_possible[0] if len(self.moves_still_possible) == 1 else None

    def step_to_touch(self, game: AnyGame, lang: Lang) -> Step | None:
        """Returns the step to touch, whose label says what that does; None if there is only something to see."""
        if not self.step.touch:
            return None
        found = next(
            one for one in game.path(self.moves_still_possible[0], self.fold, lang) if one.text == self.step.touch
        )
        words: Phrase = self.step.tap[lang] if self.step.tap is not None else found.label
        return Step(found.text, words)


def options_of_lesson(game: AnyGame, lesson: Lesson) -> Options:
    """Returns the options of the match of a lesson."""
    return lesson.options if lesson.options is not None else game.meta.options()


def deal(game: AnyGame, lesson: Lesson) -> Table:
    """Returns the match of a lesson as it is dealt. Raises WrongLesson."""
    if lesson.seats not in game.meta.seats:
        raise WrongLesson(f"{game.meta.slug} is not for {lesson.seats} players")
    options = options_of_lesson(game, lesson)
    if not isinstance(options, game.meta.options):
        raise WrongLesson(f"its options are no {game.meta.options.__name__}")
    return Table(game, lesson.seats, options, bytes.fromhex(lesson.seed))


@cache
def play_lesson(game: AnyGame) -> tuple[Stage, ...]:
    """Returns the steps of a game's lesson as its reader sees them. Raises WrongLesson, also if there is none."""
    lesson = _lesson_of(game)
    return tuple(
        stage_at(game, step, position) for step, position in zip(lesson.steps, positions_of_lesson(game), strict=True)
    )


def positions_of_lesson(game: AnyGame) -> list[Position]:
    """Plays a game's lesson, and returns where it is at each step. Raises WrongLesson, also if there is none."""
    reading = _Reading(game, _lesson_of(game))
    found = [reading.do_step(number, step) for number, step in enumerate(reading.lesson.steps, 1)]
    reading.check_move_is_whole()
    return found


def stage_at(game: AnyGame, step: LessonStep, position: Position) -> Stage:
    """Returns what the reader sees at this step and in this position: what is hidden from them does not change it."""
    own, ask = fold_for_viewer(game, position.entries, READER), ask_of(game, full_fold(game, position.entries), READER)
    recent, before = list[Happened](), fold_for_viewer(game, position.entries[: position.begin], READER)
    for entry in position.entries[position.begin :]:
        assert isinstance(entry, Entry), "a move appends events"
        seen = redact(entry.event, READER)
        recent.append(Happened(before, seen))
        before = game.evolve(before, seen)
    touched = (*position.touched, *step.given)
    return Stage(
        step, own, ask, touched, _steps_marked_as_chosen(game, own, ask, touched, step.touch), touches_possible(game,
        own, ask,
        touched), tuple(recent),
    )  # fmt: skip


def _lesson_of(game: AnyGame) -> Lesson:
    if game.lesson is None:
        raise WrongLesson(f"{game.meta.slug} has no lesson")
    if not game.lesson.steps:
        raise WrongLesson("the lesson has no step")
    return game.lesson


def touches_possible(game: AnyGame, fold: Any, ask: Ask | None, touched: Sequence[str]) -> dict[str, tuple[Move, ...]]:
    """Returns what the reader may touch after these touches: the texts of steps, each with the moves that have it."""
    if ask is None:
        return {}
    paths = [(tuple(step.text for step in game.path(move, fold, "en")), move) for move in game.legal(fold, READER)]
    paths = [(path, move) for path, move in paths if {*touched} <= {*path}]
    certain = _common_beginning([path for path, _move in paths])
    free = game.meta.asks[ask.kind].any_order
    found: dict[str, tuple[Move, ...]] = {}
    for path, move in paths:
        # In order, what is certain or comes just after that.
        for text in path if free else path[: len(certain) + 1]:
            if text not in touched:
                found[text] = (*found.get(text, ()), move)
    return found


def _common_beginning(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the steps with which all these paths begin."""
    first, *others = paths or [()]
    return tuple(text for at, text in enumerate(first) if all(path[: at + 1] == first[: at + 1] for path in others))


def _steps_marked_as_chosen(
    game: AnyGame, own: Any, ask: Ask | None, touched: Sequence[str], touch: str
) -> tuple[str, ...]:
    """Returns the steps that a board marks as chosen before this touch: those that are certain, too."""
    if ask is None or not touched:
        return ()
    paths = (tuple(one.text for one in game.path(move, own, "en")) for move in game.legal(own, READER))
    left = [path for path in paths if {*touched} <= {*path}]
    return tuple(text for text in (left or [()])[0] if text != touch and all(text in path for path in left))


class _Reading:
    """A lesson in progress: its match, and the touches of the move that is being chosen."""

    def __init__(self, game: AnyGame, lesson: Lesson) -> None:
        self.game, self.lesson, self.table = game, lesson, deal(game, lesson)
        self.touched: tuple[str, ...] = ()
        self.begin = len(self.table.entries)
        for seat, said in lesson.before:
            self._play_typed_move(seat, said, "before the first step")

    def do_step(self, number: int, step: LessonStep) -> Position:
        """Returns where the lesson is at this step, and does what the step says."""
        where, position = f"step {number}", Position(tuple(self.table.entries), self.begin, self.touched)
        shown = stage_at(self.game, step, position)
        if step.touch or step.given:
            if not shown.moves_still_possible:
                can = ", ".join(shown.can) or "nothing"
                raise WrongLesson(f"{where}: {step.touch!r} cannot be touched, but {can}")
            self.touched = (*shown.touched, step.touch)
            if shown.whole_move is not None:
                self.touched, self.begin = (), len(self.table.entries)
                self._play(READER, shown.whole_move, where)
        if step.then and self.touched:
            raise WrongLesson(f"{where}: the others play in the middle of the reader's move")
        for seat, said in step.then:
            self._play_typed_move(seat, said, where)
        return position

    def check_move_is_whole(self) -> None:
        """Raises WrongLesson if a move of the reader's is not whole."""
        if self.touched:
            raise WrongLesson(f"the lesson ends in the middle of a move, after {', '.join(self.touched)}")

    def _play_typed_move(self, seat: int, said: str, where: str) -> None:
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
                self.game.decide(table.state, seat, move, table.luck.rules(table.next_entry_number, seat))
            except IllegalMove as error:
                raise WrongLesson(f"{where}: {said!r} of seat {seat} is refused: {error.code}") from None
            raise WrongLesson(f"{where}: {said!r} of seat {seat} is not legal")
        table.play(ask, move, By(seat=seat))
