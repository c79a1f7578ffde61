"""A lesson is played as it is written, or what is wrong with it is said."""

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.features.lessons.boards import draw_boards_of_step, shapes_where_link_is_not_drawn
from pbem.features.lessons.laws import check_lesson
from pbem.features.lessons.playing import WrongLesson, play_lesson
from pbem.games import all_games
from pbem.games.hogen import GAME
from pbem.kit.contract import AnyGame, LessonStep, Step
from pbem.kit.texts import LANGS
from pbem.kit.words import T
from tests.features.lessons.taught import LESSON, Taught, with_steps

SAY = T("Voyez.", "Look.")


def test_touches_of_a_lesson_choose_steps_and_the_last_plays_the_move() -> None:
    stages = play_lesson(GAME)
    touched = [
        (stage.step.touch, stage.chosen, GAME.format(stage.whole_move) if stage.whole_move else None)
        for stage in stages
    ]
    assert touched[4:7] == [
        ("give-M2", (), None),
        ("take-T2", ("give-M2",), "give M2 take T2"),
        ("declare", (), None),
    ]
    assert [type(one.event).__name__ for one in stages[6].recent] == ["Exchanged"]


def test_steps_given_by_a_lesson_are_chosen_without_a_touch() -> None:
    given = LessonStep(SAY, "C=M1", given=("declare", "B=F3"))
    stages = play_lesson(with_steps(given, LessonStep(SAY), steps=(*LESSON.steps[:6], given, LessonStep(SAY))))
    assert stages[6].chosen == ("declare", "B=F3")
    assert stages[6].whole_move is not None
    assert GAME.outcome(stages[7].fold) is not None


def test_a_lessons_step_describes_in_its_own_words_what_touching_does() -> None:
    said = LessonStep(SAY, "call-1", tap=T("Appeler un {F1}", "Call for {F1}"))
    stage = play_lesson(with_steps(steps=(LESSON.steps[0], said)))[1]
    assert [stage.step_to_touch(GAME, lang) for lang in LANGS] == [
        Step("call-1", said.tap[lang]) for lang in LANGS if said.tap
    ]
    assert 'aria-label="Call for F1"' in draw_boards_of_step(GAME, stage, "en", "/on")["pad"]


def test_a_lessons_reader_sees_only_what_their_seat_sees() -> None:
    hands = {card for stage in play_lesson(GAME)[:-1] for seat in (1, 2) for card in stage.fold.hands[seat]}
    assert None in hands
    assert all(stage.fold.allies[1:] == (None, None) for stage in play_lesson(GAME)[:-1])


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (with_steps(LessonStep(SAY, "call-9")), "step 10: 'call-9' cannot be touched, but nothing"),
        (with_steps(LessonStep(SAY, "C=B4"), LessonStep(SAY, "call-4")), "step 10: 'call-4' cannot be touched"),
        (with_steps(LessonStep(SAY), LessonStep(SAY)), "the lesson ends in the middle of a move, after declare, B=F3"),
        (with_steps(LessonStep(SAY, then=((1, "call M"),)), LessonStep(SAY)), "step 9: the others play in the middle"),
        (with_steps(LessonStep(SAY, "C=M1", then=((1, "call M"),)), LessonStep(SAY)), "step 9: seat 1 is not asked"),
        (with_steps(before=((1, "ally F1"),)), "before the first step: 'ally F1' of seat 1 is refused"),
        (with_steps(before=((1, "what"),)), "before the first step: unreadable: 'what'"),
        (with_steps(LessonStep(SAY, given=("declare",))), "step 10: '' cannot be touched, but"),
        (with_steps(LessonStep(SAY, "C=M1", given=("B=F4", "B=F3"))), "step 10: 'C=M1' cannot be touched, but nothing"),
        (with_steps(seats=9), "hogen is not for 9 players"),
        (with_steps(options=SAY), "its options are no HogenOptions"),
        (with_steps(steps=()), "the lesson has no step"),
        (Taught(None), "hogen has no lesson"),
    ],
)
def test_a_lesson_with_an_illegal_move_is_refused_naming_its_step(game: AnyGame, said: str) -> None:
    with pytest.raises(WrongLesson, match=said):
        play_lesson(game)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (with_steps(LessonStep(T("Voyez {X9}.", "Look."))), "step 10, fr: hogen has no mark for 'X9'"),
        (
            with_steps(LessonStep(SAY, "C=M1", tap=T("{X9}", "That")), LessonStep(SAY)),
            "step 9, fr: hogen has no mark for 'X9'",
        ),
        (
            with_steps(LessonStep(T("Voyez.", "Look. " * 20))),
            "step 10, en: a sentence has at most 110 letters, not 120",
        ),
        (with_steps(steps=LESSON.steps[:2]), "a lesson has 6 to 10 steps, not 2"),
    ],
)
def test_a_lesson_that_breaks_a_law_is_refused(game: AnyGame, said: str) -> None:
    with pytest.raises(WrongLesson, match=said):
        check_lesson(game)


def test_a_lessons_choices_not_drawn_on_the_board_are_listed_beside_it() -> None:
    found = all_games()["allegeance"]
    unseen = {
        one.step.touch: shapes_where_link_is_not_drawn(one, draw_boards_of_step(found, one, "en", "/on"), "/on")
        for one in play_lesson(found)
        if one.step.touch
    }
    assert unseen["pass"] == ("landscape", "low")
    assert {screens for touch, screens in unseen.items() if touch != "pass"} == {()}


def test_the_lesson_command_prints_a_lesson_or_a_deal_in_words() -> None:
    read = CliRunner().invoke(main, ["lesson", "hogen"])
    assert read.exit_code == 0, read.output
    assert "--- step 5: You hold M2" in read.output
    assert "touch: take-T2 (Take T2)\n  plays: give M2 take T2" in read.output
    dealt = CliRunner().invoke(main, ["lesson", "hogen", "--deal", "2452", "--lang", "fr"])
    assert f"seed: {LESSON.seed}" in dealt.output
    assert "could touch: ally-M2, ally-M4, ally-B2, ally-F1" in dealt.output


def test_the_lesson_command_says_if_a_game_has_no_lesson() -> None:
    slug = next((slug for slug, game in all_games().items() if game.lesson is None), None)
    if slug is not None:
        assert "has no lesson" in CliRunner().invoke(main, ["lesson", slug]).output
