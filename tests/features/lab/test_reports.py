"""Every figure of a report is the one that is stored."""

from collections.abc import Sequence

from pbem.features.lab.plans import Study
from pbem.kit.contract import AnyGame
from tests.features.lab.reports import STUDIES, figures_of_report, what_is_stored
from tests.harness.cases import cases


@cases("at, study, matches, games", [(at, *each) for at, each in enumerate(STUDIES)])
def test_the_figures_of_each_study_equal_the_stored_ones(
    at: int, study: Study, matches: int, games: Sequence[AnyGame]
) -> None:
    assert figures_of_report(study, matches, games).splitlines() == what_is_stored()[at].splitlines()
