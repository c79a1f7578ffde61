"""Every game's lesson obeys the laws of lessons, tells nothing that is hidden, and leads to a match like it."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pbem.features.lessons.boards import draw_boards_of_step, names_at_lesson
from pbem.features.lessons.laws import check_lesson
from pbem.features.lessons.playing import READER, Position, play_lesson, positions_of_lesson, stage_at
from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.replay import AnyEntry
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from pbem.render import phrases, pictures
from tests.games.discovered import worlds_of

TAUGHT = [pytest.param(game, id=slug) for slug, game in all_games().items() if game.lesson is not None]


def other_worlds(game: AnyGame, position: Position) -> list[Position]:
    """The position in other worlds, of which the reader has seen the same all the time."""
    worlds = worlds_of(game).worlds(position.entries, READER, 20)
    return [
        replace(position, entries=tuple(one)) for one in worlds if log_of_reader(one) == log_of_reader(position.entries)
    ][:2]


def log_of_reader(entries: Sequence[AnyEntry]) -> list[object]:
    """What the reader was shown of each entry."""
    return [redact(entry.event, READER) for entry in entries]


@pytest.mark.parametrize("game", TAUGHT)
def test_a_lesson_can_be_played_to_its_end(game: AnyGame) -> None:
    check_lesson(game)


@pytest.mark.parametrize("game", TAUGHT)
def test_a_lesson_does_not_depend_on_cards_hidden_from_the_reader(game: AnyGame) -> None:
    compared = 0
    for stage, position in zip(play_lesson(game), positions_of_lesson(game), strict=True):
        for other in other_worlds(game, position):
            assert other.entries != position.entries
            seen = stage_at(game, stage.step, other)
            assert seen == stage
            assert draw_boards_of_step(game, seen, "en", "/on") == draw_boards_of_step(game, stage, "en", "/on")
            compared += 1
    assert compared or "hidden" not in game.meta.traits


@pytest.mark.parametrize("game", TAUGHT)
@pytest.mark.parametrize("lang", LANGS)
def test_a_lessons_touch_label_is_a_phrase_and_not_a_list_entry(game: AnyGame, lang: Lang) -> None:
    for stage in play_lesson(game):
        if (touch := stage.step_to_touch(game, lang)) is not None:
            said = phrases.phrase_text(touch.label, names_at_lesson(game, lang))
            assert re.match(r"[A-ZÉ][a-zé]+\b", said), said
            assert "·" not in said


@pytest.mark.parametrize("game", TAUGHT)
@pytest.mark.parametrize("lang", LANGS)
def test_no_lesson_board_prints_you_in_place_of_a_name(game: AnyGame, lang: Lang) -> None:
    you = re.compile(r"\b(You|Vous)\b")
    for stage in play_lesson(game):
        for drawn in draw_boards_of_step(game, stage, lang, "/on").values():
            board = pictures.svg_with_names(drawn, names_at_lesson(game, lang))
            assert you.findall(board) == you.findall(drawn), stage.step.touch
