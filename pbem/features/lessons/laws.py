"""What every lesson must obey: `check_lesson(GAME)`, for the tests of a game.

LAWS   by the face of a game that it is about, what `pbem check` looks at besides
"""

from pbem.features.lessons import boards
from pbem.features.lessons.faults import check_lesson_can_be_shown
from pbem.features.lessons.playing import Stage, WrongLesson
from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS
from pbem.render import phrases

FEWEST_STEPS, MOST_STEPS = 6, 10
MOST_LETTERS = 110
"""Of the sentence of a step."""


def check_lesson(game: AnyGame) -> tuple[Stage, ...]:
    """Plays a game's lesson and returns its steps. Raises WrongLesson for the first thing that is wrong with it.

    It has six to ten steps, all moves are legal, each touch is offered then, and the last one completes a move. A
    sentence has at most 110 letters, in both languages. The boards are drawn with symbols that there are.
    """
    assert game.lesson is not None, f"{game.meta.slug} has no lesson"
    steps = game.lesson.steps
    if not FEWEST_STEPS <= len(steps) <= MOST_STEPS:
        raise WrongLesson(f"a lesson has {FEWEST_STEPS} to {MOST_STEPS} steps, not {len(steps)}")
    stages = check_lesson_can_be_shown(game)
    for number, stage in enumerate(stages, 1):
        for lang in LANGS:
            letters = len(phrases.phrase_text(stage.step.say[lang], boards.names_at_lesson(game, lang)))
            if not 0 < letters <= MOST_LETTERS:
                raise WrongLesson(
                    f"step {number}, {lang}: a sentence has at most {MOST_LETTERS} letters, not {letters}"
                )
    return stages


LAWS = {"lesson": check_lesson}
