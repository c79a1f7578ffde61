"""Reminders: which turns are checked, which of them are reminded of, and when they are looked at again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

from sqlalchemy import text

from pbem.services.mail import digests, reminders
from pbem.services.play import timeouts
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import START, House


def tell(house: House, told: Chronicle) -> None:
    _tell_twice(house, told)
    _hold_back(house, told)
    _digest_readers(house, told)


def _sweeps(house: House) -> Callable[[], int]:
    return lambda: reminders.sweep_reminders(house.site)


def _run(house: House, statement: str, **values: object) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text(statement), values)


def _tell_twice(house: House, told: Chronicle) -> None:
    told.part("a turn of three days")
    house.begin(3)
    house.drain()
    told.skip()
    told.do("at once", _sweeps(house))
    house.clock.at = START + timedelta(hours=36, seconds=-1)
    told.do("a second before half-time", _sweeps(house))
    house.clock.forward(seconds=1)
    _run(house, "UPDATE seats SET muted = true WHERE seat = 2")
    told.skip()
    told.do("at half-time", _sweeps(house))
    told.do("at once again", _sweeps(house))
    _run(house, "UPDATE seats SET muted = false")
    house.drain()
    told.skip()
    house.clock.at = START + timedelta(hours=63)
    with patch.object(timeouts, "beat_and_check_web", return_value=False):
        told.do("while the web is down", lambda: reminders.beat_and_sweep_reminders_if_web_up(house.site))
    told.do("while the process stops", lambda: reminders.sweep_reminders(replace(house.site, stopping=lambda: True)))
    with patch.object(timeouts, "beat_and_check_web", return_value=True):
        told.do("near the end", lambda: reminders.beat_and_sweep_reminders_if_web_up(house.site))
    house.drain()
    told.skip()
    house.clock.forward(hours=8)
    told.do("no more", _sweeps(house))
    told.do("moved by two hours", lambda: _move(house, 2))
    told.do("after it was moved", _sweeps(house))
    house.clock.forward(hours=3)
    told.do("too late", _sweeps(house))


def _move(house: House, hours: int) -> None:
    end = house.clock.at + timedelta(hours=hours)
    _run(house, "UPDATE asks SET deadline = :at, runs_out = :at, remind_at = :now WHERE closed_at IS NULL",
         at=end, now=house.clock.at)  # fmt: skip


def _tell_due(
    house: House, told: Chronicle, change: str = "", undo: str = "", **values: object
) -> Callable[[str], None]:
    def sweep(title: str) -> None:
        _run(house, "UPDATE asks SET remind_at = :now WHERE closed_at IS NULL",
             now=house.clock.at)  # fmt: skip
        if change:
            _run(house, change, **values)
        told.skip()
        told.do(title, _sweeps(house))
        if undo:
            _run(house, undo)
        told.skip()

    return sweep


def _hold_back(house: House, told: Chronicle) -> None:
    told.part("held back")
    _run(house, "UPDATE asks SET closed_at = :now, remind_at = NULL", now=house.clock.at)
    house.clock.at = START + timedelta(days=20)
    match_id = house.begin(2, "niigata")
    house.drain()
    house.clock.forward(hours=36)
    told.skip()
    for title, change, undo in (
        ("an absent seat", "UPDATE seats SET absent = true", "UPDATE seats SET absent = false"),
        ("a resigned seat", "UPDATE seats SET resigned = true", "UPDATE seats SET resigned = false"),
        ("a bot's", "UPDATE seats SET bot = 'random'", "UPDATE seats SET bot = NULL"),
        ("a match that is paused", "UPDATE matches SET status = 'paused'", "UPDATE matches SET status = 'running'"),
        ("one whose mail has not left", "UPDATE asks SET mailed_at = NULL, deadline = deadline", ""),
    ):  # fmt: skip
        _tell_due(house, told, change, undo)(title)
    _run(house, "UPDATE asks SET mailed_at = :at", at=(START + timedelta(days=20)))
    just = house.clock.at - timedelta(minutes=59)
    hour = house.clock.at - timedelta(minutes=60)
    of = f"kind = 'turn' AND match_id = '{match_id}'"
    forget = "DELETE FROM outbox WHERE kind = 'reminder'"
    for title, at, result in (
        ("a turn mail within the hour", just, "sent"), ("one that was opened on a device", just, "opened"),
        ("one that was refused", just, "refused"), ("a turn mail an hour ago", hour, "sent"),
    ):  # fmt: skip
        change = f"UPDATE outbox SET done_at = :at, result = '{result}' WHERE {of}"
        _tell_due(house, told, change, forget, at=at)(title)
    for title, change in (
        ("one that is about to leave", "done_at = NULL, result = NULL"),
        ("one about another question that waits", "key = 'other', done_at = NULL, result = NULL"),
        ("one that cannot be written", "unrendered_since = created_at, done_at = NULL, result = NULL"),
    ):  # fmt: skip
        _tell_due(house, told, f"UPDATE outbox SET {change} WHERE {of}", forget)(title)
    _run(house, "UPDATE asks SET remind_at = :now WHERE closed_at IS NULL", now=house.clock.at)
    with house.site.reading() as session:
        found = reminders.asks_due_for_reminder_check(session, house.clock.at)
        verdicts = reminders.verdicts_on_reminders(session, found, house.clock.at)
    _run(house, "UPDATE asks SET remind_at = :at", at=START)
    told.skip()
    told.do("checked elsewhere meanwhile",
            lambda: reminders.queue_reminders(house.site, verdicts, house.clock.at))  # fmt: skip
    told.do("asks that are due", lambda: [(one.seat, one.key, one.status, one.muted) for one in found])


def _digest_readers(house: House, told: Chronicle) -> None:
    told.part("with a mail a day")
    _run(house, "UPDATE asks SET closed_at = :now, remind_at = NULL", now=house.clock.at)
    house.clock.at = START + timedelta(days=40)
    for name, hour in (("Alice", 10), ("Bob", 14)):
        digests.set_preferences(house.site, id_of(house, name), "en", "UTC", hour)
    house.begin(3, turn_s=23 * 3600, window_s=3600)
    house.drain()
    told.skip()
    for hours in (12, 18, 20, 22):
        house.clock.at = START + timedelta(days=40, hours=hours)
        _tell_due(house, told)(f"{hours} hours later")
        digests.queue_digests_and_reopen_mails(house.site)
        house.drain()
