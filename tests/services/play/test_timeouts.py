"""Deadlines: the clock moves at the deadline, once, and never against a move that came in time."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text
from structlog.testing import capture_logs

from pbem.errors import Stale
from pbem.kit.replay import CancelReason
from pbem.models.tables import AskRow, SeatRow, table
from pbem.services.log import cancellation, leases, locks
from pbem.services.log.table import LockedTable
from pbem.services.mail import digests, reminders
from pbem.services.play import presence, timeouts
from tests.services.letterbox import once_a_day
from tests.table import START, House, claim_of, submit_answer


@pytest.mark.long
def test_every_question_has_the_turn_time_of_its_table(house: House) -> None:
    match_id = house.begin(turn_s=7200)
    assert [ask.deadline for ask in house.asks(match_id)] == [START + timedelta(hours=2)] * 3


@pytest.mark.long
def test_at_the_deadline_the_fallback_plays_and_says_it_was_the_clock(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, 0)
    house.time_is_up(match_id)
    house.clock.forward(seconds=-1)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 2
    entries = house.view(match_id, 1).entries
    by = [(entry.by.clock, entry.by.seat) for entry in entries if entry.key and entry.key.startswith("t0.")]
    assert by[0] == (None, 0)
    assert {*by[1:]} == {(1, None), (2, None)}


@pytest.mark.long
def test_an_expired_question_is_answered_by_the_clock_only_once(house: House) -> None:
    match_id = house.begin()
    house.time_is_up(match_id)
    due = [(match_id, ask.key, ask.seat) for ask in house.asks(match_id)]
    assert [timeouts.answer_expired_ask(house.site, *one) for one in due] == [True] * 3
    assert [timeouts.answer_expired_ask(house.site, *one) for one in due] == [False] * 3


@pytest.mark.long
def test_a_move_at_the_last_second_wins_against_the_clock(house: House) -> None:
    match_id = house.begin()
    ask = house.asks(match_id)[0]
    house.time_is_up(match_id)
    house.play(match_id, ask.seat)
    assert timeouts.answer_expired_ask(house.site, match_id, ask.key, ask.seat) is False


@pytest.mark.long
def test_a_move_after_the_clock_played_is_refused_with_an_explanation(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 0)
    assert view.ask is not None
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    with pytest.raises(Stale, match="the clock moved for you"):
        submit_answer(house.site, match_id, 0, view.ask.key, view.legal()[0], "web")


@pytest.mark.long
def test_a_match_played_by_the_clock_alone_ends(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1}, turn_s=60)
    for _ in range(3000):
        if not house.asks(match_id):
            break
        presence.end_own_absence(house.site, claim_of(house.site, match_id, 0))
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    assert house.view(match_id, None).sheet.status == "over"


def test_an_ask_that_follows_at_once_keeps_the_turns_deadline(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    house.clock.forward(hours=5)
    while True:
        before = house.asks(match_id)[0]
        house.play(match_id, before.seat)
        after = house.asks(match_id)[0]
        if (after.seat, after.turn) == (before.seat, before.turn):
            break
    assert after.deadline == before.deadline
    assert after.origin == before.origin


def test_the_clock_silently_ignores_unknown_and_unmailed_questions(house: House) -> None:
    match_id = house.begin()
    waiting = house.asks(match_id)[0]
    with capture_logs() as said:
        assert timeouts.answer_expired_ask(house.site, match_id, "t99.nothing", 0) is False
        assert timeouts.answer_expired_ask(house.site, match_id, waiting.key, waiting.seat) is False, (
            "its mail has not left"
        )
    assert said == []
    assert house.asks(match_id)[0] == waiting


@pytest.mark.long
def test_the_clock_plays_only_what_was_due_when_its_sweep_began(house: House) -> None:
    match_id = house.begin()
    ask = house.asks(match_id)[0]
    house.time_is_up(match_id)
    due = house.clock.at
    house.clock.forward(hours=1)
    for moment, played in ((due - timedelta(seconds=1), False), (due, True)):
        assert timeouts.answer_expired_ask(house.site, match_id, ask.key, ask.seat, now=moment) is played


def test_the_clock_answers_only_in_running_matches(house: House) -> None:
    match_id = house.begin()
    ask = house.asks(match_id)[0]
    house.time_is_up(match_id)
    for status, played in (("paused", False), ("running", True)):
        with house.site.writing() as session:
            locks.lock_match(session, match_id).status = status
        assert timeouts.answer_expired_ask(house.site, match_id, ask.key, ask.seat) is played


@pytest.mark.on_postgresql
def test_a_match_that_cannot_be_loaded_stops_no_other_clock(house: House) -> None:
    broken, healthy = house.begin(), house.begin()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE matches SET game = 'gone' WHERE id = :id"), {"id": broken})
    house.drain()
    house.clock.forward(days=4)
    assert timeouts.sweep_deadlines(house.site) == 3
    assert {ask.kind for ask in house.asks(healthy)} != {"ally"}


def test_a_match_that_cannot_be_called_off_keeps_no_other_from_lapsing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [house.create() for _ in range(3)]

    def broken(table: LockedTable, reason: CancelReason) -> None:
        if table.id != ids[2]:
            raise ValueError("this match is broken")
        cancellation.call_off(table, reason)

    monkeypatch.setattr(timeouts, "call_off", broken)
    house.clock.forward(days=60)
    with capture_logs() as said:
        assert timeouts.cancel_lapsed_matches(house.site) == 1
    assert [house.view(match_id, None).sheet.status for match_id in ids] == ["unconfirmed", "unconfirmed", "cancelled"]
    assert {line["match"] for line in said if line["event"] == "lapse.failed"} == set(ids[:2])


def test_a_player_who_is_back_just_before_a_match_is_called_off_is_in_time(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        match = locks.lock_match(session, match_id)
        match.status, match.lapses_at = "paused", house.clock.at
        session.get_one(SeatRow, (match_id, 0)).absent = True

    def come_back_meanwhile() -> bool:
        """The sweep checks whether it is to end between reading the match and locking it."""
        presence.end_own_absence(house.site, claim_of(house.site, match_id, 0))
        return False

    with capture_logs() as said:
        assert timeouts.cancel_lapsed_matches(replace(house.site, stopping=come_back_meanwhile)) == 0
    assert said == []
    assert house.view(match_id, None).sheet.status == "running"


@pytest.mark.on_postgresql
def test_a_match_of_a_game_that_is_gone_keeps_no_other_from_lapsing(house: House) -> None:
    ids = [house.begin() for _ in range(3)]
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE matches SET status = 'paused', lapses_at = :at"), {"at": house.clock.at})
        connection.execute(text("UPDATE matches SET game = 'removed' WHERE id <> :id"), {"id": ids[2]})
    house.clock.forward(seconds=1)
    assert timeouts.cancel_lapsed_matches(house.site) >= 1
    assert house.view(ids[2], None).sheet.status == "cancelled"


@pytest.mark.on_postgresql
def test_workers_claiming_at_once_get_different_asks_without_waiting(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(days=4)
    t = table(AskRow)

    def claim() -> list[leases.AskId]:
        return leases.claim_asks(house.site, t.c.acts_at <= house.clock.at, order=t.c.seat)

    with house.site.writing() as other:
        # Another worker is in the middle of its claim.
        other.execute(select(t.c.seat).where(t.c.seat == 0).with_for_update()).all()
        if house.site.engine.dialect.name == "postgresql":  # SQLite has one writer
            assert [seat for _, _, seat in claim()] == [1, 2]
    assert {seat for _, _, seat in claim()} <= {0, 1, 2}
    assert claim() == [], "all are claimed"


@pytest.mark.long
def test_a_sweep_does_not_play_what_fell_due_while_the_machine_slept(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(minutes=1)
    times = iter([house.clock.at] * 3)  # then the service stops for four days

    def now() -> datetime:
        return next(times, house.clock.at + timedelta(days=4))

    assert timeouts.beat_and_sweep_deadlines_if_web_up(replace(house.site, now=now)) == 0
    house.clock.forward(days=4)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0
    deadlines = [ask.deadline for ask in house.asks(match_id)]
    assert deadlines == [START + timedelta(days=7)] * 3


@pytest.mark.long
def test_a_worker_that_is_told_to_end_begins_with_no_further_match(house: House) -> None:
    for _ in range(3):
        house.begin()
    house.drain()
    house.clock.forward(days=4)
    asked = iter([False, False])
    stopped = replace(house.site, stopping=lambda: next(asked, True))
    assert timeouts.sweep_deadlines(stopped) == 1
    house.clock.forward(minutes=2)  # the leases of the others end
    assert timeouts.sweep_deadlines(house.site) == 8


def test_every_sweep_starts_no_further_match_once_told_to_end(house: House) -> None:
    house.begin()
    once_a_day(house, "Carol", 9)
    house.drain()
    house.create()
    house.clock.forward(hours=60)
    house.clock.at = house.clock.at.replace(hour=9)
    stopped = replace(house.site, stopping=lambda: True)
    sweeps = (reminders.sweep_reminders, digests.queue_digests_and_reopen_mails)
    assert [sweep(stopped) for sweep in sweeps] == [0, 0]
    assert reminders.sweep_reminders(house.site) == 2
    assert digests.queue_digests_and_reopen_mails(house.site) == 1
    house.clock.forward(days=60)
    assert timeouts.cancel_lapsed_matches(stopped) == 0
    assert timeouts.cancel_lapsed_matches(house.site) == 1
