"""No clock runs before its mail was accepted; a player whose mail was delayed has the whole time."""

from datetime import timedelta
from typing import Any

import pytest
from psycopg.pq import PipelineStatus
from sqlalchemy import event, text
from sqlmodel import col, select

from pbem.kit.replay import Extended
from pbem.mail.mime import Mail
from pbem.mail.send import PermanentFailure, RelayDown
from pbem.models.tables import OutboxRow
from pbem.services.calendar import deadlines
from pbem.services.mail import closing, digests, reminders, sender
from pbem.services.play import timeouts
from pbem.services.players import players
from pbem.services.views import seats
from tests.harness.cases import cases
from tests.services.clock.deadlines import open_ask_of_seat
from tests.services.letterbox import once_a_day, text_of
from tests.table import START, House, Outgoing, address_of, deadline_of

DAYS_3 = timedelta(days=3)


def extensions_in_log(house: House, match_id: str) -> list[tuple[int | None, int]]:
    """Returns the seats and seconds by which the log says that deadlines moved."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [(event.seat, event.seconds) for event in events if isinstance(event, Extended)]


@cases(
    "allowed, grace",
    [(60, 300), (3000, 300), (3600, 360), (86_400, 8640), (3 * 86_400, 21_600), (60 * 86_400, 21_600)],
)
def test_the_grace_is_a_tenth_of_the_time_from_five_minutes_to_six_hours(allowed: int, grace: int) -> None:
    assert deadlines.grace_period(allowed) == timedelta(seconds=grace)


def test_the_clock_never_plays_before_the_mail_has_left(house: House) -> None:
    match_id = house.begin()
    house.clock.forward(days=40)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert {ask.kind for ask in house.asks(match_id)} == {"ally"}


@pytest.mark.long
def test_a_mail_sent_in_time_keeps_the_deadline_and_starts_the_clock(house: House) -> None:
    match_id = house.begin()
    house.clock.forward(minutes=4)
    house.drain()
    ask = open_ask_of_seat(house, match_id, 1)
    assert (ask.deadline, ask.mailed_at) == (START + DAYS_3, START + timedelta(minutes=4))
    assert ask.acts_at == deadline_of(ask) + timedelta(hours=6)
    assert extensions_in_log(house, match_id) == []


@pytest.mark.long
def test_a_relay_outage_stops_the_clock_and_the_mail_names_a_new_deadline(
    house: House,
) -> None:
    match_id = house.begin()
    house.drain()
    house.mail.clear()
    for seat in range(3):
        house.play(match_id, seat)
    (asked,) = house.asks(match_id)
    house.mail.failing = RelayDown("no route")
    house.drain()
    house.clock.forward(days=5)
    house.drain()
    assert timeouts.sweep_deadlines(house.site) == 0
    assert open_ask_of_seat(house, match_id, asked.seat).acts_at is None
    house.mail.failing = None
    house.clock.forward(minutes=1)
    house.drain()
    ask = open_ask_of_seat(house, match_id, asked.seat)
    assert ask.deadline == house.clock.at + DAYS_3
    assert ask.acts_at == ask.deadline + timedelta(hours=6)
    assert extensions_in_log(house, match_id) == [(asked.seat, 5 * 86_400 + 60)]
    (mail,) = house.mail.to(address_of(("Alice", "Bob", "Carol")[asked.seat]))
    assert "20" in text_of(mail)  # 12 March, 5 days of waiting, 3 of thinking


@pytest.mark.long
@pytest.mark.parametrize("why", ["refused", "muted", "suppressed"])
def test_a_mail_refused_muted_or_suppressed_still_starts_the_clock(house: House, why: str) -> None:
    match_id = house.begin()
    if why == "refused":
        house.mail.failing = PermanentFailure(550, "no such user", "recipient")
    if why == "muted":
        seats.mute(house.site, house.claim("mute", match_id, 1), True)
    if why == "suppressed":
        players.block_address(house.site, address_of("Bob"))
    house.drain()
    assert open_ask_of_seat(house, match_id, 1).acts_at is not None
    with house.site.reading() as session:
        results = session.execute(text("SELECT result FROM outbox WHERE kind = 'turn' AND seat = 1")).scalars().all()
    assert results == [why]


@pytest.mark.long
def test_after_answers_given_before_any_mail_the_next_mail_starts_a_clock(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    first = house.asks(match_id)[0]
    house.play(match_id, first.seat)
    after = house.asks(match_id)[0]
    assert open_ask_of_seat(house, match_id, after.seat).mailed_at is None
    house.drain()
    assert open_ask_of_seat(house, match_id, after.seat).mailed_at == house.clock.at


@pytest.mark.long
def test_with_a_daily_digest_the_turn_time_runs_from_the_digest(house: House) -> None:
    match_id = house.begin()
    once_a_day(house, "Bob", 9)
    house.drain()
    assert open_ask_of_seat(house, match_id, 1).acts_at is None
    assert open_ask_of_seat(house, match_id, 0).acts_at is not None
    house.clock.forward(hours=21)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    ask = open_ask_of_seat(house, match_id, 1)
    assert ask.mailed_at == house.clock.at
    assert ask.deadline == house.clock.at + DAYS_3
    assert extensions_in_log(house, match_id) == [(1, 21 * 3600)]


def test_without_a_sent_turn_mail_no_reminder_is_queued(house: House) -> None:
    house.begin()
    house.clock.forward(hours=40)
    assert reminders.sweep_reminders(house.site) == 0


@pytest.mark.long
def test_a_digest_starts_no_clock_of_questions_added_while_it_was_sent(house: House) -> None:
    house.begin()
    once_a_day(house, "Bob", 9)
    house.drain()
    house.clock.forward(hours=21)
    digests.queue_digests_and_reopen_mails(house.site)
    late: list[str] = []

    class Slow(Outgoing):
        """Digests are slow, and another match begins during the run."""

        def send(self, mail: Mail, to: str) -> None:
            if not late:
                late.append(house.begin())
                house.clock.forward(seconds=2)
                sender.drain(house.site, lambda: house.mail)
            super().send(mail, to)

    slow = Slow()
    sender.drain(house.site, lambda: slow)
    assert late[0] not in text_of(slow.all_sent[0][1])
    assert open_ask_of_seat(house, late[0], 1).mailed_at is None
    once_a_day(house, "Bob", None)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    assert open_ask_of_seat(house, late[0], 1).mailed_at == house.clock.at, (
        "he was not told of it: the mail comes after all"
    )


@pytest.mark.on_postgresql
def test_the_digest_of_an_erased_player_starts_no_clock_of_an_empty_seat(house: House) -> None:
    """The player erased their data while the mail was on its way: its row names nobody, like a vacated seat."""
    match_id = house.begin()
    once_a_day(house, "Bob", 9)
    house.drain()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET player_id = NULL WHERE seat = 1"))
    house.clock.forward(hours=1)
    now = house.clock()
    gone = OutboxRow(dedupe="gone", kind="digest", created_at=now, due_at=now)
    with house.site.writing() as session:
        closing.start_clocks(session, gone, "sent", now)
    assert open_ask_of_seat(house, match_id, 1).mailed_at is None


@pytest.mark.on_postgresql
def test_starting_a_clock_locks_the_match_and_reads_its_asks_in_one_batch(house: House) -> None:
    match_id, sent = house.begin(), list[tuple[str, bool]]()

    def note(connection: Any, _: object, sql: str, *_more: object) -> None:
        driver = connection.connection.driver_connection
        sent.append((sql, not hasattr(driver, "pgconn") or driver.pgconn.pipeline_status != PipelineStatus.OFF))

    with house.site.writing() as work:
        mails = select(OutboxRow).where(col(OutboxRow.match_id) == match_id, col(OutboxRow.kind) == "turn")
        row = next(iter(work.exec(mails)))
        event.listen(house.site.engine, "before_cursor_execute", note)
        closing.start_clocks(work, row, "sent", house.clock())
    (lock, together), (asks, also) = sent[:2]
    assert ("FOR NO KEY UPDATE" in lock, "FROM asks" in asks) == (True, True)
    assert (together, also) == (True, True)
