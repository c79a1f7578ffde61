"""What a match counts: by the places at its table, or, where tables share a deal, by how each seat did on each."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import select

from pbem.features.leagues.scores.standings import Played, matches_and_results_of_season, tables_that_count
from pbem.models.results import Result
from tests.features.leagues.stage import begin_season, enter_all, found_league, give_result, matches_of_season
from tests.harness.cases import cases
from tests.table import THREE, House

HERE = Played("here", 1, (1, 2), "deal", True, (1, 2), (10, 5))
THERE = replace(HERE, match_id="there", seats=(3, 4), scores=(30, 1))


@cases(
    "there, here_has",
    [
        (THERE, [0, 1]),
        (replace(THERE, scores=None), [0.5, 0.5]),
        (replace(THERE, by_people=True), [0.5, 0.5]),
        (replace(THERE, resigned=(0,)), [1, 1]),
        (replace(THERE, places=(2, 1), scores=None), [1, 0]),
        (replace(THERE, deal_id=None), [1, 0]),
        (replace(THERE, places=None, scores=None), [1, 0]),
    ],
)
def test_seats_of_a_deal_are_compared_by_scores_if_all_can_be(there: Played, here_has: list[float]) -> None:
    assert [float(one) for one in tables_that_count([HERE, there])["here"].points] == here_has


def test_an_unfinished_match_does_not_count_in_the_standings() -> None:
    assert tables_that_count([replace(HERE, places=None, scores=None)]) == {}


def test_a_match_has_scores_once_it_is_tallied_with_one_for_each_seat(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)

    def what_is_told() -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        with house.site.reading() as session:
            (played,) = matches_and_results_of_season(session, made.season_id)
            return played.places, played.scores

    found = [what_is_told()]
    give_result(house, one.match_id, 1, 2, 3)
    scored: tuple[dict[int, int], ...] = ({}, {0: 30, 2: 0}, {1: 20})
    for scores in scored:
        with house.site.writing() as work:
            for seat, score in scores.items():
                its = select(Result).where(Result.match_id == one.match_id, Result.seat == seat)
                work.exec(its).one().score = score
        found.append(what_is_told())
    assert found == [(None, None), ((1, 2, 3), None), ((1, 2, 3), None), ((1, 2, 3), (30, 20, 0))]
