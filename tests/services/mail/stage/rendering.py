"""Mails that wait, and hours that pass with all workers running."""

from __future__ import annotations

from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.models.tables import AskRow, OutboxRow
from pbem.services.log import store
from pbem.services.mail import digests, reminders
from pbem.services.monitoring import alarm
from pbem.services.play import timeouts
from tests.table import House


def open_asks_by_seat(house: House, match_id: str) -> dict[int, AskRow]:
    """Returns the open questions by seat, with their clocks."""
    with house.site.reading() as session:
        found = {ask.seat: ask for ask in store.open_asks(session, match_id)}
        session.expunge_all()
        return found


def unsent_mails(house: House) -> list[OutboxRow]:
    """Returns the mails that have not left."""
    with house.site.reading() as session:
        rows = session.exec(select(OutboxRow).where(col(OutboxRow.done_at).is_(None))).all()
        session.expunge_all()
        return list(rows)


def run_workers_for_hours(house: House, count: int, at_once: int = 2) -> list[str]:
    """Advances the clock by this many hours with the workers running; returns the log's lines at level error."""
    with capture_logs() as lines:
        for _ in range(0, count, at_once):
            house.clock.forward(hours=at_once)
            timeouts.sweep_deadlines(house.site)
            digests.queue_digests_and_reopen_mails(house.site)
            reminders.sweep_reminders(house.site)
            house.drain()
            alarm.watch_mails(house.site)
    return [line["event"] for line in lines if line["log_level"] == "error"]
