"""What is due and leaves: claimed, sent, put off, given up, and told to the host."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from sqlalchemy import text
from sqlmodel import select

from pbem.errors import Busy, GameUnavailable
from pbem.features.push import ahead
from pbem.features.push.notices import Notice
from pbem.features.push.subscriptions import Call
from pbem.features.push.tables import PushSubscription
from pbem.games import find_game
from pbem.mail import compose
from pbem.mail.compose import TooLarge
from pbem.mail.send import PermanentFailure, RelayDown, TemporaryFailure
from pbem.models.clocks import Heartbeat
from pbem.models.tables import AskRow, Match, OrderRow, OutboxRow
from pbem.services.mail import alarms, claims, closing, sender
from tests.services.chronicles.chronicle import Chronicle
from tests.table import START, House

SETTINGS = {"matches_per_address_day": 2}


def tell(house: House, told: Chronicle) -> None:
    with patch.object(random, "uniform", lambda low, high: (low + 3 * high) / 4):
        _tell_claiming(house, told)
        _tell_failing(house, told)
        _tell_written_letters(house, told)
        _tell_order_of_sending(house, told)
        _tell_push(house, told)
    _tell_alarms(house, told)
    _tell_undrawn(house, told)


def _drains(house: House) -> Callable[[], int]:
    return lambda: sender.drain(house.site, lambda: house.mail)


def _close_due_mails(house: House, told: Chronicle) -> None:
    """No mail is due any more."""
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = created_at, result = 'sent' WHERE done_at IS NULL"))
    told.skip()


def _tell_claiming(house: House, told: Chronicle) -> None:
    told.part("claiming")
    site = house.site
    told.do("nothing is due", lambda: claims.claim_longest_due_mail(site))
    house.create()
    house.clock.forward(seconds=1)
    house.create()
    with site.writing() as work:
        work.get_one(OutboxRow, 1).due_at = START + timedelta(minutes=1)
    told.skip()
    told.do("the second one is due first", lambda: claims.claim_longest_due_mail(site))
    told.do("the first is not due yet", lambda: claims.claim_longest_due_mail(site))
    house.clock.forward(minutes=1)
    told.do("it is", lambda: claims.claim_longest_due_mail(site))
    house.clock.at = START + timedelta(minutes=5, seconds=1)
    told.do("a lease has not ended", lambda: claims.claim_longest_due_mail(site))
    house.clock.forward(microseconds=1)
    told.do("it has", lambda: claims.claim_longest_due_mail(site))
    house.clock.forward(minutes=6)
    with patch.object(sender, "RUN", 1):
        told.do("one leaves in a run", _drains(house))
    told.do(
        "one, while the process stops",
        lambda: sender.drain(replace(site, stopping=lambda: True), lambda: house.mail),
    )
    told.do("again, for the host", lambda: sender.make_mail_due_again(site, 1))
    told.do("it leaves again", _drains(house))
    try:
        sender.make_mail_due_again(site, 99)
    except LookupError as none:
        told.do("none", none.__str__)


def _tell_failing(house: House, told: Chronicle) -> None:
    told.part("failures")
    site = house.site
    house.create()
    told.skip()
    house.mail.failing = TemporaryFailure(451, "4.3.0 later", "data")
    for n in range(3):
        told.do(f"it is deferred, {n + 1}", _drains(house))
        house.clock.forward(minutes=5)
    house.mail.failing = TemporaryFailure(450, "4.2.1 mailbox busy", "recipient")
    told.do("because of the address", _drains(house))
    house.clock.forward(hours=1)
    house.mail.failing = OSError("disk full")
    told.do("it cannot be written", _drains(house))
    house.clock.forward(hours=1)
    house.mail.failing = RelayDown("connection refused")
    told.do("the relay is down", _drains(house))
    house.clock.forward(seconds=60)
    house.create()
    told.skip()
    house.mail.failing = None
    with site.writing() as work:
        work.get_one(OutboxRow, 3).claimed_until = house.clock.at + timedelta(minutes=1)
    told.skip()
    told.do("a later mail leaves", _drains(house))
    house.clock.forward(minutes=2)
    house.mail.failing = RelayDown("cut off")
    told.do("the relay breaks off at the earlier one", _drains(house))
    house.clock.forward(hours=2)
    house.mail.failing = PermanentFailure(550, "5.1.1 no such user", "recipient")
    told.do("it is refused for good", _drains(house))
    house.create()
    with site.writing() as work:
        work.get_one(OutboxRow, 5).attempts = 200
    told.skip()
    house.mail.failing = PermanentFailure(552, "5.3.4 too big", "data")
    house.clock.forward(days=6)
    told.do("one is refused for its content after days", _drains(house))
    house.mail.failing = None
    _close_due_mails(house, told)


def _tell_written_letters(house: House, told: Chronicle) -> None:
    told.part("what cannot be written")
    house.create()
    told.skip()

    def fails(error: Exception) -> Callable[[], int]:
        def run() -> int:
            with patch.object(sender, "compose_mail", side_effect=error):
                return _drains(house)()

        return run

    told.do("a fault", fails(ZeroDivisionError()))
    house.clock.forward(seconds=40)
    told.do("again", fails(ZeroDivisionError()))
    house.clock.forward(minutes=16)
    told.do("a quarter of an hour later", fails(ZeroDivisionError()))
    house.clock.forward(hours=1)
    told.do("the game is away", fails(GameUnavailable("away")))
    house.clock.forward(hours=1)
    told.do("it is too large", fails(TooLarge("large")))
    house.clock.forward(minutes=59, seconds=59)
    told.do("nearly an hour later", fails(TooLarge("large")))
    house.clock.forward(seconds=1)
    with house.site.writing() as work:
        work.get_one(OutboxRow, 6).claimed_until = None
    told.skip()
    told.do("an hour later", fails(TooLarge("large")))
    house.create()
    told.skip()
    try:
        fails(Busy("busy"))()
    except Busy:
        told.do("the database is busy", lambda: None)
    _close_due_mails(house, told)


def _tell_order_of_sending(house: House, told: Chronicle) -> None:
    told.part("turn mails and orders")
    site = house.site
    with site.engine.begin() as connection:
        connection.execute(text("UPDATE players SET bounced_at = NULL, bounced_why = NULL"))
    match_id = house.begin(3)
    told.do("the mails of a match leave", _drains(house))
    asked = house.asks(match_id)[0]
    with site.writing() as work:
        row = work.exec(select(OutboxRow).where(OutboxRow.kind == "turn", OutboxRow.seat == asked.seat)).one()
        work.add(OrderRow(match_id=match_id, seat=asked.seat, version=1, body="", via="api"))
        number = row.id
    told.skip()
    for upto in (3, 2, 4):
        news = [(match_id, asked.seat, upto), (match_id, 2, upto)]
        told.do(f"news up to {upto} are told", lambda news=news: closing.note_order_news_told(site, news))  # type: ignore[misc]
    with site.writing() as work:
        work.get_one(Match, match_id).ordering = 1
        work.get_one(OrderRow, (match_id, asked.seat)).body = "[]"
        ask = work.exec(select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == asked.seat)).one()
        ask.follow_at = site.now() + timedelta(seconds=90)
        row = work.get_one(OutboxRow, number)
        row.done_at = row.result = None
    told.skip()
    told.do("one waits for an order", _drains(house))
    house.clock.forward(seconds=99)
    told.do("a second before", _drains(house))
    house.clock.forward(seconds=1)
    told.do("no longer", _drains(house))
    _close_due_mails(house, told)


def _tell_push(house: House, told: Chronicle) -> None:
    told.part("devices")
    site = house.site
    match_id = house.begin(2, "niigata")
    told.skip()
    asked = house.asks(match_id)[0]
    for device in ("a", "b"):
        with site.writing() as work:
            work.add(PushSubscription(
                match_id=match_id, seat=asked.seat, device=device, epoch=0, endpoint="https://push.example/1",
                p256dh="k", auth="s", created_at=site.now(),
            ))  # fmt: skip
    told.skip()

    def calls(*results: Any) -> Callable[..., Any]:
        def run() -> Any:
            seen: list[Notice] = []

            def notify(_site: Any, devices: list[PushSubscription], notice: Notice) -> list[Call]:
                seen.append(notice)
                return [Call(one, result) for one, result in zip(devices, results, strict=True)]

            with patch.object(ahead, "notify_devices", notify):
                sent = _drains(house)()
            return sent, seen

        return run

    anew = (
        "done_at = NULL, result = NULL, pushed_at = NULL, opened_at = NULL, due_at = created_at, claimed_until = NULL"
    )

    def again() -> None:
        with site.engine.begin() as connection:
            of = text(f"UPDATE outbox SET {anew} WHERE kind = 'turn' AND match_id = :match")
            connection.execute(of, {"match": match_id})
        told.skip()

    told.do("one has it", calls("failed", "accepted"))
    house.clock.forward(hours=2)
    told.do("nobody has opened it: the mail follows", calls())
    again()
    told.do("none has it: the mail leaves", calls("failed", "failed"))
    again()
    told.do("none was called", calls("skipped", "skipped"))
    again()
    told.do("one is gone", calls("gone", "failed"))
    for until in (None, 0, 8 * 60, 9 * 3600, 10**7):
        notice: Any = replace(_notice(), until=site.now() + timedelta(seconds=until) if until is not None else None)
        told.do(f"with {until} seconds left",
                lambda notice=notice: ahead.delay_of_mail(site, notice, site.now()))  # type: ignore[misc]  # fmt: skip
    notice = replace(_notice(), until=site.now() - timedelta(seconds=1))
    told.do("with none left", lambda: ahead.delay_of_mail(site, notice, site.now()))


def _notice() -> Notice:
    return Notice(row=1, mail="m", tag="t", lang="en", title="", body="", url="/", stop="", urgency="high", ttl_s=1,
                  until=None)  # fmt: skip


def _tell_alarms(house: House, told: Chronicle) -> None:
    told.part("alarms")
    site = house.site
    now = site.now()
    with site.writing() as work:
        for row in work.exec(select(Heartbeat)).all():
            work.delete(row)
    told.skip()

    def standing() -> Any:
        with site.reading() as session:
            return alarms.standing_alarms(session.connection())

    told.do("none stands", standing)
    told.do("one is raised", lambda: alarms.raise_alarm(site, alarms.LATE, now))
    told.do("and again", lambda: alarms.raise_alarm(site, alarms.LATE, now + timedelta(hours=1)))
    told.do("it is renewed", lambda: alarms.raise_or_renew_alarm(site, alarms.LATE, now + timedelta(hours=2)))
    told.do("with an earlier moment", lambda: alarms.raise_or_renew_alarm(site, alarms.LATE, now + timedelta(hours=1)))
    for n, name in enumerate((alarms.UNSENT, alarms.UNRENDERED, alarms.SPENT, "undrawn:all:hogen", "canary")):
        alarms.raise_alarm(site, name, now + timedelta(minutes=n))
    told.skip()

    def take_over() -> None:
        with site.writing() as work:
            alarms.raise_or_renew_alarm_within(work, alarms.SPENT, now + timedelta(hours=3), (alarms.UNSENT,))

    told.do("one takes the place of another", take_over)
    told.do("those that stand", standing)
    told.do("two are ended", lambda: alarms.end_alarms(site, (alarms.SPENT, alarms.LATE)))
    told.do("and again", lambda: alarms.end_alarms(site, (alarms.SPENT, alarms.LATE)))
    alarms.end_alarms(site, (alarms.UNRENDERED, "undrawn:all:hogen"))
    told.skip()


def _tell_undrawn(house: House, told: Chronicle) -> None:
    told.part("pictures that cannot be drawn")
    site = house.site
    hogen, niigata = find_game("hogen"), find_game("niigata")
    assert hogen is not None
    assert niigata is not None

    def what_is_seen() -> Any:
        with site.reading() as session:
            return [(one.name, one.game_title, one.at) for one in alarms.picture_alarms(session.connection())]

    def standing() -> Any:
        with site.reading() as session:
            return alarms.standing_alarms(session.connection())

    with ExitStack() as broken:
        broken.enter_context(patch.object(compose, "draw_board", side_effect=ValueError("<svg>")))
        told.do("whether a board fails", lambda: alarms.why_first_board_cannot_be_drawn(hogen, site.now()) is not None)
        told.do("a mail leaves without its picture", lambda: alarms.raise_picture_alarm(site, hogen, 1, "fault"))
        told.do("its alarm goes on", lambda: alarms.end_picture_alarms_without_reason(site, standing()))
    told.do("whether it fails now", lambda: alarms.why_first_board_cannot_be_drawn(hogen, site.now()) is not None)
    house.clock.forward(minutes=1)
    told.do("another one, though boards can be drawn", lambda: alarms.raise_picture_alarm(site, hogen, 2, "fault"))
    told.do("one of another game", lambda: alarms.raise_picture_alarm(site, niigata, 3, "fault"))
    alarms.raise_alarm(site, "undrawn:all:gone", site.now())
    told.skip()
    told.do("those that stand", what_is_seen)
    told.do("what is past, now", lambda: alarms.end_picture_alarms_without_reason(site, standing()))
    house.clock.forward(days=1)
    told.do("what is past, a day later", lambda: alarms.end_picture_alarms_without_reason(site, standing()))
    house.clock.forward(seconds=1)
    told.do("and a second later", lambda: alarms.end_picture_alarms_without_reason(site, standing()))
    with patch.object(compose, "draw_board", side_effect=ValueError("<svg>")):
        alarms.raise_picture_alarm(site, hogen, 5, "fault")
    told.skip()
    told.do("boards can be drawn again", lambda: alarms.end_picture_alarms_without_reason(site, standing()))
