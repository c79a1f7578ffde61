"""The alarm is raised once when mails begin to wait too long, and cleared once, whatever the reason."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from structlog.testing import capture_logs

from pbem.mail.send import PermanentFailure, RelayDown, TemporaryFailure
from pbem.services.lobby import match_request, matches
from pbem.services.mail import sender
from pbem.services.monitoring import alarm, backlog, health
from pbem.services.play import timeouts
from pbem.services.who import STRANGER
from tests.services.letterbox import once_a_day
from tests.table import House, address_of

LOUD = ("outbox.ages", "outbox.caught_up")


def alarm_log_lines(act: Callable[[], object]) -> list[dict[str, Any]]:
    """Yields the log's lines about the alarm during the block."""
    with capture_logs() as lines:
        act()
    return [dict(line) for line in lines if line["event"] in LOUD]


def run_worker_for_minutes(house: House, count: int, at_once: int = 1) -> list[str]:
    """Advances the clock by this many minutes with the worker running; returns the log's lines about the alarm."""
    said = []
    for _ in range(0, count, at_once):
        house.clock.forward(minutes=at_once)
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
        said += [line["event"] for line in alarm_log_lines(lambda: (house.drain(), alarm.watch_mails(house.site)))]
    return said


@pytest.mark.long
@pytest.mark.parametrize(
    "trouble",
    [
        RelayDown("connection refused"),
        TemporaryFailure(451, "4.3.2 not accepting mail", "data"),
        PermanentFailure(550, "5.7.1 relaying denied", "recipient"),
    ],
)
def test_a_mail_server_that_takes_nothing_is_logged_once_like_its_return(house: House, trouble: Exception) -> None:
    house.create()
    house.mail.failing = trouble
    house.drain()
    assert run_worker_for_minutes(house, 10) == []
    assert run_worker_for_minutes(house, 60, at_once=5) == ["outbox.ages"]
    house.mail.failing = None
    assert run_worker_for_minutes(house, 80, at_once=5) == ["outbox.caught_up"], (
        "the next try is at most an hour and a quarter away"
    )
    assert len(house.mail.all_sent) == 1


def test_the_mail_alarms_log_line_gives_age_and_number_without_names(house: House) -> None:
    house.begin()
    house.clock.forward(seconds=601)
    (line,) = alarm_log_lines(lambda: alarm.watch_mails(house.site))
    assert (line["seconds"], line["log_level"]) == (601, "error")
    assert line["mails"] == sum(line["kinds"].values())
    assert line["kinds"]["turn"] == 3
    assert not any(name.lower() in str(line).lower() for name in ("alice", "bob", "example"))


@pytest.mark.long
def test_a_recipient_whose_server_puts_a_mail_off_raises_no_alarm(house: House) -> None:
    house.begin()
    house.mail.refusing = {address_of("Bob"): TemporaryFailure(452, "4.2.2 mailbox full", "recipient")}
    house.drain()
    assert run_worker_for_minutes(house, 180, at_once=10) == []


@pytest.mark.long
def test_during_the_mail_alarm_clocks_play_and_banks_are_charged(house: House) -> None:
    match_id = house.begin(turn_s=3600, bank_s=3600, increment_s=0)
    house.drain()
    house.mail.refusing = {address_of("Dave"): PermanentFailure(550, "5.7.1 not accepted by policy", "recipient")}
    people = [match_request.Invitee(name, address_of(name)) for name in ("Dave", "Alice", "Bob")]
    matches.create_match(house.site, STRANGER, match_request.NewMatch("hogen", people))
    assert run_worker_for_minutes(house, 40, at_once=5) == ["outbox.ages"]
    with house.site.reading() as session:
        assert backlog.ages_of_silent_heartbeats(session.connection(), house.clock()) == {}
    house.play(match_id, 0)
    banks = [seat.bank_s for seat in house.view(match_id, None).sheet.seats]
    assert banks[0] == 20 * 60, "he has thought for 40 minutes"
    before = house.view(match_id, None).sheet.version
    run_worker_for_minutes(house, 40, at_once=5)
    assert house.view(match_id, None).sheet.version > before, "the clock has moved for the two others"


@pytest.mark.long
def test_mails_held_back_or_left_to_the_digest_raise_no_alarm(house_that_holds: House) -> None:
    house_that_holds.begin()
    once_a_day(house_that_holds, "Bob", 18)
    assert run_worker_for_minutes(house_that_holds, 60, at_once=3) == []


def test_the_mail_alarm_is_raised_after_the_configured_wait(make_house: Callable[..., House]) -> None:
    house = make_house(mail_late_s=3600)
    house.create()
    house.clock.forward(minutes=59)
    assert alarm_log_lines(lambda: alarm.watch_mails(house.site)) == []
    house.clock.forward(minutes=2)
    assert len(alarm_log_lines(lambda: alarm.watch_mails(house.site))) == 1


def test_of_two_simultaneous_checks_one_logs_the_mail_alarm(house: House) -> None:
    house.create()
    house.clock.forward(minutes=11)
    with ThreadPoolExecutor(4) as pool:
        lines = alarm_log_lines(lambda: list(pool.map(lambda _: alarm.watch_mails(house.site), range(4))))
    assert [line["event"] for line in lines] == ["outbox.ages"]
    house.drain()
    with ThreadPoolExecutor(4) as pool:
        lines = alarm_log_lines(lambda: list(pool.map(lambda _: alarm.watch_mails(house.site), range(4))))
    assert [line["event"] for line in lines] == ["outbox.caught_up"]


def test_a_mail_that_waits_long_makes_the_site_degraded_but_ready(house: House) -> None:
    house.create()
    found = health.read_health(house.site.config, house.clock())
    assert (found.mail, found.readiness_word) == ("ok", "ready")
    house.clock.forward(minutes=11)
    found = health.read_health(house.site.config, house.clock())
    assert (found.mail, found.readiness_word, found.ready) == ("late", "degraded", True)


def test_mails_left_after_a_run_count_their_whole_wait(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "RUN", 1)
    house.begin()
    house.clock.forward(minutes=30)
    sender.drain(house.site, lambda: house.mail)
    with house.site.reading() as session:
        due = backlog.combine_due_of_kinds(backlog.mails_due_by_kind(session.connection(), house.clock()))
    assert due.age_s == 1800
