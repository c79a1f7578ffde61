"""What has gone wrong elsewhere with mail that comes back, each as a test."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from pbem.features.inbox import acting, reading
from pbem.features.inbox.incoming.verdicts import DnsError, verify_sender
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import arrivals, canary, intake
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import SeatRow
from pbem.services.players import players
from pbem.services.privacy import erasure, retention
from pbem.services.site import Site
from pbem.services.views import match_views
from tests.features.inbox.replying import (
    REPLY_TO,
    answers_to,
    comes_in,
    inbox_rows,
    judge_with_verdict,
    mail_of_player,
    mails_to,
    reply_to_question,
    row_of,
    send_and_read,
    token_of,
)
from tests.features.inbox.reports import bounce_report
from tests.services.letterbox import id_of
from tests.table import CAST, House, address_of

AWAY = "I am out of the office until Monday.\n"


def first_question(house: House, match_id: str) -> tuple[int, str]:
    seat = house.asks(match_id)[0].seat
    return seat, CAST[seat]


def version_of_match(house: House, match_id: str) -> int:
    return match_views.read_sheet(house.site, match_id, None).version


def test_many_vacation_notes_do_nothing_and_get_no_answer(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "RUN", 8)
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    before, count = version_of_match(house, match_id), mails_to(house, who)
    for _ in range(12):
        raw = mail_of_player(
            house, who, token_of(house, match_id, seat), AWAY, headers=[("Auto-Submitted", "auto-replied")]
        )
        take_in_mail(house.site, raw, via="lmtp")
    assert reading.read_inbox(house.site, judge_with_verdict("act")) == 8
    assert reading.read_inbox(house.site, judge_with_verdict("act")) == 12 - 8
    assert {row.verdict for row in inbox_rows(house)} == {"automatic"}
    assert (version_of_match(house, match_id), mails_to(house, who)) == (before, count)


@pytest.mark.long
def test_two_autoresponders_do_not_write_to_each_other_for_ever(house: House) -> None:
    """A program that answers each mail, and says nowhere that it is one."""
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    house.drain()
    sent = len(house.mail.to(address_of(who)))
    for _ in range(20):
        for _ in house.mail.to(address_of(who))[sent:]:
            sent += 1
            reply_to_question(house, match_id, seat, "Thank you for your message, we will be with you soon.\n")
        if sent == len(house.mail.to(address_of(who))):
            reply_to_question(house, match_id, seat, "Thank you for your message, we will be with you soon.\n")
        house.drain()
    assert len(answers_to(house, who)) <= 5
    honest = [("Auto-Submitted", "auto-replied")]
    count = mails_to(house, who)
    send_and_read(house, mail_of_player(house, who, token_of(house, match_id, seat), AWAY, headers=honest))
    assert mails_to(house, who) == count


def test_a_mail_from_the_sites_own_address_is_never_answered(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, _ = first_question(house, match_id)
    with house.site.writing() as work:
        own = players.find_or_add(
            work, house.site.config.mail_from.replace("localhost", "pbem.example"), "en", house.clock()
        )
        assert own.id is not None
    token = token_of(house, match_id, seat)
    house.drain()
    count = len(house.mail.all_sent)
    for address in (house.site.config.mail_from, REPLY_TO.replace("{token}", token)):
        row = send_and_read(house, mail_of_player(house, address, token, "F3"))
        assert (row.verdict, row.answered) == ("automatic", False)
    house.drain()
    assert len(house.mail.all_sent) == count


@pytest.mark.long
def test_a_mail_of_fifty_megabytes_is_stored_as_too_large_and_not_read(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    raw = mail_of_player(house, who, token_of(house, match_id, seat), "F3") + b"x" * 50_000_000
    row = send_and_read(house, raw)
    assert (row.verdict, row.detail, row.answered) == ("unreadable", "too-large", False)


@pytest.mark.long
@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\x00\xff\xfe", b"From: \n\n", b"From: a@b\nContent-Type: text/plain; charset=klingon\n\n\xff\xfeF3",
        b"Content-Type: multipart/mixed; boundary=a\n\n--a\n" * 200,
        b"Subject: =?utf-8?b?////?=\nFrom: =?x?q?=ff?= <alice@example.org>\n\nF3",
        b"From: alice@example.org\nContent-Transfer-Encoding: base64\n\n!!!!", b"\n" * 100_000,
    ],
)  # fmt: skip
def test_a_mail_of_any_bytes_does_not_hold_up_the_next_ones(house: House, raw: bytes) -> None:
    match_id = house.begin(game="allegeance")
    seat, _ = first_question(house, match_id)
    take_in_mail(house.site, raw, via="lmtp")
    assert reply_to_question(house, match_id, seat, "F3").verdict == "acted"
    assert row_of(house, 1).verdict in ("stranger", "unreadable", "automatic", "report")


@pytest.mark.long
def test_with_a_silent_name_server_a_mail_asks_for_confirmation(house: House) -> None:
    class Silent:
        def txt_record(self, name: str) -> bytes | None:
            raise DnsError("time out")

    def judge(site: Site, row: InboxRow, sender: str) -> Any:
        assert row.raw is not None
        return verify_sender(row.raw, sender, trusted=(), resolver=Silent())

    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    assert reply_to_question(house, match_id, seat, "F3", judge).verdict == "asked"
    assert len(answers_to(house, who)) == 1


def test_a_mail_that_raises_errors_is_tried_five_times_and_delays_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    before = version_of_match(house, match_id)
    take_in_mail(house.site, mail_of_player(house, who, token_of(house, match_id, seat), "F3"), via="lmtp")

    def fail(*_: object) -> str:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(acting, "act_on_letter", fail)
        for tries in range(1, reading.TRIES + 1):
            assert reading.read_inbox(house.site, judge_with_verdict("act")) == 1
            assert reading.read_inbox(house.site, judge_with_verdict("act")) == 0  # it waits for longer each time
            assert row_of(house).attempts == tries
            house.clock.forward(hours=1)
        assert send_and_read(house, mail_of_player(house, "Charlie", "play@pbem.example", "F3")).verdict == "stranger"
    assert (row_of(house, 1).verdict, row_of(house, 1).detail) == ("failed", "ZeroDivisionError")
    assert version_of_match(house, match_id) == before
    intake.make_due_again(house.site, 1)
    reading.read_inbox(house.site, judge_with_verdict("act"))
    assert row_of(house, 1).verdict == "acted"
    with pytest.raises(intake.WasActedOn):
        intake.make_due_again(house.site, 1)


def test_a_mail_that_kills_its_reader_each_time_is_set_aside(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    take_in_mail(house.site, mail_of_player(house, who, token_of(house, match_id, seat), "F3"), via="lmtp")

    class Killed(BaseException):
        """As if by kill -9."""

    def kill(*_: object) -> Any:
        raise Killed

    for _ in range(reading.TRIES):
        with pytest.raises(Killed):
            reading.read_inbox(house.site, kill)
        assert reading.read_inbox(house.site, kill) == 0  # its lease goes on
        house.clock.forward(seconds=arrivals.LEASE.total_seconds() + 1)
    assert reading.read_inbox(house.site, kill) == 1
    assert (row_of(house).verdict, row_of(house).detail) == ("failed", "killed")


@pytest.mark.long
def test_erasure_deletes_a_players_mails_and_their_later_ones_do_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    token = token_of(house, match_id, seat)
    reply_to_question(house, match_id, seat, "say hello")
    send_and_read(house, mail_of_player(house, who, "play@pbem.example", "I named no seat"))
    assert len(inbox_rows(house)) == 2
    erasure.erase_player(house.site, id_of(house, who))
    assert inbox_rows(house) == []
    assert send_and_read(house, mail_of_player(house, who, token, "F3")).verdict == "stranger"
    assert answers_to(house, who) == []


@pytest.mark.on_postgresql
def test_erasure_deletes_mails_of_others_about_the_player(house: House) -> None:
    house.begin(game="allegeance")
    address = address_of("Bob")
    about = base64.encodebytes(f"{address} is away.\n".encode()).decode()
    encoded = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n" + about
    theirs = [
        bounce_report(address, action="delayed", status="4.2.2"),
        bounce_report(address.replace("bob", "BOB")),
        f"From: a@example.com\n{encoded}".encode(),
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n" * 3000 + address.encode(),
    ]
    kept = [b"From: jimbob@example.org\n\nhello\n", b"From: a@example.com\n\nbob@example.org.example\n"]
    for raw in (*theirs, *kept):
        take_in_mail(house.site, raw, via="lmtp")
    reading.read_inbox(house.site, judge_with_verdict("act"))
    take_in_mail(house.site, b"From: a@example.com\n\nbob@example.org?\n", via="lmtp")
    take_in_mail(house.site, b"From: a@example.com\n\nhello\n", via="lmtp", recipients=[address])
    erasure.erase_player(house.site, id_of(house, "Bob"))
    left = inbox_rows(house)
    assert [row.raw for row in left if row.raw is not None] == kept
    assert {(row.message_id, row.recipients) for row in left if row.raw is None} == {(None, "[]")}
    assert reading.read_inbox(house.site, judge_with_verdict("act")) == 2


@pytest.mark.on_postgresql
def test_a_bounce_report_sent_by_a_player_is_stored_as_theirs(house: House) -> None:
    house.begin(game="allegeance")
    raw = bounce_report("somebody@example.com", action="delayed").replace(
        b"MAILER-DAEMON@mx.example.org", b"bob@example.org"
    )
    row = send_and_read(house, raw)
    assert (row.verdict, row.player_id) == ("report", id_of(house, "Bob"))


@pytest.mark.on_postgresql
def test_texts_of_incoming_mails_are_erased_after_thirty_days(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, _ = first_question(house, match_id)
    reply_to_question(house, match_id, seat, "say hello")
    house.clock.forward(days=29, hours=23)
    retention.delete_old_rows(house.site)
    assert row_of(house).raw is not None
    house.clock.forward(hours=1)
    retention.delete_old_rows(house.site)
    left = row_of(house)
    assert (left.raw, left.mail_from, left.recipients, left.verdict) == (None, None, "[]", "acted")
    assert (left.player_id, left.message_id, left.match_id, left.seat) == (None, None, None, None)
    with pytest.raises(intake.NotKept):
        intake.make_due_again(house.site, row_of(house).id or 0)


def test_an_answer_to_a_mail_erased_meanwhile_is_not_sent(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    house.drain()
    reply_to_question(house, match_id, seat, "what is this")
    with house.site.writing() as work:
        work.get_one(InboxRow, 1).raw = None
    assert answers_to(house, who) == []


def test_after_a_takeover_the_former_owner_cannot_play_the_seat_by_mail(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_question(house, match_id)
    token, before = token_of(house, match_id, seat), version_of_match(house, match_id)
    with house.site.writing() as work:
        charlie = players.find_or_add(work, address_of("Charlie"), "en", house.clock())
        row = work.get_one(SeatRow, (match_id, seat))
        row.player_id, row.epoch, row.name = charlie.id, row.epoch + 1, "Charlie"
    assert send_and_read(house, mail_of_player(house, who, token, "F3")).verdict == "stranger"
    assert send_and_read(house, mail_of_player(house, who, token_of(house, match_id, seat), "F3")).verdict == "asked"
    assert version_of_match(house, match_id) == before
    assert (
        send_and_read(house, mail_of_player(house, "Charlie", token_of(house, match_id, seat), "F3")).verdict == "acted"
    )


def test_a_returned_canary_mail_is_recorded_as_canary_without_its_text(make_house: Callable[..., House]) -> None:
    house = make_house(**comes_in(), mail_from="play@pbem.example")
    assert canary.send_canary_if_due(house.site, house.mail)
    ((to, written),) = house.mail.all_sent
    house.clock.forward(minutes=2)
    assert (send_and_read(house, written.as_bytes(), recipients=[to]).verdict, row_of(house).raw) == ("canary", None)
    with house.site.one_statement() as connection:
        assert canary.age_of_last_return(connection, house.clock()) == 0
