"""The lesson of Allégeance shows what its sentences say."""

from pbem.features.lessons.playing import play_lesson
from pbem.games.allegeance import GAME


def test_the_reader_of_the_lesson_wins_the_round_without_a_card() -> None:
    stages = play_lesson(GAME)
    assert {stage.fold.hands[0] for stage in stages} == {()}
    assert [stage.fold.tokens for stage in stages[-2:]] == [(0, 0, 0), (1, 0, 0)]


def test_the_lessons_challenges_are_right_by_cards_its_reader_has_seen() -> None:
    seen: set[str] = set()
    for stage in play_lesson(GAME):
        if stage.step.touch == "challenge":
            assert stage.fold.announced in seen
        if stage.step.touch == "pass":
            assert stage.fold.announced not in seen
        seen |= {card for card in (*stage.fold.palace[-1:], stage.fold.drawn) if card}


def test_the_lesson_ends_by_announcing_the_one_card_left_at_the_door() -> None:
    *_, last, _ = play_lesson(GAME)
    assert len(last.fold.door) == 1
    assert last.step.touch == "announce-T1"
