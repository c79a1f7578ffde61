"""What tests of my matches share."""

from __future__ import annotations

from collections.abc import Callable

from tests.harness.sent import sent_to
from tests.table import House


def statements(house: House, job: Callable[[], object]) -> int:
    """Returns how many statements the job sends to the database."""
    with sent_to(house.site.engine) as said:
        job()
    return len(said)
