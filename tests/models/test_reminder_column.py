"""A database with running matches gets the reminders' column: the sweep is to look once at each question that runs."""

from datetime import datetime, timedelta

from tests.models.test_clock_columns import AT, Before


def test_open_questions_whose_time_runs_are_looked_at_once_after_the_upgrade(blank_database_url: str) -> None:
    before = Before(blank_database_url, "0010")
    for result in ("sent", "sent", None, "sent"):
        before.ask(result)
    before.add("UPDATE asks SET mailed_at = :at WHERE seat <> 2", at=AT + timedelta(minutes=1))
    before.add("UPDATE asks SET bot = 'lazy' WHERE seat = 1")
    before.add("UPDATE asks SET closed_at = :at WHERE seat = 3")
    looked: dict[int, datetime | None] = {ask.seat: ask.remind_at for ask in before.after()}
    assert looked == {0: AT + timedelta(minutes=1), 1: None, 2: None}
