"""The laboratory finds what is wrong with a game, and nothing in one that is sound: four faults planted in a toy."""

import pytest

from pbem.features.lab.plans import Chunk, Study
from pbem.features.lab.report import Report, make_report
from pbem.features.lab.simulations import play_matches
from tests.features.lab.toys import FAULTY, MENDED, Caravan
from tests.harness.cases import cases

FAULTS = {("seat", "seat A"), ("dead", "Load G5"), ("worth", "Load G6"), ("snowball", "lead")}
RUNS, MATCHES = 20, 2_500


def report_of_game(game: Caravan, run: int, matches: int) -> Report:
    study = Study(game.meta.slug, (2,), bytes([run] * 32).hex(), ("shrewd",))
    ran = [(cell, play_matches(game, Chunk(cell.plan, 0, matches))) for cell in study.cells()]
    return make_report(game, study, ran)


def names_of_findings(one: Report) -> set[tuple[str, str]]:
    return {(finding.kind, finding.subject) for finding in one.findings}


@pytest.mark.long
def test_the_lab_finds_four_planted_faults_and_none_in_the_mended_game() -> None:
    assert names_of_findings(report_of_game(FAULTY, 0, 900)) >= FAULTS
    assert names_of_findings(report_of_game(MENDED, 0, 400)) == set()


@pytest.mark.long
@cases("matches", [2, 3, 5, 10, 30])
def test_the_lab_finds_nothing_in_a_few_matches_of_the_mended_game(matches: int) -> None:
    assert [names_of_findings(report_of_game(MENDED, run, matches)) for run in range(10)] == [set()] * 10


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.timeout(900)
@cases("run", range(RUNS))
def test_the_lab_finds_four_planted_faults_in_each_repeated_run(run: int) -> None:
    assert names_of_findings(report_of_game(FAULTY, run, MATCHES)) >= FAULTS


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.timeout(900)
@cases("run", range(RUNS))
def test_the_lab_finds_nothing_in_the_mended_game(run: int) -> None:
    assert names_of_findings(report_of_game(MENDED, run, MATCHES)) == set()


def test_a_finding_gives_its_interval_and_allows_for_the_number_of_looks() -> None:
    one = report_of_game(FAULTY, 0, 400)
    snowball = next(finding for finding in one.findings if finding.kind == "snowball")
    assert snowball.low < snowball.value < snowball.high
    assert f"{snowball.value:.2f} ({snowball.low:.2f} to {snowball.high:.2f})" in snowball.words
    assert one.confidence == 1 - 0.05 / one.looked_at
    assert one.looked_at > 10
