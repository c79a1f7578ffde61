"""The plots of a report are as they are stored in plotted.txt."""

from __future__ import annotations

from tests.features.lab import plotted
from tests.render.lines import lines_of, what_is_stored


def test_plots_are_as_they_are_stored() -> None:
    assert {part.__name__: lines_of(part) for part in plotted.PARTS} == what_is_stored(plotted.FILE)
