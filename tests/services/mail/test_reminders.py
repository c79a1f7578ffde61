"""Reminders: at half-time of a long turn and near its end, never too many, never pointless."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select

from pbem.models.tables import OutboxRow
from pbem.services.calendar import deadlines
from pbem.services.calendar.calendar import ALWAYS
from pbem.services.clock import outages
from pbem.services.log import store
from pbem.services.mail import digests, reminders
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, player_of, text_of
from tests.table import START, House, deadline_of


def queue_and_send(house: House) -> int:
    """Queues due reminders and sends all due mail; returns the number of reminders queued."""
    queued = reminders.sweep_reminders(house.site)
    house.drain()
    return queued


@pytest.mark.long
def test_an_open_turn_of_three_days_is_reminded_of_twice_in_its_thread(house: House) -> None:
    house.begin()
    house.drain()
    assert queue_and_send(house) == 0
    house.clock.forward(hours=36)
    assert [queue_and_send(house), queue_and_send(house)] == [3, 0]
    house.clock.forward(hours=27)
    assert [queue_and_send(house), queue_and_send(house)] == [3, 0]
    house.clock.forward(hours=8)
    assert queue_and_send(house) == 0
    assert kinds_of_mails(house, "Bob")[-3:] == ["turn", "reminder", "reminder"]
    turn, half, end = house.mail.to("bob@example.org")[-3:]
    assert turn["References"] == half["References"] == end["References"]
    assert turn["Subject"] == half["Subject"] == end["Subject"]
    assert half["Message-ID"] != end["Message-ID"]
    assert "1\u00a0d\u00a012\u00a0h left" in text_of(half)
    assert "9\u00a0h left" in text_of(end)


@pytest.mark.long
def test_a_queued_reminder_is_not_sent_once_the_player_answered(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(hours=36)
    house.play(match_id, 0)
    assert reminders.sweep_reminders(house.site) == 2
    house.play(match_id, 1)
    house.drain()
    assert [kinds_of_mails(house, name)[-1] for name in ("Alice", "Bob", "Carol")] == ["turn", "turn", "reminder"]


@pytest.mark.long
def test_a_service_that_was_away_sends_one_reminder_and_not_both(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(hours=70)
    assert queue_and_send(house) == 3
    for _ in range(3):
        house.clock.forward(minutes=30)
        assert queue_and_send(house) == 0
    assert kinds_of_mails(house, "Bob").count("reminder") == 1


@pytest.mark.long
def test_reminders_are_counted_from_a_turn_mail_that_left_late(house: House) -> None:
    house.begin()
    house.clock.forward(hours=63)
    assert reminders.sweep_reminders(house.site) == 0, "its turn mail has not left"
    house.drain()
    house.clock.forward(hours=36, minutes=-1)
    assert queue_and_send(house) == 0
    house.clock.forward(minutes=1)
    assert queue_and_send(house) == 3
    assert kinds_of_mails(house, "Bob")[-2:] == ["turn", "reminder"]


@pytest.mark.long
def test_two_reminders_are_an_hour_apart(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(hours=62, minutes=55)
    assert queue_and_send(house) == 3
    house.clock.forward(minutes=10)
    assert queue_and_send(house) == 0
    house.clock.forward(minutes=51)
    assert queue_and_send(house) == 3


@pytest.mark.on_postgresql
def test_only_the_newer_of_two_reminders_leaves_a_jammed_queue(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(hours=36)
    assert reminders.sweep_reminders(house.site) == 3
    with house.site.engine.begin() as connection:  # the queue deferred the mail
        connection.execute(
            text("UPDATE outbox SET due_at = :later WHERE kind = 'reminder'"), {"later": moment_never_reached()}
        )
    house.clock.forward(hours=27)
    assert reminders.sweep_reminders(house.site) == 0, "the first one is about to leave"
    house.clock.forward(minutes=6)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = created_at, result = 'sent' WHERE kind = 'reminder'"))
    assert reminders.sweep_reminders(house.site) == 3
    with house.site.engine.begin() as connection:
        reopen = "UPDATE outbox SET done_at = NULL, result = NULL, due_at = created_at WHERE kind = 'reminder'"
        connection.execute(text(reopen))
    house.drain()
    assert kinds_of_mails(house, "Bob").count("reminder") == 1
    assert "8\u00a0h\u00a054\u00a0min left" in text_of(newest_mail(house, "Bob"))


def moment_never_reached() -> datetime:
    """Returns a moment that never comes."""
    return START + timedelta(days=400)


@pytest.mark.on_postgresql
def test_a_muted_seat_and_one_with_a_mail_a_day_are_not_reminded(house: House) -> None:
    house.begin()
    once_a_day(house, "Alice", 5)
    house.drain()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET muted = true WHERE seat = 1"))
    house.clock.forward(hours=36)
    assert queue_and_send(house) == 1
    assert kinds_of_mails(house, "Carol")[-1] == "reminder"


@pytest.mark.long
def test_a_digest_reader_is_reminded_if_the_next_digest_comes_too_late(house: House) -> None:
    """Bob's daily mail comes at 17:00 UTC and names the turn, whose deadline is an hour before the next one."""
    house.begin(turn_s=23 * 3600, window_s=3600)
    once_a_day(house, "Bob", 17, "UTC")
    once_a_day(house, "Carol", 17, "UTC")
    house.drain()
    house.clock.at = START.replace(hour=17, minute=0)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    assert kinds_of_mails(house, "Bob")[-1] == "digest"
    once_a_day(house, "Carol", 14, "UTC")  # her daily mail comes in time to name it again
    for _ in range(23 * 2):
        house.clock.forward(minutes=30)
        digests.queue_digests_and_reopen_mails(house.site)
        queue_and_send(house)
    assert kinds_of_mails(house, "Bob")[-2:] == ["digest", "reminder"]
    assert kinds_of_mails(house, "Carol")[-2:] == ["digest", "digest"]
    assert "left\n" in text_of(newest_mail(house, "Bob"))


def test_no_reminder_is_sent_within_an_hour_of_the_daily_digest(house: House) -> None:
    """A turn of 4 hours has its reminder 2 hours before its end, which is when the daily mail has just come."""
    house.begin(turn_s=4 * 3600, window_s=3600)
    house.drain()
    once_a_day(house, "Bob", 13, "UTC")
    house.clock.at = START.replace(hour=14, minute=2)
    with house.site.writing() as session:
        now = house.clock()
        told = OutboxRow(dedupe="today", kind="digest", created_at=now, due_at=now, done_at=now, result="sent")
        told.player_id = player_of(house, "Bob").id
        session.add(told)
    house.clock.forward(minutes=4)
    assert queue_and_send(house) == 2, "Alice and Carol"
    house.clock.forward(hours=1)
    assert queue_and_send(house) == 1, "his end was not near yet when that mail came"
    assert kinds_of_mails(house, "Bob")[-1] == "reminder"


def test_a_digest_stands_in_for_a_reminder_only_if_it_was_sent(house: House) -> None:
    house.begin(turn_s=4 * 3600, window_s=3600)
    house.drain()
    house.clock.at = START.replace(hour=14, minute=10)
    for name, result in (("Bob", "sent"), ("Carol", "stale")):
        once_a_day(house, name, 13, "UTC")
        with house.site.writing() as session:
            now = house.clock()
            told = OutboxRow(dedupe=name, kind="digest", created_at=now, due_at=now, done_at=now, result=result)
            told.player_id = player_of(house, name).id
            session.add(told)
    house.clock.forward(minutes=62)
    assert reminders.sweep_reminders(house.site) == 2
    with house.site.reading() as session:
        rows = session.exec(select(OutboxRow.seat).where(OutboxRow.kind == "reminder"))
        assert sorted(rows, key=str) == [0, 2]


def test_short_turns_have_no_reminder(house: House) -> None:
    house.begin(turn_s=7200, window_s=3600)
    house.drain()
    for _ in range(12):
        house.clock.forward(minutes=10)
        assert queue_and_send(house) == 0


@pytest.mark.long
def test_the_questions_that_follow_in_one_turn_are_reminded_of_as_one(house: House) -> None:
    """A player who must answer and then call has one deadline for both, and one reminder at half-time."""
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    house.play(match_id, house.asks(match_id)[0].seat)
    house.drain()
    answerer = house.asks(match_id)[0]
    house.clock.forward(hours=36)
    assert queue_and_send(house) == 1
    house.play(match_id, answerer.seat)
    after = next(ask for ask in house.asks(match_id) if ask.seat == answerer.seat)
    assert after.origin == answerer.key
    house.clock.forward(hours=2)
    assert queue_and_send(house) == 0


@pytest.mark.long
def test_a_moved_deadline_brings_a_second_reminder_only_if_far_away(
    house: House,
) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(hours=65)
    assert queue_and_send(house) == 3
    for ahead, reminded in ((timedelta(minutes=20), 0), (timedelta(days=4), 3)):
        with house.site.writing() as session:
            now = house.clock()
            for ask in store.open_asks(session, match_id):
                deadlines.store_time_in_ask(
                    ask, deadlines.time_after_outage(deadlines.time_in_row_of_ask(ask), now, now + ahead, ALWAYS)
                )
                session.add(ask)
            end = deadline_of(ask)
        house.clock.forward(hours=2)
        assert queue_and_send(house) == 0
        house.clock.at = end - timedelta(hours=3)
        assert [queue_and_send(house), queue_and_send(house)] == [reminded, 0]


@pytest.mark.long
def test_no_reminder_is_sent_while_the_web_heartbeat_is_missing(house: House) -> None:
    house.begin(turn_s=4 * 3600, window_s=3600)
    house.drain()
    outages.record_heartbeat(house.site, "web")
    for _ in range(5):
        house.clock.forward(hours=1)
        assert reminders.beat_and_sweep_reminders_if_web_up(house.site) == 0
    outages.record_heartbeat(house.site, "web")
    queued = 0
    for _ in range(4 * 6):
        house.clock.forward(minutes=10)
        outages.record_heartbeat(house.site, "web")
        queued += reminders.beat_and_sweep_reminders_if_web_up(house.site)
    assert queued == 3, "and once each when it is back, by the deadline that has moved"
