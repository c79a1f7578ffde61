"""What a match counts: by the places at its table, or, where tables share a deal, by how each seat did on each."""

from __future__ import annotations

from dataclasses import replace

from pbem.services.leagues.standings import Played, tables_of
from tests.harness.cases import cases

HERE = Played("here", 1, 1, (1, 2), "over", "deal", True, (1, 2), (10, 5))
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
    assert [float(one) for one in tables_of([HERE, there])["here"].points] == here_has


def test_a_match_that_is_not_over_counts_nothing() -> None:
    assert tables_of([replace(HERE, status="running", places=None, scores=None)]) == {}
