"""A notification goes ahead of the mail: it starts the clock, and the mail follows if nobody opens it."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec
import pytest
from py_vapid import Vapid02
from sqlalchemy import text, update
from sqlmodel import select

from pbem.errors import Busy
from pbem.features import safe_http
from pbem.features.push import ahead, notices, subscriptions
from pbem.features.push.notices import opaque_name_of_mail
from pbem.features.push.subscriptions import PER_SEAT
from pbem.features.push.tables import PushSubscription
from pbem.features.safe_http import Answer
from pbem.mail.send import RelayDown
from pbem.models.tables import AskRow, OutboxRow
from pbem.services.clock import holidays
from pbem.services.mail import claims, digests, reminders
from pbem.services.players import players
from pbem.services.tokens import NeverClaim
from pbem.services.views import seats
from tests.features.push.device import Phone, device_with_receiver, devices_of, subscribe_device_to_seat
from tests.features.webhooks.hook_receiver import Receiver
from tests.harness.sent import statements_to
from tests.harness.waiting import SECONDS
from tests.services.letterbox import id_of, kinds_of_mails, once_a_day, player_of
from tests.table import House, claim_of

WAIT = {"seconds": 3601}


def mails_of(house: House, kind: str, seat: int) -> list[OutboxRow]:
    """Returns the seat's mails of this kind, oldest first."""
    with house.site.reading() as session:
        mine = select(OutboxRow).where(OutboxRow.kind == kind, OutboxRow.seat == seat)
        return [*session.exec(mine.order_by(OutboxRow.id))]  # type: ignore[arg-type]  # a column


def ask_of(house: House, match_id: str, seat: int) -> AskRow:
    """Returns the open question to the seat."""
    with house.site.reading() as session:
        asked = select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == seat)
        return next(ask for ask in session.exec(asked) if ask.closed_at is None)


@pytest.fixture
def table(house: House, there: Receiver) -> tuple[str, Phone]:
    """A match that has begun, with Bob's device subscribed."""
    match_id = house.begin()
    return match_id, subscribe_device_to_seat(house, match_id, 1, device_with_receiver(there))


Table = tuple[str, Phone]


@pytest.mark.long
def test_a_delivered_notification_starts_the_clock_and_delays_the_mail(
    house: House, there: Receiver, table: Table
) -> None:
    match_id, device = table
    assert ask_of(house, match_id, 1).mailed_at is None
    house.drain()
    (got,) = there.got
    said = device.read(got)
    assert said["title"] == "Hogen · your turn"
    assert said["url"].endswith(f"/play/{house.token('play', match_id, 1)}")
    asked = ask_of(house, match_id, 1)
    assert asked.mailed_at == house.clock()
    assert asked.acts_at is not None
    (row,) = mails_of(house, "turn", 1)
    assert (row.pushed_at, row.done_at, row.claimed_until) == (house.clock(), None, None)
    assert "turn" not in kinds_of_mails(house, "bob")
    assert "turn" in kinds_of_mails(house, "alice")
    assert said["mail"] == opaque_name_of_mail(house.site, row.dedupe)


@pytest.mark.long
def test_an_unopened_notification_is_followed_by_a_mail(house: House, there: Receiver, table: Table) -> None:
    match_id, _ = table
    house.drain()
    before = ask_of(house, match_id, 1)
    house.clock.forward(seconds=3599)
    assert house.drain() == 0
    house.clock.forward(seconds=2)
    assert house.drain() == 1
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert mails_of(house, "turn", 1)[0].result == "sent"
    after = ask_of(house, match_id, 1)
    assert (after.mailed_at, after.deadline) == (before.mailed_at, before.deadline)
    assert len(there.got) == 1


@pytest.mark.long
def test_a_notification_that_is_opened_is_followed_by_no_mail(house: House, table: Table) -> None:
    match_id, _ = table
    house.drain()
    (row,) = mails_of(house, "turn", 1)
    subscriptions.note_opened(
        house.site, claim_of(house.site, match_id, 1), opaque_name_of_mail(house.site, row.dedupe)
    )
    house.clock.forward(**WAIT)
    assert house.drain() == 0
    assert mails_of(house, "turn", 1)[0].result == "opened"
    assert "turn" not in kinds_of_mails(house, "bob")


@pytest.mark.on_postgresql
def test_a_notification_opened_before_its_sending_commits_stops_the_mail(
    house: House, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, _ = table
    (row,) = mails_of(house, "turn", 1)
    mail, notify = opaque_name_of_mail(house.site, row.dedupe), ahead.notify_devices

    def open_at_once(*given: Any) -> list[subscriptions.Call]:
        calls = notify(*given)
        subscriptions.note_opened(house.site, claim_of(house.site, match_id, 1), mail)
        return calls

    monkeypatch.setattr(ahead, "notify_devices", open_at_once)
    house.drain()
    house.clock.forward(**WAIT)
    house.drain()
    assert mails_of(house, "turn", 1)[0].result == "opened"


@pytest.mark.long
def test_a_notification_opened_before_a_crash_needs_no_repeat_and_no_mail(
    house: House, there: Receiver, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, _ = table
    (row,) = mails_of(house, "turn", 1)
    mail = opaque_name_of_mail(house.site, row.dedupe)

    def open_before_a_crash(*_: object) -> None:
        raise Busy("just now")

    with monkeypatch.context() as broken:
        broken.setattr("pbem.features.push.ahead.start_clocks", open_before_a_crash)
        with pytest.raises(Busy):
            house.drain()
    subscriptions.note_opened(house.site, claim_of(house.site, match_id, 1), mail)
    house.clock.forward(seconds=claims.LEASE.total_seconds() + 1)
    house.drain()
    assert len(there.got) == 1
    assert mails_of(house, "turn", 1)[0].result == "opened"
    assert "turn" not in kinds_of_mails(house, "bob")
    assert ask_of(house, match_id, 1).mailed_at == house.clock()


@pytest.mark.long
def test_a_mail_that_has_left_cannot_be_opened_as_a_notification(house: House, table: Table) -> None:
    match_id, _ = table
    house.drain()
    house.clock.forward(**WAIT)
    house.drain()
    (row,) = mails_of(house, "turn", 1)
    subscriptions.note_opened(
        house.site, claim_of(house.site, match_id, 1), opaque_name_of_mail(house.site, row.dedupe)
    )
    assert mails_of(house, "turn", 1)[0].opened_at is None


@pytest.mark.on_postgresql
def test_nobody_is_reminded_within_an_hour_of_having_opened_a_notification(house: House, table: Table) -> None:
    match_id, _ = table
    house.drain()
    (row,) = mails_of(house, "turn", 1)
    house.clock.at = ask_of(house, match_id, 1).remind_at or house.clock.at
    with house.site.engine.begin() as connection:  # a minute ago
        closed = "UPDATE outbox SET done_at = :ago, result = 'opened' WHERE id = :row"
        connection.execute(text(closed), {"ago": house.clock.at - timedelta(minutes=1), "row": row.id})
    reminders.sweep_reminders(house.site)
    assert mails_of(house, "reminder", 1) == []
    house.clock.forward(hours=1)
    reminders.sweep_reminders(house.site)
    assert len(mails_of(house, "reminder", 1)) == 1


@pytest.mark.on_postgresql
def test_only_the_seat_itself_says_that_its_notification_was_opened(house: House, table: Table) -> None:
    match_id, _ = table
    house.drain()
    (row,), (other,) = mails_of(house, "turn", 1), mails_of(house, "turn", 0)
    its, others = (opaque_name_of_mail(house.site, one.dedupe) for one in (row, other))
    for seat, mail in ((0, its), (1, others), (1, "nothing")):
        subscriptions.note_opened(house.site, claim_of(house.site, match_id, seat), mail)
    assert mails_of(house, "turn", 1)[0].opened_at is None
    house.clock.forward(**WAIT)
    assert house.drain() == 1


@pytest.mark.long
def test_a_question_answered_after_its_notification_gets_no_mail(house: House, table: Table) -> None:
    match_id, _ = table
    house.drain()
    house.play(match_id, 1)
    house.clock.forward(**WAIT)
    house.drain()
    assert mails_of(house, "turn", 1)[0].result == "stale"
    assert "turn" not in kinds_of_mails(house, "bob")


@pytest.mark.long
@pytest.mark.parametrize(("turn_s", "wait_s"), [(4 * 3600, 1800), (1600, 200), (86_400 * 3, 3600)])
def test_the_mail_follows_a_notification_sooner_with_a_short_deadline(
    house: House, there: Receiver, turn_s: int, wait_s: int
) -> None:
    match_id = house.begin(turn_s=turn_s, window_s=turn_s)
    subscribe_device_to_seat(house, match_id, 1, device_with_receiver(there))
    house.drain()
    (row,) = mails_of(house, "turn", 1)
    assert row.pushed_at is not None
    assert row.due_at - row.pushed_at == timedelta(seconds=wait_s)


@pytest.mark.long
@pytest.mark.parametrize("status", [404, 410, 401, 403])
def test_an_ended_subscription_is_deleted_and_the_mail_leaves_at_once(
    house: House, there: Receiver, table: Table, status: int
) -> None:
    there.status = status
    house.drain()
    assert devices_of(house) == []
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert mails_of(house, "turn", 1)[0].pushed_at is None


@pytest.mark.long
@pytest.mark.parametrize("status", [400, 413, 429, 500, 503, 302])
def test_a_refused_notification_keeps_the_device_and_the_mail_leaves(
    house: House, there: Receiver, table: Table, status: int
) -> None:
    there.status = status
    house.drain()
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert len(devices_of(house)) == 1


@pytest.mark.on_postgresql
def test_a_device_refused_repeatedly_is_unsubscribed(
    house: House, there: Receiver, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "MOST_REFUSALS", 2)
    there.status = 400
    house.drain()
    (device,) = devices_of(house)
    assert device.refusals == 1
    match_id = house.begin()
    subscribe_device_to_seat(house, match_id, 1, Phone(device.endpoint))
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE push_subscriptions SET refusals = 1"))
    house.drain()
    assert [one.match_id for one in devices_of(house)] == [table[0]]


@pytest.mark.on_postgresql
@pytest.mark.sample(2)
@pytest.mark.parametrize(("failures", "days", "kept"), [(1, 31, True), (9, 29, True), (9, 31, False), (30, 1, True)])
def test_a_device_that_always_fails_is_dropped_after_a_month_unvisited(
    house: House, there: Receiver, table: Table, failures: int, days: int, kept: bool
) -> None:
    there.status = 503
    with house.site.engine.begin() as connection:
        before = house.clock() - timedelta(days=days)
        connection.execute(update(PushSubscription).values(refusals=failures, created_at=before))
    house.drain()
    assert [device.refusals for device in devices_of(house)] == ([failures + 1] if kept else [])
    assert kinds_of_mails(house, "bob")[-1] == "turn"


def test_skipping_a_resting_push_service_does_not_count_as_a_refusal(house: House, table: Table) -> None:
    (device,) = devices_of(house)
    ahead.RESTING[urlsplit(device.endpoint).netloc] = time.monotonic() + 60
    house.drain()
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert [one.refusals for one in devices_of(house)] == [0]
    assert house.site.counters.read()["push|turn|skipped"] == 1


@pytest.mark.on_postgresql
def test_a_device_that_accepts_again_has_its_refusals_reset(house: House, table: Table) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE push_subscriptions SET refusals = 3"))
    house.drain()
    assert [device.refusals for device in devices_of(house)] == [0]


@pytest.mark.long
def test_a_notification_delivered_to_one_of_several_devices_is_enough(
    house: House, there: Receiver, table: Table
) -> None:
    match_id, _ = table
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        deaf = f"http://127.0.0.1:{probe.getsockname()[1]}/nobody"
    subscribe_device_to_seat(house, match_id, 1, Phone(deaf))
    house.drain()
    assert len(there.got) == 1
    assert "turn" not in kinds_of_mails(house, "bob")


def test_a_notification_repeated_after_a_crash_replaces_the_first(
    house: House, there: Receiver, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, device = table
    tries = []

    def crash(*_: object) -> None:
        tries.append(house.clock.at)
        raise Busy("just now")

    with monkeypatch.context() as broken:
        broken.setattr("pbem.features.push.ahead.start_clocks", crash)
        with pytest.raises(Busy):
            house.drain()
    assert len(tries) == 5
    assert ask_of(house, match_id, 1).mailed_at is None
    house.clock.forward(seconds=claims.LEASE.total_seconds() + 1)
    house.drain()
    first, second = there.got
    assert first.headers["topic"] == second.headers["topic"]
    assert [device.read(got)[name] for got in (first, second) for name in ("tag", "mail")][:2] == [
        device.read(second)[name] for name in ("tag", "mail")
    ]
    assert ask_of(house, match_id, 1).mailed_at == house.clock()


def test_a_renewed_link_ends_the_notifications_of_the_old_one(house: House, there: Receiver, table: Table) -> None:
    match_id, _ = table
    seats.renew_link(house.site, claim_of(house.site, match_id, 1))
    house.drain()
    assert there.got == []
    assert "turn" in kinds_of_mails(house, "bob")


@pytest.mark.long
def test_a_muted_seat_is_not_notified(house: House, there: Receiver, table: Table) -> None:
    match_id, _ = table
    seats.mute(house.site, house.claim("mute", match_id, 1), True)
    house.drain()
    assert there.got == []
    assert mails_of(house, "turn", 1)[0].result == "muted"


@pytest.mark.sample(1)
@pytest.mark.parametrize("how", ["stopped", "bounces"])
def test_a_device_is_notified_though_mail_to_its_player_is_stopped(
    house: House, there: Receiver, table: Table, how: str
) -> None:
    if how == "stopped":
        never = house.site.tokens.sign_for(NeverClaim, id_of(house, "Bob"), "bob@example.org")
        players.suppress_by_link(house.site, house.tokens.read(NeverClaim, never))
    else:
        with house.site.engine.begin() as connection:
            connection.execute(text("UPDATE players SET bounced_at = created_at WHERE canonical LIKE 'bob%'"))
    house.drain()
    assert len(there.got) == 1
    house.clock.forward(**WAIT)
    house.drain()
    assert mails_of(house, "turn", 1)[0].result == {"stopped": "suppressed", "bounces": "bounced"}[how]
    assert "turn" not in kinds_of_mails(house, "bob")


@pytest.mark.long
def test_a_digest_reader_gets_a_notification_at_once_and_then_a_turn_mail(
    house: House, there: Receiver, table: Table
) -> None:
    match_id, _ = table
    once_a_day(house, "Bob", 7)
    house.drain()
    assert len(there.got) == 1
    asked = ask_of(house, match_id, 1)
    assert asked.mailed_at == house.clock()
    house.clock.forward(**WAIT)
    house.drain()
    assert mails_of(house, "turn", 1)[0].result == "sent", "the digest may come too late for the clock that runs"
    house.clock.forward(days=1)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    assert kinds_of_mails(house, "bob")[-1] == "digest"
    assert ask_of(house, match_id, 1).mailed_at == asked.mailed_at


@pytest.mark.long
def test_reminders_and_the_end_of_a_match_are_notified_too(house: House, there: Receiver, table: Table) -> None:
    match_id, device = table
    house.drain()
    house.clock.forward(**WAIT)
    house.drain()
    house.clock.at = ask_of(house, match_id, 1).remind_at or house.clock.at
    reminders.sweep_reminders(house.site)
    house.drain()
    assert device.read(there.got[-1])["title"] == "Hogen · still your turn"
    assert there.got[-1].headers["urgency"] == "high"
    house.play_out(match_id)
    house.drain()
    last = device.read(there.got[-1])
    assert last["title"] == "Hogen · over"
    assert last["tag"] == device.read(there.got[0])["tag"]
    assert "over" not in kinds_of_mails(house, "bob")
    house.clock.forward(**WAIT)
    house.drain()
    assert kinds_of_mails(house, "bob")[-1] == "over"


@pytest.mark.long
def test_a_push_message_is_signed_for_its_service_and_expires_with_a_turn(
    house: House, there: Receiver, table: Table
) -> None:
    match_id, _ = table
    house.drain()
    (got,) = there.got
    assert Vapid02.verify(got.headers["authorization"])
    token, key = (part.partition("=")[2] for part in got.headers["authorization"].split(" ")[1].split(","))
    assert key == subscriptions.public_key(house.site.config.secret)
    claims = msgspec.json.decode(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    now = house.clock().timestamp()
    assert claims["aud"] == there.url("")
    assert now < claims["exp"] <= now + 86_400
    assert claims["sub"] == f"mailto:{house.site.config.mail_from}"
    left = (ask_of(house, match_id, 1).deadline or house.clock()) - house.clock()
    assert int(got.headers["ttl"]) == left.total_seconds()
    assert got.headers["urgency"] == "normal"
    assert len(got.headers["topic"]) == 32
    assert got.headers["content-encoding"] == "aes128gcm"


@pytest.mark.long
def test_a_notification_has_no_names_and_is_in_the_readers_language(house: House, there: Receiver) -> None:
    match_id = house.begin()
    device = subscribe_device_to_seat(house, match_id, 0, device_with_receiver(there))  # Alice reads French
    house.drain()
    said = device.read(there.got[0])
    assert said["title"] == "Hogen · à vous"
    assert "heure de Paris" in said["body"]
    assert not any(name in str(said) for name in ("Alice", "Bob", "Carol", "@"))


@pytest.mark.on_postgresql
def test_a_site_that_may_not_call_its_own_network_calls_none_for_a_device(
    make_house: Callable[..., House], there: Receiver
) -> None:
    """A row that another setting, or another address of the name, has let in."""
    house = make_house()
    match_id = house.begin()
    subscribe_device_to_seat(house, match_id, 1, Phone("https://push.example.org/1"))
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE push_subscriptions SET endpoint = :url"), {"url": there.url()})
    house.drain()
    assert there.got == []
    assert kinds_of_mails(house, "bob")[-1] == "turn"


@pytest.mark.long
def test_a_silent_push_service_is_not_called_again_for_a_while(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []

    def call(url: str, *_: object, life_s: float, **__: object) -> Answer:
        assert life_s <= 5
        called.append(url)
        return Answer(error="timeout")

    monkeypatch.setattr(safe_http, "post_safely", call)
    for n in range(3):
        subscribe_device_to_seat(house, house.begin(), 1, Phone(f"https://slow.example.org/{n}"))
    subscribe_device_to_seat(house, house.begin(), 1, Phone("https://other.example.org/"))
    house.drain()
    assert len(called) == 2
    assert kinds_of_mails(house, "bob").count("turn") == 4


@pytest.mark.long
def test_the_list_of_resting_push_services_is_limited_and_pruned(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("pbem.features.push.ahead.time.monotonic", lambda: now[0])
    monkeypatch.setattr(safe_http, "post_safely", lambda *_, **__: Answer(error="timeout"))
    monkeypatch.setattr(ahead, "MOST_RESTING", 3)

    def fail(*servers: str) -> list[str]:
        for server in servers:
            subscribe_device_to_seat(house, house.begin(), 1, Phone(f"https://{server}.example.org/"))
            house.drain()
        return [name.partition(".")[0] for name in ahead.RESTING]

    assert fail("a", "b", "c", "d") == ["b", "c", "d"]
    now[0] += 30
    assert fail("e") == ["c", "d", "e"]
    now[0] += 31
    assert fail("c") == ["e", "c"]


def test_the_devices_of_a_seat_are_called_in_parallel_and_briefly(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat with as many slow devices as it may have costs a worker one call's time."""
    match_id = house.begin()
    for n in range(PER_SEAT):
        subscribe_device_to_seat(house, match_id, 1, Phone(f"https://slow{n}.example.org/"))
    all_called, lives = threading.Barrier(PER_SEAT), []

    def call(*_: object, life_s: float, **__: object) -> Answer:
        lives.append(life_s)
        all_called.wait(SECONDS)  # one after the other, the first would wait in vain
        return Answer(status=201)

    monkeypatch.setattr(safe_http, "post_safely", call)
    house.drain()
    assert lives == [ahead.CALL_S] * PER_SEAT
    assert house.site.counters.read()["push|turn|accepted"] == PER_SEAT


@pytest.mark.long
def test_a_push_service_that_answers_drop_by_drop_is_cut_off(
    house: House, monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """It sends a byte now and then, for ever, and never says what its answer is; no single read takes long."""
    monkeypatch.setattr(ahead, "CALL_S", 0.3)
    ended = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 ")
            while not ended.wait(0.02):
                connection.sendall(b"x")
        ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,), daemon=True)
        thread.start()
        with house.site.engine.begin() as connection:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            connection.execute(text("UPDATE push_subscriptions SET endpoint = :url"), {"url": url})
        house.drain()
        assert ended.wait(SECONDS), "the call has ended by itself"
        thread.join(SECONDS)
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert [one.refusals for one in devices_of(house)] == [1]


# --- quiet hours ---------------------------------------------------------------------------------------------


def sleep_at(house: House, name: str) -> None:
    """Gives one of the cast quiet hours that have just begun, and end in a few hours."""
    hour = house.clock().astimezone(ZoneInfo(player_of(house, name).zone)).hour
    holidays.set_clock_hours(house.site, id_of(house, name), False, (hour, (hour + 3) % 24))


@pytest.mark.long
def test_in_quiet_hours_only_the_mail_is_sent_and_starts_the_clock(house: House, there: Receiver, table: Table) -> None:
    match_id, _ = table
    sleep_at(house, "Bob")
    house.drain()
    assert there.got == []
    assert kinds_of_mails(house, "bob")[-1] == "turn"
    assert ask_of(house, match_id, 1).mailed_at == house.clock()
    assert ask_of(house, match_id, 0).mailed_at == house.clock()


def test_on_a_day_off_no_device_is_notified(house: House, there: Receiver, table: Table) -> None:
    today = house.clock().astimezone(ZoneInfo(player_of(house, "Bob").zone)).date()
    holidays.add_holiday(house.site, id_of(house, "Bob"), today, today)
    house.drain()
    assert there.got == []
    assert kinds_of_mails(house, "bob")[-1] == "turn"


@pytest.mark.long
def test_after_the_quiet_hours_the_reminder_is_a_notification(house: House, there: Receiver, table: Table) -> None:
    match_id, device = table
    sleep_at(house, "Bob")
    house.drain()
    house.clock.forward(hours=3)
    house.clock.at = max(house.clock.at, ask_of(house, match_id, 1).remind_at or house.clock.at)
    reminders.sweep_reminders(house.site)
    house.drain()
    assert device.read(there.got[-1])["title"] == "Hogen · still your turn"


@pytest.mark.long
def test_a_relay_that_is_down_does_not_keep_a_notification_back(house: House, there: Receiver, table: Table) -> None:
    match_id, _ = table
    house.play(match_id, 0)
    house.play(match_id, 2)
    house.mail.failing = RelayDown("connection refused")
    for _n in range(8):
        house.drain()
        house.clock.forward(seconds=31)
    assert len(there.got) == 1
    assert ask_of(house, match_id, 1).mailed_at is not None


@pytest.mark.long
def test_a_mail_to_a_seat_without_devices_queries_no_subscriptions(house: House) -> None:
    house.begin()
    with statements_to(house.site.engine) as said:
        house.drain()
    assert len(house.mail.all_sent) == 3
    assert not any("FROM push_subscriptions" in one and "FROM outbox" not in one for one in said)


@pytest.mark.long
def test_metrics_count_the_outcomes_of_notifications(house: House, there: Receiver, table: Table) -> None:
    house.drain()
    assert house.site.counters.read()["push|turn|accepted"] == 1


@pytest.mark.long
def test_no_log_line_contains_a_push_endpoint(
    house: House, there: Receiver, table: Table, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    there.status = 400
    house.drain()
    said = capsys.readouterr().out + caplog.text
    assert "push.refused" in said
    assert "/push/1" not in said


def test_a_notification_that_cannot_be_written_holds_up_no_mail(
    house: House, there: Receiver, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(notices, "notice_for", broken)
    house.drain()
    assert there.got == []
    assert "turn" in kinds_of_mails(house, "bob")
