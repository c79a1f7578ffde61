"""The Sunday table of a circle."""

from __future__ import annotations

from datetime import UTC, datetime

from pbem.features.circles import sheets, standing
from pbem.features.circles.standing import Weekly
from tests.features.circles.people import member_claim
from tests.table import House

SUNDAY = Weekly(6, 18, "Europe/Paris")
FIRST = datetime(2026, 3, 15, 17, tzinfo=UTC)
"""The first Sunday at 18 h in Paris after the clock of the tests begins."""


def answer_occasion(house: House, circle_id: str, name: str, yes: bool = True) -> None:
    """Has one of the cast answer the circle's only open occasion."""
    mine = member_claim(house, circle_id, name)
    (sheet,) = sheets.read_circle(house.site, mine).tables
    assert sheet.occasion_id is not None
    standing.answer_occasion(house.site, mine, sheet.occasion_id, yes)
