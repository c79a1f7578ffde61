"""Games with other lessons than their own."""

from typing import Any

import msgspec

from pbem.games.hogen import GAME
from pbem.kit.contract import AnyGame, Lesson, LessonStep

assert GAME.lesson is not None
LESSON = GAME.lesson


class Taught:
    """A game, Hogen if none is named, with another lesson."""

    def __init__(self, lesson: Lesson | None, game: AnyGame = GAME) -> None:
        self.lesson, self._game = lesson, game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def with_steps(*steps: LessonStep, **other: Any) -> AnyGame:
    """Hogen with these steps in place of the last ones of its lesson: as many as they are."""
    kept = LESSON.steps[: len(LESSON.steps) - len(steps)]
    return Taught(msgspec.structs.replace(LESSON, **{"steps": (*kept, *steps), **other}))
