"""What the log of a match that is over tells: its moves and rounds, the scores in its course, its turning points."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pbem.features.course import results
from pbem.features.course.results import MOST_POINTS, Course, Point
from pbem.kit.contract import AnyGame
from pbem.kit.replay import AnyEntry, By, Entry
from pbem.services.log import store
from pbem.services.views import replays
from tests.features.course.scored import Scored, Tally, course_of_scores
from tests.table import House


class Unscored(Tally):
    def scores(self, fold: tuple[int, ...]) -> tuple[int, ...] | None:
        return None


def by_round(*scores: tuple[int, ...]) -> Course:
    found = course_of_scores(*((f"r{n}.t0.x", each) for n, each in enumerate(scores, 1)))
    assert found is not None
    assert found.by_round
    return found


def test_the_course_of_a_game_with_rounds_has_scores_after_each_round() -> None:
    found = course_of_scores(("r1.t0.x", (1, 0)), ("r1.t1.x", (1, 2)), ("r2.t0.x", (1, 2)), ("r3.t0.x", (4, 2)))
    assert found is not None
    assert found.by_round
    assert found.points == (Point(0, (0, 0)), Point(1, (1, 2)), Point(2, (1, 2)), Point(3, (4, 2)))


def test_without_rounds_the_course_has_each_change_of_score_and_the_end() -> None:
    found = course_of_scores(
        ("t0.x", (0, 0)), ("t1.x", (0, 0)), ("t2.x", (3, 0)), ("t3.x", (3, 0)), ("t4.x", (3, 2)), ("t5.x", (3, 2))
    )
    assert found is not None
    assert not found.by_round
    changes = [(0, (0, 0)), (3, (3, 0)), (5, (3, 2)), (6, (3, 2))]
    assert found.points == tuple(Point(*point) for point in changes)


def test_a_course_needs_a_game_with_scores_that_change_more_than_once() -> None:
    assert course_of_scores(("r1.t0.x", (0, 0)), ("r2.t0.x", (3, 0))) is None
    assert course_of_scores() is None
    assert course_of_scores(("r1.t0.x", (1, 0)), ("r2.t0.x", (3, 0)), game=Unscored()) is None


def test_turning_points_are_the_three_largest_swings_of_the_lead_in_order() -> None:
    found = by_round((1, 0), (1, 6), (2, 6), (12, 6), (12, 7), (12, 11))
    assert [turn.at for turn in found.turning_points] == [2, 4, 6]
    assert [turn.leader for turn in found.turning_points] == [1, 0, 0]
    assert [turn.text for turn in found.turning_points] == ["en: (1, 6)", "en: (12, 6)", "en: (12, 11)"]
    assert [turn.step for turn in found.turning_points] == [3, 5, 7], "the beginning is a step, too"


def test_among_equal_swings_changes_of_lead_then_later_ones_come_first() -> None:
    assert [turn.at for turn in by_round((1, 0), (2, 0), (3, 0), (4, 0)).turning_points] == [1, 3, 4]
    assert [turn.at for turn in by_round((1, 0), (1, 1), (2, 1), (3, 1), (4, 1)).turning_points] == [1, 2, 3]


def test_changes_behind_a_shared_lead_are_no_turning_point() -> None:
    found = by_round((2, 2, 0), (2, 2, 1), (5, 2, 1))
    assert [turn.at for turn in found.turning_points] == [3]


def test_the_lead_changes_when_another_seat_leads_alone() -> None:
    assert by_round((1, 0), (1, 1), (2, 1), (2, 3), (3, 3), (4, 3)).lead_changes == 2


def test_a_long_course_is_thinned_but_keeps_its_end_and_its_turning_points() -> None:
    scores = [(n, 0) for n in range(1, 201)]
    scores[110:] = [(n, 500) for n in range(111, 201)]
    found = by_round(*scores)
    places = [point.at for point in found.points]
    assert len(places) <= MOST_POINTS + 4
    assert {0, 200, *(turn.at for turn in found.turning_points)} <= {*places}
    assert 111 in places


def test_a_score_change_without_a_story_line_is_shown_at_the_next_one() -> None:
    log: list[AnyEntry] = [
        Entry(n, "2026-01-01T00:00:00Z", By(seat=0), f"r{n}.t0.x", event)
        for n, event in enumerate((Scored((0, 0)), Scored((5, 0), quiet=True), Scored((5, 0)), Scored((5, 1))), 1)
    ]
    found = results.course_of_scores(cast(AnyGame, Tally()), log, "fr")
    assert found is not None
    assert [(turn.step, turn.text) for turn in found.turning_points] == [(2, "fr: (5, 0)"), (3, "fr: (5, 1)")]


# --- of a real match -------------------------------------------------------------------------------------------


def finish_match(house: House, game: str, **wanted: Any) -> str:
    match_id = house.begin(3, game, **wanted)
    house.play_out(match_id)
    return match_id


@pytest.mark.long
def test_a_result_counts_the_moves_and_not_their_consequences(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 2})
    played = house.play_out(match_id)
    found = results.read_result(house.site, house.view(match_id, None), "en")
    assert found.moves == played
    assert len(house.view(match_id, None).entries) > played


@pytest.mark.long
def test_turning_points_number_the_steps_of_the_full_replay(house: House) -> None:
    match_id = finish_match(house, "hagakure", options={"rounds": 3})
    found = results.read_result(house.site, house.view(match_id, 1), "fr")
    assert found.course is not None
    assert found.course.turning_points
    steps = {step.n: step.text for step in replays.read_replay(house.site, match_id, 1, "fr").steps}
    for turn in found.course.turning_points:
        assert steps[turn.step] == turn.text


@pytest.mark.long
def test_the_course_reads_the_log_once_per_language_for_all_viewers(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = finish_match(house, "hagakure", options={"rounds": 2})
    views = [house.view(match_id, viewer) for viewer in (None, 0, 1, 2)]
    reads = list[str]()
    load = store.load_entries

    def note(*args: Any) -> list[AnyEntry]:
        reads.append("read")
        return load(*args)

    monkeypatch.setattr(store, "load_entries", note)
    first = [results.read_result(house.site, view, lang) for view in views for lang in ("en", "fr")]
    assert len(reads) == 2
    assert len({id(found) for found in first}) == 2


@pytest.mark.long
def test_a_result_of_a_game_without_scores_has_no_course(house: House) -> None:
    match_id = house.begin(3)
    played = house.play_out(match_id)
    assert results.read_result(house.site, house.view(match_id, 0), "en") == results.Result(played, None, None)
