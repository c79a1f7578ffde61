"""Bounces, complaints and mails that unsubscribe: they change what is sent, and are never answered."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.features.inbox.reply_tokens import tokens_of
from pbem.models.tables import OutboxRow, SeatRow, Suppression
from pbem.services.players import players
from tests.features.inbox.replying import comes_in, mail_of_player, mails_to, send_and_read
from tests.features.inbox.reports import bounce_report, complaint_report
from tests.services.letterbox import id_of, newest_mail, player_of
from tests.table import House, address_of


def turn_mail(house: House, match_id: str) -> tuple[OutboxRow, str]:
    """The row of the last turn mail that has left, and the name of its reader."""
    house.drain()
    with house.site.reading() as session:
        found = select(OutboxRow).where(OutboxRow.kind == "turn", OutboxRow.match_id == match_id)
        row = session.exec(found.order_by(col(OutboxRow.id).desc())).first()
        assert row is not None
        seat = session.get_one(SeatRow, (match_id, row.seat))
        return row, seat.name


def to_return_path(house: House, row: OutboxRow) -> dict[str, Any]:
    """The envelope of a report about the mail of this row."""
    return {
        "mail_from": "",
        "recipients": [f"play+{tokens_of(house.site.config.secret).for_bounce(row.id or 0)}@pbem.example"],
    }


def is_suppressed(house: House, who: str) -> bool:
    with house.site.reading() as session:
        return session.get(Suppression, house.site.tokens.address_digest(address_of(who))) is not None


@pytest.mark.long
def test_a_permanent_bounce_marks_the_address_and_holds_the_next_mail(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    kept = send_and_read(house, bounce_report(address_of(who)), **to_return_path(house, row))
    assert (kept.verdict, kept.detail, kept.player_id) == ("bounce", "5.1.1", id_of(house, who))
    assert (player_of(house, who).bounced_at, player_of(house, who).bounced_why) == (house.clock(), "later 5.1.1")
    count = mails_to(house, who)
    house.play(match_id, house.asks(match_id)[0].seat)
    assert mails_to(house, who) == count


def test_a_bounce_of_a_mail_without_a_match_marks_its_recipient(house: House) -> None:
    house.begin(game="allegeance")
    players.request_links(house.site, address_of("Bob"))
    house.drain()
    with house.site.reading() as session:
        row = session.exec(select(OutboxRow).where(OutboxRow.kind == "links")).one()
    assert send_and_read(house, bounce_report(address_of("Bob")), **to_return_path(house, row)).verdict == "bounce"
    assert player_of(house, "Bob").bounced_at is not None


def test_a_bounce_before_its_delivery_is_recorded_marks_the_seats_player(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    with house.site.writing() as work:
        early = work.get_one(OutboxRow, row.id)
        early.player_id = early.done_at = early.result = None
    assert send_and_read(house, bounce_report(address_of(who)), **to_return_path(house, row)).verdict == "bounce"
    assert player_of(house, who).bounced_at is not None


@pytest.mark.on_postgresql
def test_a_bounce_marks_the_recipient_though_the_seat_changed_hands(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    other = next(name for name in ("Alice", "Bob") if name != who)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, row.seat)).player_id = id_of(house, other)
    assert send_and_read(house, bounce_report(address_of(who)), **to_return_path(house, row)).verdict == "bounce"
    assert (player_of(house, who).bounced_at is None, player_of(house, other).bounced_at is None) == (False, True)


@pytest.mark.long
def test_with_return_path_tokens_a_bounce_needs_more_than_a_message_id(house: House) -> None:
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    original = newest_mail(house, who)["Message-ID"]
    kept = send_and_read(house, bounce_report(address_of(who), original=original), mail_from="")
    assert (kept.verdict, kept.detail) == ("unknown report", "bounce")
    kept = send_and_read(house, complaint_report(address_of(who), original), recipients=["play@pbem.example"])
    assert (kept.verdict, kept.detail) == ("unknown report", "complaint")
    assert player_of(house, who).bounced_at is None
    assert not is_suppressed(house, who)


def test_without_return_path_tokens_a_message_id_names_the_bounced_mail(make_house: Callable[..., House]) -> None:
    house = make_house(**comes_in("play@pbem.example", authserv=("mx.pbem.example",)))
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    original = newest_mail(house, who)["Message-ID"]
    raw = bounce_report(address_of(who), original=original)
    assert send_and_read(house, complaint_report(address_of(who), original)).verdict == "unknown report"
    assert send_and_read(house, raw, mail_from="mallory@evil.example").verdict == "unknown report"
    failed = b"Authentication-Results: mx.pbem.example; spf=fail smtp.helo=evil.example\n" + raw
    assert send_and_read(house, failed, mail_from="").verdict == "unknown report"
    assert player_of(house, who).bounced_at is None
    assert not is_suppressed(house, who)
    assert send_and_read(house, raw.replace(b"<5.1.1.", b"<later."), mail_from="").verdict == "bounce"
    assert player_of(house, who).bounced_at is not None


def test_a_bounce_report_after_two_weeks_is_ignored(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    house.clock.forward(days=14)
    assert (
        send_and_read(house, bounce_report(address_of(who)), **to_return_path(house, row)).verdict == "unknown report"
    )
    assert player_of(house, who).bounced_at is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("5.7.1", "550 5.7.1 our policy"), ("5.7.26", ""), ("5.3.4", "552 5.3.4 message too big"),
        ("5.0.0", "550 5.7.1 spam"), ("5.0.0", "550 sender denied"), ("5.1.1", "554 5.7.1 rejected"), ("5.1.8", ""),
    ],
)  # fmt: skip
def test_a_bounce_not_about_the_address_marks_nothing(house: House, status: str, words: str) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    kept = send_and_read(
        house, bounce_report(address_of(who), status=status, words=words), **to_return_path(house, row)
    )
    assert (kept.verdict, kept.detail) == ("report", f"not-address {status}")
    assert player_of(house, who).bounced_at is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("status", "words"),
    [("5.1.1", "550 5.1.1 <x> unknown"), ("5.0.0", "550-no such user"), ("5.0.0", ""), ("5.2.1", "")],
)
def test_a_bounce_about_the_address_marks_it(house: House, status: str, words: str) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    kept = send_and_read(
        house, bounce_report(address_of(who), status=status, words=words), **to_return_path(house, row)
    )
    assert (kept.verdict, kept.detail) == ("bounce", status)


def test_a_bounce_for_lack_of_a_route_marks_the_address(house: House) -> None:
    row, who = turn_mail(house, house.begin(game="allegeance"))
    kept = send_and_read(house, bounce_report(address_of(who), status="5.4.4", words=""), **to_return_path(house, row))
    assert (kept.verdict, kept.detail) == ("bounce", "5.4.4")


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "told", "why"),
    [("alias@elsewhere.example", {}, "another-address"), ("", {"action": "delayed", "status": "4.4.1"}, "delayed")],
)
def test_delay_reports_and_bounces_of_other_addresses_mark_nothing(
    house: House, address: str, told: dict[str, str], why: str
) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    kept = send_and_read(house, bounce_report(address or address_of(who), **told), **to_return_path(house, row))
    assert (kept.verdict, kept.detail) == ("report", why)
    assert player_of(house, who).bounced_at is None


@pytest.mark.long
def test_the_relay_accepting_the_next_mail_does_not_clear_a_bounce(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    send_and_read(house, bounce_report(address_of(who)), **to_return_path(house, row))
    players.request_links(house.site, address_of(who))
    house.drain()
    assert player_of(house, who).bounced_at is not None


@pytest.mark.on_postgresql
def test_a_complaint_stops_all_mail_to_the_address(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    raw = complaint_report(address_of(who), newest_mail(house, who)["Message-ID"])
    assert send_and_read(house, raw, **to_return_path(house, row)).verdict == "complaint"
    assert is_suppressed(house, who)


@pytest.mark.long
def test_an_automatic_unsubscribe_mail_mutes_the_match_whatever_it_says(house: House) -> None:
    match_id = house.begin(game="allegeance")
    token = tokens_of(house.site.config.secret).for_mute(match_id, 1, 0)
    count = mails_to(house, "Bob")
    raw = mail_of_player(house, "Bob", token, "", headers=[("Auto-Submitted", "auto-generated")])
    assert send_and_read(house, raw).verdict == "unsubscribed"
    with house.site.reading() as session:
        assert [session.get_one(SeatRow, (match_id, seat)).muted for seat in range(3)] == [False, True, False]
    assert mails_to(house, "Bob") == count


def test_unsubscribing_by_mail_works_only_from_the_players_address(house: House) -> None:
    house.begin(game="allegeance")
    token = tokens_of(house.site.config.secret).for_stop(id_of(house, "Bob"))
    assert send_and_read(house, mail_of_player(house, "Charlie", token, "stop")).verdict == "stranger"
    assert not is_suppressed(house, "Bob")
    assert send_and_read(house, mail_of_player(house, "Bob", token, "stop")).verdict == "unsubscribed"
    assert is_suppressed(house, "Bob")


@pytest.mark.on_postgresql
def test_a_mute_by_a_former_owner_of_the_seat_does_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    token = tokens_of(house.site.config.secret).for_mute(match_id, 1, 0)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, 1)).epoch += 1
    assert send_and_read(house, mail_of_player(house, "Bob", token, "")).verdict == "stranger"
    with house.site.reading() as session:
        assert not session.get_one(SeatRow, (match_id, 1)).muted


PASSING = [
    ("5.2.2", "552 5.2.2 mailbox is over quota"), ("5.2.2", ""), ("4.2.2", "452 4.2.2 The mailbox is full"),
    ("5.2.1", "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery"),
    ("5.2.1", "450-4.2.1 too many messages"), ("5.2.1", "550 5.2.1 too many messages, try again later"),
    ("5.0.0", "552 mailbox full"), ("5.0.0", "552 Requested mail action aborted: exceeded storage allocation"),
    ("5.0.0", "451 greylisted, try again in 15 minutes"), ("5.0.0", "421 too many connections"), ("4.4.7", ""),
    ("5.4.7", "550 5.4.7 delivery expired"), ("5.0.0", "450 mailbox busy"), ("4.4.1", "connection timed out"),
    ("5.0.0", "550 5.2.2 Over quota"), ("5.0.0", "550 User's mailbox for bob@example.org is full"),
    ("5.7.1", "451 4.7.1 Greylisting in action, please come back later"),
    ("5.0.0", "X-Postfix; host mx.example.org[192.0.2.1] said: 452 4.2.2 Over quota (in reply to RCPT TO)"),
    ("5.2.0", "554 5.2.0 STOREDRV.Deliver.Exception:QuotaExceededException"),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("status", "words"), PASSING)
def test_a_report_of_a_temporary_failure_marks_nothing(house: House, status: str, words: str) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    kept = send_and_read(
        house, bounce_report(address_of(who), status=status, words=words), **to_return_path(house, row)
    )
    assert (kept.verdict, kept.detail) == ("report", f"passes {status}")
    assert player_of(house, who).bounced_at is None


def qmail_bounce(address: str, words: str) -> bytes:
    """What an older server reports, without a part for programs."""
    return (
        "From: MAILER-DAEMON@mx.example.org\nTo: bounces@pbem.example\nSubject: failure notice\n\n"
        "Hi. This is the qmail-send program at mx.example.org.\nI'm afraid I wasn't able to deliver your message to "
        "the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        f"<{address}>:\n{words}\n\n--- Below this line is a copy of the message.\n\n"
        "Message-ID: <x@y.example>\n\nDave: “my mailbox is full”\n"
    ).encode()


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("Mailbox is over quota. (#5.2.2)", "report"),
        ("192.0.2.1 does not like recipient.\nRemote host said: 450 4.2.0 Greylisted", "report"),
        ("Remote host said: 552 mailbox full\nGiving up on 192.0.2.1.", "report"),
        ("The user's mailbox is full", "report"),
        ("Sorry, no mailbox here by that name. (#5.1.1)", "bounce"),
        ("Remote host said: 550 no such user, check the address and try again", "bounce"),
    ],
)
def test_reports_of_an_older_form_are_judged_by_the_same_rules(house: House, words: str, verdict: str) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    assert send_and_read(house, qmail_bounce(address_of(who), words), **to_return_path(house, row)).verdict == verdict
    assert (player_of(house, who).bounced_at is not None) is (verdict == "bounce")


def test_a_full_mailbox_among_several_failures_marks_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    theirs = f"Final-Recipient: rfc822; {address_of(who)}\nAction: failed\nStatus: 5.2.2\n"
    raw = bounce_report("alias@elsewhere.example").replace(b"Status: 5.1.1\n", f"Status: 5.1.1\n\n{theirs}".encode())
    assert send_and_read(house, raw, **to_return_path(house, row)).verdict == "report"
    assert player_of(house, who).bounced_at is None


@pytest.mark.long
def test_a_report_of_a_failure_that_has_a_sender_marks_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    there = to_return_path(house, row)
    for sender in ("mallory@evil.example", address_of(who), "mailer-daemon@mx.example.org"):
        raw = bounce_report(address_of(who)).replace(b"<5.1.1.", f"<{sender}".encode())
        kept = send_and_read(house, raw, **{**there, "mail_from": sender})
        assert (kept.verdict, kept.detail) == ("unknown report", "has-sender")
    by_person = bounce_report(address_of(who)).replace(b"MAILER-DAEMON@mx.example.org", b"mallory@evil.example")
    assert send_and_read(house, by_person, **{**there, "mail_from": None}).detail == "has-sender"
    assert player_of(house, who).bounced_at is None
    assert send_and_read(house, bounce_report(address_of(who)), **{**there, "mail_from": None}).verdict == "bounce"
