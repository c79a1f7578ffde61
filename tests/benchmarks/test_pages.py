"""`make bench-pages` measures pages; these tests do not check how fast."""

from urllib.request import urlopen

import pytest

from benchmarks.pages import __main__ as bench
from benchmarks.pages.positions import PAGES, serve_positions
from benchmarks.pages.report import Visit, bars_missed, median_visit, table_of_visits
from pbem.games import all_games
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS


def a_visit(paint_s: float = 1, shift: float = 0, fonts: int = 60_000) -> Visit:
    return Visit(paint_s, paint_s, 0.04, shift, 9, {"page": 20_000, "font": fonts})


@cases(
    "visit, names",
    [
        (a_visit(), []),
        (a_visit(paint_s=2), ["first_paint_s"]),
        (a_visit(paint_s=3), ["first_paint_s", "largest_paint_s"]),
        (a_visit(shift=0.06), ["shift"]),
        (a_visit(fonts=150_000), ["kb"]),
    ],
)
def test_a_page_misses_exactly_the_bars_that_its_figures_exceed(visit: Visit, names: list[str]) -> None:
    assert bars_missed(visit) == names


def test_the_table_of_pages_gives_the_median_of_each_figure() -> None:
    visits = [a_visit(paint_s=3, shift=0), a_visit(paint_s=1, shift=0.2), a_visit(paint_s=2, shift=0.1)]
    assert median_visit(visits) == Visit(2, 2, 0.04, 0.1, 9, median_visit(visits).bytes_of)
    assert median_visit(visits).kb == a_visit().kb


def test_the_table_compares_each_measurement_with_its_bar() -> None:
    lines = table_of_visits([("home", a_visit()), ("rules", a_visit(shift=0.06))]).splitlines()
    assert lines[1].split() == ["bar", "1.8", "s", "2.5", "s", "0.05", "150"]
    assert lines[2].split()[:8] == ["home", "1.00", "s", "1.00", "s", "40", "ms", "0.000"]
    assert [line.split()[9] for line in lines[2:]] == ["yes", "NO"]


def test_the_measured_pages_include_one_of_every_game() -> None:
    assert set(all_games()) <= set(PAGES)


def test_an_unknown_page_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["chess"])
    assert "there is no page chess" in capsys.readouterr().err


@pytest.mark.long
def test_every_measured_page_answers_200() -> None:
    with serve_positions() as served:
        for name in PAGES:
            with urlopen(served.url + served.paths[name], timeout=SECONDS) as answer:
                assert answer.status == 200, name
