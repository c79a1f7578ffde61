"""Whether the pages can show a lesson: one that they cannot show is not offered, and the host is told why."""

from functools import cache

import structlog

from pbem import games
from pbem.features.lessons import boards
from pbem.features.lessons.playing import Stage, WrongLesson, play_lesson
from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS, Lang
from pbem.render import phrases, pictures

log = structlog.get_logger()

_HREF = "/lesson-next"


@cache
def has_lesson_that_can_be_shown(game: AnyGame) -> bool:
    """True if the game has a lesson that can be shown.

    Of pbem's own games each can: the tests have played it, and to do so again would make the first page wait.
    """
    if game.lesson is None:
        return False
    return games.found_games()[game.meta.slug].origin == games.OURS or fault_of_lesson(game) is None


@cache
def fault_of_lesson(game: AnyGame) -> str | None:
    """Returns why a game's lesson cannot be shown, in words for its host; None if it can, or if there is none.

    It is found out once in a process, and logged.
    """
    if game.lesson is None:
        return None
    try:
        check_lesson_can_be_shown(game)
    except Exception as error:  # noqa: BLE001 - whatever the game's code raises, its other pages are shown
        said = str(error) if isinstance(error, WrongLesson) else f"{type(error).__name__}: {error}"
        log.error("lesson.wrong", game=game.meta.slug, fault=said)
        return said
    return None


def check_lesson_can_be_shown(game: AnyGame) -> tuple[Stage, ...]:
    """Plays a game's lesson, writes and draws each step, and returns the steps.

    Raises WrongLesson, or whatever the code of the game raises.
    """
    stages = play_lesson(game)
    for number, stage in enumerate(stages, 1):
        for lang in LANGS:
            _check_texts_of_step(game, number, stage, lang)
            for drawn in boards.draw_boards_of_step(game, stage, lang, _HREF).values():
                pictures.symbol_definitions(game, pictures.svg_with_names(drawn, boards.names_at_lesson(game, lang)))
    return stages


def _check_texts_of_step(game: AnyGame, number: int, stage: Stage, lang: Lang) -> None:
    names, touch = boards.names_at_lesson(game, lang), stage.step_to_touch(game, lang)
    try:
        for words in (stage.step.say[lang], *([touch.label] if touch is not None else [])):
            phrases.phrase_html(words, names, game.meta)
    except ValueError as error:
        raise WrongLesson(f"step {number}, {lang}: {error}") from None
