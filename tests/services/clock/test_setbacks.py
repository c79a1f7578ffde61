"""A clock that was wrong and was set right stops nothing, plays for nobody, and takes no time from anybody."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, select, update
from sqlmodel import SQLModel

from pbem.models.accounts import QuotaRow
from pbem.models.clocks import Heartbeat, Outage
from pbem.models.tables import AskRow, Match, OutboxRow, table
from pbem.models.types import Utc
from pbem.services.calendar import heartbeats
from pbem.services.calendar.deadlines import time_in_row_of_ask
from pbem.services.clock import holidays, outages, setbacks, web_heartbeat
from pbem.services.mail import reminders
from pbem.services.play import presence, timeouts
from tests.services.clock.deadlines import deadlines, extensions_in_log, open_ask_of_seat
from tests.services.letterbox import player_of
from tests.services.machine import Machine
from tests.table import House, claim_of, deadline_of

YEAR = timedelta(days=400)
HALF_A_MINUTE = timedelta(seconds=30)


def beat_once(house: House) -> None:
    """Does what beat and the web's heart do every minute."""
    web_heartbeat.beat_once(house.site)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    timeouts.cancel_lapsed_matches(house.site)
    reminders.beat_and_sweep_reminders_if_web_up(house.site)
    house.drain()


def go_on(house: House, **time: float) -> None:
    """Lets this time pass, in which the service is up."""
    house.clock.forward(**time)
    for name in ("sweep", "web"):
        with house.site.writing() as work:
            t = table(Heartbeat)
            work.execute(update(t).where(t.c.name == name).values(at=house.clock.at))
    beat_once(house)


def begin_match_with_mails(house: House, **wanted: Any) -> str:
    """Begins a match whose mails have left, on a site that is up."""
    beat_once(house)
    match_id = house.begin(**wanted)
    house.drain()
    go_on(house, hours=2)
    return match_id


def set_wrong(house: House, by: timedelta) -> None:
    """Sets the clock wrong."""
    house.clock.at += by
    beat_once(house)


def set_right(house: House, by: timedelta) -> None:
    """Sets the clock right again after half a minute."""
    house.clock.at += HALF_A_MINUTE
    beat_once(house)
    house.clock.at -= by
    beat_once(house)


def set_clock_wrong_briefly(house: House, by: timedelta) -> None:
    """Sets the clock wrong for half a minute."""
    set_wrong(house, by)
    set_right(house, by)


def moments_in_table(house: House, model: type[SQLModel], *names: str) -> list[datetime]:
    """Returns all moments in these columns."""
    t = table(model)
    with house.site.reading() as session:
        found = session.execute(select(*(t.c[name] for name in names))).all()
    return [at for one in found for at in one if at is not None]


@pytest.mark.on_postgresql
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "by", [YEAR, timedelta(hours=1), -timedelta(hours=1), -YEAR, timedelta(days=9000)], ids=lambda by: str(by.days)
)
def test_half_a_minute_of_wrong_time_moves_deadlines_by_a_minute_at_most(house: House, by: timedelta) -> None:
    match_id = begin_match_with_mails(house)
    (before,) = deadlines(house, match_id)
    set_clock_wrong_briefly(house, by)
    (after,) = deadlines(house, match_id)
    assert timedelta(0) <= after - before <= (timedelta(0) if by > timedelta() else timedelta(minutes=1))
    assert all(at <= house.clock.at for at in moments_in_table(house, Heartbeat, "at"))
    assert len(house.asks(match_id)) == 3, "the clock has not played"
    told = extensions_in_log(house, match_id)
    assert len(told) == 2, "it was said that they moved, and that they moved back"
    assert sum(one.seconds for one in told) == (after - before).total_seconds()
    version = house.view(match_id, None).sheet.version
    go_on(house, hours=1)
    assert house.view(match_id, None).sheet.version == version, "and nothing after that"
    house.clock.at = after - timedelta(minutes=1)
    go_on(house)
    assert house.view(match_id, None).sheet.version == version
    go_on(house, hours=8)
    assert house.view(match_id, None).sheet.version > version, "the clock plays in its time"


def test_rows_written_with_the_clock_ahead_are_moved_back_on_correction(house: House) -> None:
    match_id = begin_match_with_mails(house)
    set_wrong(house, YEAR)
    for seat in range(3):
        house.play(match_id, seat)  # the mail of the next question leaves, and one does not
    other = house.begin()
    set_right(house, YEAR)
    now = house.clock.at
    house.drain()
    (ask,) = house.asks(match_id)
    assert now <= deadline_of(ask) <= now + timedelta(days=3, minutes=1)
    for one in house.asks(other):
        assert deadline_of(one) <= now + timedelta(days=3, minutes=1)
    assert all(at <= now for at in moments_in_table(house, AskRow, "opened_at", "mailed_at"))
    assert all(
        at <= now for at in moments_in_table(house, OutboxRow, "created_at", "due_at", "done_at", "claimed_until")
    )
    asked = [one for one in house.asks(other) if open_ask_of_seat(house, other, one.seat).mailed_at is None]
    assert asked == [], "all mails have left"


@pytest.mark.on_postgresql
def test_a_lease_claimed_under_a_wrong_clock_is_void(house: House) -> None:
    match_id = begin_match_with_mails(house)
    house.time_is_up(match_id)
    set_wrong(house, YEAR)
    until = house.clock.at + timedelta(minutes=1)
    with house.site.writing() as work:
        work.execute(update(table(AskRow)).values(claimed_until=until))
        work.execute(update(table(OutboxRow)).values(claimed_until=until, due_at=until, done_at=None))
    set_right(house, YEAR)
    assert all(at <= house.clock.at for at in moments_in_table(house, AskRow, "claimed_until"))
    assert all(at <= house.clock.at for at in moments_in_table(house, OutboxRow, "claimed_until", "due_at"))


@pytest.mark.on_postgresql
def test_a_short_clock_jump_leaves_mails_and_quotas_waiting_as_long(house: House) -> None:
    begin_match_with_mails(house)
    until = house.clock.at + timedelta(hours=20)
    with house.site.writing() as work:
        work.add(QuotaRow(name="for a day", used=3, until=until))
        work.execute(update(table(OutboxRow)).values(due_at=until, done_at=None))
    set_clock_wrong_briefly(house, timedelta(hours=1))
    with house.site.reading() as session:
        assert session.get_one(QuotaRow, "for a day").until == until
    assert {*moments_in_table(house, OutboxRow, "due_at")} == {until}


@pytest.mark.on_postgresql
def test_each_setback_of_the_clock_repairs_the_tables_once(house: House) -> None:
    begin_match_with_mails(house)
    ran: list[str] = []
    event.listen(house.site.engine, "before_cursor_execute", lambda *told: ran.append(told[2]), named=False)
    set_clock_wrong_briefly(house, YEAR)
    assert sum(one.startswith("UPDATE personal_tokens") for one in ran) == 1
    with house.site.writing() as work:
        work.execute(update(table(Outage)).values(done=False))  # a match could not be locked
    house.clock.forward(minutes=1)
    beat_once(house)
    assert sum(one.startswith("UPDATE personal_tokens") for one in ran) == 1


@pytest.mark.long
def test_after_a_clock_correction_outages_are_given_back_in_all_matches(house: House) -> None:
    match_id = begin_match_with_mails(house)
    set_clock_wrong_briefly(house, YEAR)
    other = house.begin()
    house.drain()
    (before,), (new,) = deadlines(house, match_id), deadlines(house, other)
    house.clock.forward(days=2)
    beat_once(house)
    assert deadlines(house, match_id) == {before + timedelta(days=2)}
    assert deadlines(house, other) == {new + timedelta(days=2)}
    assert outages.record_outage_by_hand(house.site, house.clock.at - timedelta(days=1), house.clock.at) == []
    day = house.clock.at + timedelta(days=5)
    house.clock.at = day
    assert outages.record_outage_by_hand(house.site, day - timedelta(days=1), day - timedelta(hours=1)) != [], (
        "it was not skipped"
    )


def test_a_question_asked_between_correction_and_sweep_keeps_its_deadline(house: House) -> None:
    match_id = begin_match_with_mails(house)
    set_wrong(house, YEAR)
    house.clock.at -= YEAR - HALF_A_MINUTE
    for seat in range(3):
        house.play(match_id, seat)
    house.drain()
    (before,) = deadlines(house, match_id)
    house.clock.forward(seconds=5)
    beat_once(house)
    (ask,) = house.asks(match_id)
    assert open_ask_of_seat(house, match_id, ask.seat).deadline == before


def damage_like_old_version(house: House, match_id: str, since: datetime) -> None:
    """Leaves the database as a version did that trusted every mark: the clock was ahead once, at that moment."""
    ahead = since + YEAR
    with house.site.writing() as work:
        gap = (
            insert(table(Outage))
            .values(since=since, until=ahead, noted_at=ahead, done=True)
            .returning(table(Outage).c.id)
        )
        noted = work.execute(gap).scalar_one()
        work.execute(update(table(Match)).where(table(Match).c.id == match_id).values(shifted_for=noted))
        work.execute(update(table(Heartbeat)).values(at=ahead + HALF_A_MINUTE))
        t = table(AskRow)
        for ask in work.execute(select(t).where(t.c.match_id == match_id)).all():
            this = (t.c.match_id == match_id, t.c.key == ask.key, t.c.seat == ask.seat)
            later = {name: getattr(ask, name) + YEAR for name in ("deadline", "acts_at", "remind_at")}
            work.execute(update(t).where(*this).values(**later))


@pytest.mark.on_postgresql
@pytest.mark.parametrize("late", [timedelta(minutes=2), timedelta(days=90)], ids=["at once", "months later"])
def test_the_first_sweep_repairs_deadlines_that_an_older_version_damaged(house: House, late: timedelta) -> None:
    match_id = begin_match_with_mails(house)
    (before,) = deadlines(house, match_id)
    then = house.clock.at
    damage_like_old_version(house, match_id, then)
    house.clock.at += late
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    (after,) = deadlines(house, match_id)
    if late < timedelta(hours=1):
        assert after == before
    else:  # nobody loses the time in which no clock went
        assert timedelta(0) <= (before - then) - (after - house.clock.at) <= timedelta(minutes=1)
    assert extensions_in_log(house, match_id)[-1].seconds == round((after - before - YEAR).total_seconds())
    assert moments_in_table(house, Heartbeat, "at") == [house.clock.at] * 2
    timeouts.beat_and_sweep_deadlines_if_web_up(replace(house.site))  # in another process
    assert deadlines(house, match_id) == {after}


@pytest.mark.long
@pytest.mark.parametrize("by", [YEAR, timedelta(days=3, hours=5)], ids=["400 days", "three days"])
def test_a_brief_wrong_clock_keeps_deadlines_with_days_off_and_quiet_hours(house: House, by: timedelta) -> None:
    match_id = begin_match_with_mails(house)
    holidays.set_clock_hours(house.site, player_of(house, "Bob").id or 0, True, (22, 7))
    before = time_in_row_of_ask(open_ask_of_seat(house, match_id, 1))
    set_clock_wrong_briefly(house, by)
    after = time_in_row_of_ask(open_ask_of_seat(house, match_id, 1))
    assert timedelta(0) <= after.deadline - before.deadline <= timedelta(minutes=1)
    assert before.acts_at is not None
    assert after.acts_at is not None
    assert timedelta(0) <= after.acts_at - before.acts_at <= timedelta(minutes=1)


def test_after_a_clock_correction_invitations_and_turns_end_on_time(house: House) -> None:
    match_id = begin_match_with_mails(house)
    invited = house.create()
    set_wrong(house, YEAR)
    asked_then = house.create()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    set_right(house, YEAR)
    with house.site.reading() as session:
        last = [session.get_one(Match, one).lapses_at for one in (invited, asked_then)]
    assert all(at is not None and house.clock.at < at < house.clock.at + timedelta(days=60) for at in last), last
    go_on(house, minutes=1)
    assert {ask.seat for ask in house.asks(match_id)} == {0, 2}


@pytest.mark.on_postgresql
def test_a_vote_that_began_while_the_clock_was_ahead_ends_in_its_time(house: House) -> None:
    begin_match_with_mails(house, late="vote")
    set_wrong(house, YEAR)
    with house.site.writing() as work:
        since = house.clock.at
        work.execute(update(table(AskRow)).values(vote_since=since, acts_at=since + timedelta(days=30)))
    set_right(house, YEAR)
    assert moments_in_table(house, AskRow, "vote_since") == [house.clock.at] * 3
    assert moments_in_table(house, AskRow, "acts_at") == [house.clock.at + timedelta(days=30)] * 3


def test_an_outage_is_a_clock_jump_if_the_clock_is_set_back_to_its_start(house: House) -> None:
    now = house.clock.at
    ahead = Outage(since=now, until=now + YEAR, noted_at=now + YEAR)
    with house.site.writing() as work:
        work.add(ahead)
    with house.site.reading() as session:
        back = Outage(since=now + YEAR, until=now, noted_at=now)
        assert heartbeats.outage_by_wrong_clock(session, back) is not None
        assert (
            heartbeats.outage_by_wrong_clock(session, Outage(since=now + YEAR, until=now + YEAR, noted_at=now)) is None
        )


BY_MATCH = {
    "asks": (
        "opened_at", "deadline", "runs_out", "mailed_at", "acts_at", "remind_at", "vote_since", "claimed_until",
        "floor_at", "sealed_at", "closes_at", "follow_at",
    ),
    "matches": ("lapses_at",),
}  # fmt: skip
"""The columns that move with the deadlines of their match, under its lock; see
`outages.apply_outages_to_locked_match`."""


def test_every_datetime_column_is_listed_for_repair_after_a_setback() -> None:
    every = setbacks.moment_columns()
    known = [(name, column) for kind in (every.waiting, every.happened, BY_MATCH, every.left)
             for name, columns in kind.items() for column in columns]  # fmt: skip
    stored = [
        (t.name, column.name)
        for t in SQLModel.metadata.tables.values()
        for column in t.columns
        if isinstance(column.type, Utc)
    ]
    assert sorted(known) == sorted(stored)


def test_a_site_is_unsettled_until_ten_minutes_after_its_clock_was_wrong(house: House) -> None:
    begin_match_with_mails(house)
    assert outages.is_settled(house.site)
    house.clock.at += YEAR
    assert not outages.is_settled(house.site), "nobody knows yet"
    beat_once(house)
    assert not outages.is_settled(house.site)
    house.clock.at -= YEAR - HALF_A_MINUTE
    assert not outages.is_settled(house.site)
    beat_once(house)
    go_on(house, minutes=9)
    assert not outages.is_settled(house.site)
    go_on(house, minutes=2)
    assert outages.is_settled(house.site)


def on_a_machine(house: House, url: str, machine: Machine | None = None) -> Machine:
    """Gives the house the time of its database, as a new process on a machine whose clock can be set."""
    machine = machine or Machine(wall=house.clock.at)
    time = machine.process(url)
    house.site = replace(house.site, now=time, settle=time.settle)
    return machine


@pytest.mark.long
def test_jumps_of_the_machines_clock_change_no_deadline(house: House, database_url: str) -> None:
    machine = on_a_machine(house, database_url)
    beat_once(house)
    match_id = house.begin()
    house.drain()
    before, version = deadlines(house, match_id), house.view(match_id, None).sheet.version
    for off in (YEAR, timedelta(), -YEAR, timedelta()):
        machine.off = off
        machine.go_on(seconds=31)
        beat_once(house)
        on_a_machine(house, database_url, machine)  # one that starts in the middle of it
        machine.go_on(seconds=31)
        beat_once(house)
    assert deadlines(house, match_id) == before
    assert house.view(match_id, None).sheet.version == version
    with house.site.reading() as session:
        assert session.execute(select(table(Outage))).all() == []


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_machine_that_learns_it_was_off_for_days_gives_back_that_time(house: House, database_url: str) -> None:
    machine = on_a_machine(house, database_url)
    beat_once(house)
    match_id = house.begin()
    house.drain()
    (before,) = deadlines(house, match_id)
    machine.off = timedelta(days=5)  # it had gone on with the last time that it knew, and has the right one now
    for _ in range(12):
        beat_once(house)
        machine.go_on(minutes=1)
    (after,) = deadlines(house, match_id)
    assert timedelta(days=5) <= after - before <= timedelta(days=5, minutes=2)
    assert len(house.asks(match_id)) == 3


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_correcting_a_wrong_adopted_clock_plays_no_automatic_move(house: House, database_url: str) -> None:
    machine = on_a_machine(house, database_url)
    beat_once(house)
    match_id = house.begin()
    house.drain()
    (before,) = deadlines(house, match_id)
    for off in (YEAR, timedelta()):
        machine.off = off
        for _ in range(12):
            beat_once(house)
            machine.go_on(minutes=1)
        assert len(house.asks(match_id)) == 3
    (after,) = deadlines(house, match_id)
    assert timedelta() <= after - before <= timedelta(minutes=2)
    assert house.site.now() == machine.wall
