"""Analyses of matches that are over: made once each, in turns, for those who may see the replay, and never before."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from pbem.errors import Busy, NoMatch, NotFound, NotOver, TooMany
from pbem.features.analysis import analyses, course
from pbem.features.analysis.analyses import Analysis
from pbem.features.analysis.course import Course, Moment
from pbem.features.analysis.tables import AnalysisRow
from pbem.features.chances import Chances
from pbem.features.slices import TRIES
from pbem.models.tables import Match, table
from pbem.services.log import archiving
from pbem.services.play import presence
from tests.table import House

ALICE, SPECTATOR = 0, None


def quick_moment(course: Course, at: int) -> Moment:
    """What a position is worth, without a playout."""
    position, seats = course.positions[at], course.log.seats
    played = position.played
    chances = Chances((round(1 / seats, 4),) * seats, (0.01,) * seats, at)
    return Moment(position.entry, chances, played.ask.seat if played else None, played.first if played else None)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each position takes no playouts, and a run works out one."""
    monkeypatch.setattr(analyses, "analyse_position", quick_moment)
    monkeypatch.setattr(analyses, "RUN_S", 0.0)


def match_over(house: House, seats: int = 3, **wanted: Any) -> str:
    match_id = house.begin(seats, **wanted)
    house.play_out(match_id)
    return match_id


def ask_for_analysis(house: House, match_id: str, viewer: int | None = ALICE) -> Analysis:
    return analyses.request_analysis(house.site, match_id, viewer)


def analysis_of_match(house: House, match_id: str, viewer: int | None = ALICE) -> Analysis:
    return analyses.read_analysis(house.site, match_id, viewer)


def finish_analyses(house: House) -> int:
    worked = 0
    while more := analyses.continue_longest_waiting_analysis(house.site):
        worked += more
    return worked


def rows_by_match(house: House) -> dict[str, tuple[int, int, str | None]]:
    t = table(AnalysisRow)
    with house.site.reading() as session:
        return {one.match_id: (one.done, one.total, one.result) for one in session.execute(select(t))}


@pytest.mark.long
def test_an_analysis_grows_run_by_run_and_is_kept(house: House) -> None:
    match_id = match_over(house)
    assert analysis_of_match(house, match_id).asked is False
    assert ask_for_analysis(house, match_id).asked
    wakes = len(house.wakes)
    assert analyses.continue_longest_waiting_analysis(house.site) == 1
    found = analysis_of_match(house, match_id)
    assert (found.done, found.findings) == (1, None)
    assert found.total > 3
    assert len(house.wakes) == wakes + 1, "a run wakes the next one"
    assert finish_analyses(house) == found.total - 1
    made = analysis_of_match(house, match_id)
    assert made.findings is not None
    assert [one.chances.playouts for one in made.findings.moments] == [*range(found.total)]
    assert made.findings.moments[-1].entry == made.sheet.version
    assert [one.kind for one in made.findings.drawn], "what was drawn stands beside it"
    assert analyses.continue_longest_waiting_analysis(house.site) == 0
    assert rows_by_match(house) == {match_id: (found.total, found.total, "made")}


@pytest.mark.long
def test_asking_for_an_analysis_again_changes_nothing(house: House) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    analyses.continue_longest_waiting_analysis(house.site)
    assert ask_for_analysis(house, match_id, SPECTATOR).done == 1
    finish_analyses(house)
    made = ask_for_analysis(house, match_id)
    assert made.findings == analysis_of_match(house, match_id, SPECTATOR).findings
    assert made.findings is not None
    assert analyses.continue_longest_waiting_analysis(house.site) == 0


@pytest.mark.long
def test_an_analysis_does_not_depend_on_the_number_of_runs(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    finish_analyses(house)
    slow = analysis_of_match(house, match_id).findings
    monkeypatch.setattr(analyses, "RUN_S", 3600.0)
    with house.site.writing() as work:
        work.execute(update(table(AnalysisRow)).values(done=0, done_at=None, result=None, data=None))
    house.site.results.keep(("analysis", match_id, house.view(match_id, 0).sheet.version), None)
    assert analyses.continue_longest_waiting_analysis(house.site) == rows_by_match(house)[match_id][1]
    assert analysis_of_match(house, match_id).findings == slow


# --- who may, and when -----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("viewer", [ALICE, SPECTATOR])
def test_a_running_match_has_no_analysis_to_request_or_read(house: House, viewer: int | None) -> None:
    match_id = house.begin()
    for act in (ask_for_analysis, analysis_of_match):
        with pytest.raises(NotOver):
            act(house, match_id, viewer)
    assert rows_by_match(house) == {}
    house.play_out(match_id)
    ask_for_analysis(house, match_id)
    assert analysis_of_match(house, match_id, viewer).asked


@pytest.mark.long
def test_a_match_that_has_not_begun_is_not_analysed(house: House) -> None:
    match_id = house.create()
    with pytest.raises(NotOver):
        ask_for_analysis(house, match_id)


@pytest.mark.long
def test_only_the_players_of_a_private_match_get_its_analysis(house: House) -> None:
    match_id = match_over(house, spectators=False)
    for act in (ask_for_analysis, analysis_of_match):
        with pytest.raises(NoMatch):
            act(house, match_id, SPECTATOR)
    ask_for_analysis(house, match_id, 1)
    assert finish_analyses(house)
    assert analysis_of_match(house, match_id, 2).findings is not None
    with pytest.raises(NotFound):
        analysis_of_match(house, "abcdef", ALICE)


@pytest.mark.long
def test_an_archived_match_is_analysed_as_before(house: House) -> None:
    first, match_id = match_over(house), match_over(house)
    house.clock.forward(days=30)
    while archiving.archive_matches(house.site):
        pass
    ask_for_analysis(house, match_id)
    assert finish_analyses(house)
    found = analysis_of_match(house, match_id, SPECTATOR).findings
    assert found is not None
    assert found.moments[-1].entry == house.view(match_id, 0).sheet.version
    assert analysis_of_match(house, first).asked is False


def test_a_match_ended_by_resignations_is_analysed_up_to_its_end(house: House) -> None:
    match_id = house.begin(2, "niigata")
    presence.resign(house.site, house.claim("play", match_id, 0))
    assert house.view(match_id, 1).sheet.over
    ask_for_analysis(house, match_id)
    assert finish_analyses(house)
    assert analysis_of_match(house, match_id).findings is not None


# --- crashes, races, limits ------------------------------------------------------------------------------------


@pytest.mark.long
def test_two_workers_store_each_position_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    inner: list[int] = []
    usual = quick_moment

    def slow(course: Course, at: int) -> Moment:
        if not inner:
            inner.append(analyses.continue_longest_waiting_analysis(house.site))  # it is claimed
            house.clock.forward(minutes=10)
            inner.append(
                analyses.continue_longest_waiting_analysis(house.site)
            )  # the lease is over, as if this one had died
        return usual(course, at)

    monkeypatch.setattr(analyses, "analyse_position", slow)
    assert analyses.continue_longest_waiting_analysis(house.site) == 0, "the other one was faster"
    assert inner == [0, 1]
    assert rows_by_match(house)[match_id][0] == 1


@pytest.mark.on_postgresql
def test_an_analysis_whose_workers_keep_dying_fails_and_can_be_requested(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    for _ in range(TRIES):
        with house.site.writing() as work:
            later = house.site.now()
            t = table(AnalysisRow)
            work.execute(update(t).values(attempts=t.c.attempts + 1, claimed_until=later))
        house.clock.forward(minutes=10)
    assert analyses.continue_longest_waiting_analysis(house.site) == 0
    assert analysis_of_match(house, match_id).failed
    assert ask_for_analysis(house, match_id).asked
    assert finish_analyses(house) == analysis_of_match(house, match_id).total


def test_an_error_in_the_code_fails_an_analysis(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)

    def broken(course: Course, at: int) -> Moment:
        raise ZeroDivisionError

    monkeypatch.setattr(analyses, "analyse_position", broken)
    assert analyses.continue_longest_waiting_analysis(house.site) == 0
    found = analysis_of_match(house, match_id)
    assert (found.failed, found.asked) == (True, False)


@pytest.mark.on_postgresql
def test_a_busy_database_does_not_fail_an_analysis(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)

    def busy(course: Course, at: int) -> Moment:
        raise Busy("wait")

    with monkeypatch.context() as patched:
        patched.setattr(analyses, "analyse_position", busy)
        for _ in range(5):
            with pytest.raises(Busy):
                analyses.continue_longest_waiting_analysis(house.site)
    assert finish_analyses(house) == analysis_of_match(house, match_id).total


def test_an_analysis_waits_while_its_game_is_unavailable(house: House) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    for _ in range(TRIES + 1):
        set_game(house, "forgotten")
        assert analyses.continue_longest_waiting_analysis(house.site) == 0
        assert not analyses.ANALYSES.leases.has_row_due(house.site)
        set_game(house, "hogen")
        house.clock.forward(minutes=11)
        assert analyses.ANALYSES.leases.has_row_due(house.site)
    assert finish_analyses(house) == analysis_of_match(house, match_id).total


def set_game(house: House, slug: str) -> None:
    with house.site.writing() as work:
        work.execute(update(table(Match)).values(game=slug))


@pytest.mark.long
def test_another_version_of_the_analysis_starts_over(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_over(house)
    ask_for_analysis(house, match_id)
    analyses.continue_longest_waiting_analysis(house.site)
    analyses.continue_longest_waiting_analysis(house.site)
    before = analysis_of_match(house, match_id)
    assert before.done > 1
    monkeypatch.setattr(course, "GENERATION", course.GENERATION + 1)
    assert analyses.continue_longest_waiting_analysis(house.site) == 1
    found = analysis_of_match(house, match_id)
    assert (found.done, found.version) == (1, before.version + 1_000_000)


@pytest.mark.long
def test_the_number_of_waiting_analyses_is_limited(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_over(house), match_over(house)
    monkeypatch.setattr(analyses, "OPEN_ALL", 1)
    ask_for_analysis(house, first)
    ask_for_analysis(house, first)
    with pytest.raises(TooMany):
        ask_for_analysis(house, second)
    finish_analyses(house)
    assert ask_for_analysis(house, second).asked


@pytest.mark.long
def test_some_places_for_analyses_are_reserved_for_players(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = match_over(house), match_over(house)
    monkeypatch.setattr(analyses, "STRANGERS_OPEN", 1)
    ask_for_analysis(house, first, SPECTATOR)
    assert ask_for_analysis(house, first, SPECTATOR).asked
    with pytest.raises(TooMany):
        ask_for_analysis(house, second, SPECTATOR)
    assert ask_for_analysis(house, second, ALICE).asked
    assert analyses.STRANGERS_OPEN < analyses.OPEN_ALL


@pytest.mark.long
def test_of_several_analyses_each_gets_a_run_in_turn(house: House) -> None:
    matches = [match_over(house), match_over(house)]
    for match_id in matches:
        ask_for_analysis(house, match_id)
    for _ in matches:
        house.clock.forward(seconds=1)
        analyses.continue_longest_waiting_analysis(house.site)
    assert [rows_by_match(house)[one][0] for one in matches] == [1, 1]
