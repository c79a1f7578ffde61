"""Days that pass with a sweep of digests each half hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pbem.services.mail import digests
from tests.table import House


def queue_and_send(house: House) -> None:
    """Does the same as beat: queues due digests, then sends them."""
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()


def advance_clock_to(house: House, day: int, hour: int, minute: int) -> None:
    """Moves the clock to this moment of March 2026 in UTC, in steps of half an hour, with a sweep at each."""
    end = datetime(2026, 3, day, hour, minute, tzinfo=UTC)
    while house.clock.at < end:
        house.clock.at = min(house.clock.at + timedelta(minutes=30), end)
        queue_and_send(house)
