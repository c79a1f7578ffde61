"""What every lesson must obey: `check_lesson(GAME)`, for the tests of a game."""

from pbem.features.lessons import boards
from pbem.features.lessons.playing import Stage, WrongLesson, play_lesson
from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS
from pbem.render import phrases, pictures

FEWEST_STEPS, MOST_STEPS = 6, 10
MOST_LETTERS = 110
"""Of the sentence of a step."""
_HREF = "/lesson-next"


def check_lesson(game: AnyGame) -> tuple[Stage, ...]:
    """Plays a game's lesson and returns its steps. Raises WrongLesson for the first thing that is wrong with it.

    It has six to ten steps, all moves are legal, each touch is offered then, and the last one completes a move. A
    sentence has at most 110 letters, in both languages. The boards are drawn with symbols that there are.
    """
    assert game.lesson is not None, f"{game.meta.slug} has no lesson"
    steps = game.lesson.steps
    if not FEWEST_STEPS <= len(steps) <= MOST_STEPS:
        raise WrongLesson(f"a lesson has {FEWEST_STEPS} to {MOST_STEPS} steps, not {len(steps)}")
    stages = play_lesson(game)
    for number, stage in enumerate(stages, 1):
        _check_sentence(game, number, stage)
        _check_drawings(game, number, stage)
    return stages


def _check_sentence(game: AnyGame, number: int, stage: Stage) -> None:
    for lang in LANGS:
        said, names = stage.step.say[lang], boards.names(game, lang)
        try:
            phrases.html(said, names, game.meta)
        except ValueError as error:
            raise WrongLesson(f"step {number}, {lang}: {error}") from None
        letters = len(phrases.text(said, names))
        if not 0 < letters <= MOST_LETTERS:
            raise WrongLesson(f"step {number}, {lang}: a sentence has at most {MOST_LETTERS} letters, not {letters}")


def _check_drawings(game: AnyGame, number: int, stage: Stage) -> None:
    for lang in LANGS:
        for shape in game.meta.shapes:
            drawn = boards.draw(game, stage, lang, shape, _HREF)
            pictures.symbols(game, pictures.page_svg(drawn, boards.names(game, lang)))
