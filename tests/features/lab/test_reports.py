"""Every figure of a report is the one that is stored."""

from collections.abc import Sequence

from pbem.features.lab.plans import Study
from pbem.kit.contract import AnyGame
from tests.features.lab.reports import STUDIES, report, what_is_stored
from tests.harness.cases import cases


@cases("at, study, matches, games", [(at, *each) for at, each in enumerate(STUDIES)])
def test_each_figure_of_a_study_is_the_one_that_is_stored(
    at: int, study: Study, matches: int, games: Sequence[AnyGame]
) -> None:
    assert report(study, matches, games).splitlines() == what_is_stored()[at].splitlines()
