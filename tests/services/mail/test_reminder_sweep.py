"""What the reminder sweep reads, when, and how much of it: the player's days, and a million open questions."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import insert, text, update

from pbem.models.tables import AskRow, table
from pbem.services.clock import holidays
from pbem.services.log import store
from pbem.services.mail import reminders
from pbem.services.play import presence
from pbem.services.tokens import MuteClaim
from pbem.services.views import seats
from tests.harness.sent import statements_to
from tests.services.letterbox import kinds_of_mails, once_a_day, player_of
from tests.services.play.stage.races import at_once
from tests.table import START, House, claim_of

DAY = timedelta(days=1)


def id_of_bob(house: House) -> int:
    """Returns Bob's id."""
    number = player_of(house, "Bob").id
    assert number is not None
    return number


def times_of_reminders(house: House, until: datetime, every: timedelta = timedelta(minutes=10)) -> list[datetime]:
    """Sweeps until this time; returns when Bob was reminded."""
    found: list[datetime] = []
    before = kinds_of_mails(house, "Bob").count("reminder")
    while house.clock.at < until:
        house.clock.at += every
        reminders.sweep_reminders(house.site)
        house.drain()
        after = kinds_of_mails(house, "Bob").count("reminder")
        found += [house.clock.at] * (after - before)
        before = after
    return found


def next_examinations(house: House, match_id: str) -> list[datetime | None]:
    """Returns when the open questions of the match are next examined, in seat order."""
    with house.site.reading() as session:
        return [ask.remind_at for ask in store.open_asks(session, match_id)]


# --- the player's days ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_player_with_quiet_hours_is_reminded_in_the_evening_not_at_night(house: House) -> None:
    """Mail at 22:30 in London, a day for it: the deadline is at 7:00, and 4:00 would be night."""
    house.clock.at = START.replace(hour=22, minute=30)
    match_id = house.begin(turn_s=86_400)
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (22, 7))
    house.drain()
    assert times_of_reminders(house, START + 2 * DAY) == [datetime(2026, 3, 13, 19, 30, tzinfo=UTC)]
    assert next_examinations(house, match_id)[1] is None


@pytest.mark.long
def test_reminders_missed_in_the_evening_wait_for_the_end_of_quiet_hours(house: House) -> None:
    house.clock.at = START.replace(hour=6, minute=30)
    house.begin(turn_s=86_400)
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (22, 6))
    house.drain()
    house.clock.at = START.replace(hour=23)
    assert times_of_reminders(house, START + DAY) == [START.replace(day=13, hour=6)], "half an hour before the deadline"


@pytest.mark.long
def test_a_weekend_off_does_not_count_towards_reminders(house: House) -> None:
    house.clock.at = datetime(2026, 3, 13, 18, 0, tzinfo=UTC)
    house.begin(turn_s=86_400)
    holidays.set_clock_hours(house.site, id_of_bob(house), True, None)
    house.drain()
    assert times_of_reminders(house, START + 5 * DAY) == [datetime(2026, 3, 16, 15, 0, tzinfo=UTC)]


@pytest.mark.long
def test_a_holiday_that_begins_within_the_turn_puts_half_time_off(house: House) -> None:
    house.begin()
    house.drain()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 3, 24))
    half, end = times_of_reminders(house, START + 16 * DAY, timedelta(hours=1))
    assert (half, end) == (
        datetime(2026, 3, 26, 0, 4, tzinfo=UTC), datetime(2026, 3, 27, 3, 4, tzinfo=UTC)
    )  # fmt: skip


@pytest.mark.long
def test_a_holiday_that_is_taken_back_brings_the_reminder_back(house: House) -> None:
    house.begin()
    house.drain()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 14), date(2026, 3, 24))
    holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 14))
    assert times_of_reminders(house, START + timedelta(hours=37)) == [START + timedelta(hours=36)]


@pytest.mark.on_postgresql
def test_a_player_who_comes_back_is_reminded_by_their_new_time(house: House) -> None:
    match_id = house.begin()
    house.drain()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET absent = true, away_n = 1 WHERE seat = 1"))
    house.clock.forward(hours=36)
    assert reminders.sweep_reminders(house.site) == 2
    assert next_examinations(house, match_id)[1] is None, "the clock moves for him"
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert times_of_reminders(house, START + timedelta(hours=73)) == [START + timedelta(hours=72)]


# --- what brings an examination forward ----------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_unmuting_a_match_brings_reminders_of_its_open_questions(house: House) -> None:
    match_id = house.begin()
    house.drain()
    token = house.token("mute", match_id, 1)
    seats.mute(house.site, house.tokens.read(MuteClaim, token), True)
    assert times_of_reminders(house, START + timedelta(hours=64), timedelta(hours=1)) == []
    assert next_examinations(house, match_id)[1] is None
    seats.mute(house.site, house.tokens.read(MuteClaim, token), False)
    assert len(times_of_reminders(house, START + timedelta(hours=66))) == 1


@pytest.mark.on_postgresql
def test_leaving_the_digest_brings_at_once_the_reminders_it_replaced(house: House) -> None:
    house.begin(turn_s=86_400)
    house.drain()
    once_a_day(house, "Bob", 11, "UTC")
    house.clock.forward(hours=21)
    assert reminders.sweep_reminders(house.site) == 2, "his next mail a day comes in time"
    house.clock.forward(minutes=1)
    once_a_day(house, "Bob", None, "UTC")
    house.clock.forward(minutes=1)
    assert len(times_of_reminders(house, START + timedelta(hours=22))) == 1


@pytest.mark.long
def test_two_sweeps_at_once_queue_each_reminder_once(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(hours=36)
    queued = at_once(*(partial(reminders.sweep_reminders, house.site) for _ in range(2)))
    assert sum(count for count in queued if isinstance(count, int)) == 3
    with house.site.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM outbox WHERE kind = 'reminder'")).scalar() == 3


# --- how much is read ----------------------------------------------------------------------------------------


def add_open_questions(house: House, match_id: str, count: int, remind_at: datetime | None) -> None:
    """Adds this many open questions to Bob to the match's rows."""
    with house.site.writing() as session:
        ask = next(ask for ask in store.open_asks(session, match_id) if ask.seat == 1)
        row = {name: value for name, value in vars(ask).items() if name in table(AskRow).c}
        rows = [{**row, "key": f"m{n}", "origin": f"m{n}", "remind_at": remind_at} for n in range(count)]
        session.connection().execute(insert(table(AskRow)), rows)


def test_the_reminder_sweep_reads_no_questions_that_are_not_due(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(hours=1)
    with statements_to(house.site.engine) as alone:
        assert reminders.sweep_reminders(house.site) == 0
    add_open_questions(house, match_id, 500, START + DAY)
    with statements_to(house.site.engine) as among_many:
        assert reminders.sweep_reminders(house.site) == 0
    assert len(alone) == len(among_many) <= 2


def test_a_few_reads_suffice_to_postpone_questions_examined_too_early(house: House) -> None:
    """As after the upgrade: every open question is to be examined at once."""
    match_id = house.begin()
    house.drain()
    add_open_questions(house, match_id, 2 * reminders.BATCH, START)
    house.clock.forward(hours=1)
    with statements_to(house.site.engine) as said:
        assert reminders.sweep_reminders(house.site) == 0
    reads = [statement for statement in said if statement.startswith("SELECT")]
    assert len(reads) <= 3 * 3
    assert set(next_examinations(house, match_id)) == {START + timedelta(hours=36)}


@pytest.mark.on_postgresql
def test_the_reminder_sweep_uses_an_index(house: House) -> None:
    match_id = house.begin()
    house.drain()
    add_open_questions(house, match_id, 3_000, START + 2 * DAY)
    house.clock.forward(hours=36)
    compiled = reminders.query_of_asks_due_for_reminder_check().compile(dialect=house.site.engine.dialect)
    postgres = house.site.engine.dialect.name == "postgresql"
    with house.site.engine.begin() as connection:
        connection.execute(text("ANALYZE"))
        explain = "EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF)" if postgres else "EXPLAIN QUERY PLAN"
        given = compiled.construct_params({"now": house.clock.at})
        values: Any = given if compiled.positiontup is None else tuple(given[name] for name in compiled.positiontup)
        plan = [str(row) for row in connection.exec_driver_sql(f"{explain} {compiled}", values)]
    (scan,) = (line for line in plan if "ix_asks_remind" in line)
    assert not any("Seq Scan on asks" in line for line in plan)
    assert not postgres or re.search(r"actual rows=3\b", scan), plan


def test_a_reminder_another_sweep_examined_meanwhile_is_not_queued(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(hours=36)
    now = house.clock()
    with house.site.reading() as session:
        verdicts = reminders.verdicts_on_reminders(session, reminders.asks_due_for_reminder_check(session, now), now)
    with house.site.writing() as session:
        session.execute(update(table(AskRow)).where(table(AskRow).c.seat == 1).values(remind_at=now + DAY))
    assert reminders.queue_reminders(house.site, verdicts, now) == 2
    assert next_examinations(house, match_id)[1] == now + DAY


@pytest.mark.long
@pytest.mark.parametrize("left", ["answered", "over"])
def test_the_reminder_sweep_skips_answered_questions_and_ended_matches(house: House, left: str) -> None:
    match_id = house.begin()
    house.drain()
    if left == "over":
        house.play_out(match_id)
    else:
        house.play(match_id, 0)
    house.clock.forward(hours=36)
    with house.site.reading() as session:
        assert [one.seat for one in reminders.asks_due_for_reminder_check(session, house.clock())] == (
            [] if left == "over" else [1, 2]
        )
