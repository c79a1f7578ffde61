"""The plots of a report are as they are stored in plotted.txt."""

from __future__ import annotations

from tests.features.lab import plotted
from tests.render.lines import lines_of, what_is_stored


def test_the_plots_of_a_report_equal_the_stored_ones() -> None:
    assert {part.__name__: lines_of(part) for part in plotted.PARTS} == what_is_stored(plotted.FILE)
