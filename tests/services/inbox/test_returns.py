"""Bounces, complaints and mails that unsubscribe: they change what is sent, and are never answered."""

from textwrap import dedent

import pytest
from sqlmodel import col, select

from pbem.models.tables import OutboxRow, SeatRow, Suppression
from pbem.services.players import players
from tests.services.inbox.replying import mail, mails_to, send
from tests.services.letterbox import id_of, newest, player_of
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


def bounce(address: str, *, action: str = "failed", status: str = "5.1.1", original: str = "<x@y.example>") -> bytes:
    """What a mail server reports."""
    return dedent(f"""\
        From: MAILER-DAEMON@mx.example.org
        To: bounces@pbem.example
        Subject: Undelivered Mail
        Message-ID: <{status}.{action}.{address}@mx.example.org>
        MIME-Version: 1.0
        Content-Type: multipart/report; report-type=delivery-status; boundary="b"

        --b
        Content-Type: text/plain

        Sorry.
        --b
        Content-Type: message/delivery-status

        Reporting-MTA: dns; mx.example.org

        Final-Recipient: rfc822; {address}
        Action: {action}
        Status: {status}
        --b
        Content-Type: message/rfc822

        From: play@pbem.example
        To: {address}
        Message-ID: {original}
        Subject: your turn

        Play.
        --b--
        """).encode()


def complaint(address: str, original: str) -> bytes:
    """What a provider reports when somebody presses its button for spam."""
    return dedent(f"""\
        From: feedback@provider.example
        To: abuse@pbem.example
        Subject: complaint
        Message-ID: <c1@provider.example>
        MIME-Version: 1.0
        Content-Type: multipart/report; report-type=feedback-report; boundary="b"

        --b
        Content-Type: text/plain

        A complaint.
        --b
        Content-Type: message/feedback-report

        Feedback-Type: abuse
        User-Agent: Provider/1
        Version: 1
        Original-Rcpt-To: {address}
        --b
        Content-Type: message/rfc822

        From: play@pbem.example
        To: {address}
        Message-ID: {original}
        Subject: your turn

        Play.
        --b--
        """).encode()


@pytest.mark.both
def test_a_final_bounce_marks_the_address_and_the_next_mail_waits(house: House) -> None:
    match_id = house.begin(game="allegeance")
    row, who = turn_mail(house, match_id)
    token = house.site.reply_tokens.for_bounce(row.id or 0)
    kept = send(house, bounce(address_of(who)), mail_from="", recipients=[f"play+{token}@pbem.example"])
    assert (kept.verdict, kept.detail, kept.player_id) == ("bounce", "5.1.1", id_of(house, who))
    assert (player_of(house, who).bounced_at, player_of(house, who).bounced_why) == (house.clock(), "later 5.1.1")
    count = mails_to(house, who)
    house.play(match_id, house.asked(match_id)[0].seat)
    assert mails_to(house, who) == count


def test_the_message_id_names_the_mail_where_the_return_path_does_not(house: House) -> None:
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    original = newest(house, who)["Message-ID"]
    assert send(house, bounce(address_of(who), original=original), mail_from="").verdict == "bounce"
    assert player_of(house, who).bounced_at is not None


@pytest.mark.parametrize(
    ("address", "told", "why"),
    [
        ("alias@elsewhere.example", {}, "another-address"),
        ("", {"action": "delayed", "status": "4.4.1"}, "delayed"),
        ("", {"original": "<turn-1.000000000000000000000000@localhost>"}, "unknown"),
    ],
)
def test_a_delay_another_address_and_a_mail_of_somebody_else_s_change_nothing(
    house: House, address: str, told: dict[str, str], why: str
) -> None:
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    told = {"original": newest(house, who)["Message-ID"], **told}
    kept = send(house, bounce(address or address_of(who), **told), mail_from="")
    assert (kept.verdict, kept.detail) == ("report", why)
    assert player_of(house, who).bounced_at is None


def test_that_the_relay_takes_the_next_mail_does_not_clear_a_bounce_that_came_later(house: House) -> None:
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    send(house, bounce(address_of(who), original=newest(house, who)["Message-ID"]), mail_from="")
    players.send_links(house.site, address_of(who))
    house.drain()
    assert player_of(house, who).bounced_at is not None


@pytest.mark.both
def test_a_complaint_stops_all_mail_to_the_address(house: House) -> None:
    match_id = house.begin(game="allegeance")
    _, who = turn_mail(house, match_id)
    original = newest(house, who)["Message-ID"]
    assert send(house, complaint(address_of(who), original)).verdict == "complaint"
    with house.site.reading() as session:
        assert session.get(Suppression, house.site.tokens.address_digest(address_of(who))) is not None


@pytest.mark.both
def test_the_mail_of_a_program_that_unsubscribes_mutes_the_match_whatever_it_says(house: House) -> None:
    match_id = house.begin(game="allegeance")
    token = house.site.reply_tokens.for_mute(match_id, 1, 0)
    count = mails_to(house, "Bob")
    raw = mail(house, "Bob", token, "", headers=[("Auto-Submitted", "auto-generated")])
    assert send(house, raw).verdict == "unsubscribed"
    with house.site.reading() as session:
        assert [session.get_one(SeatRow, (match_id, seat)).muted for seat in range(3)] == [False, True, False]
    assert mails_to(house, "Bob") == count


def test_stopping_takes_the_address_of_whoever_asks(house: House) -> None:
    house.begin(game="allegeance")
    token = house.site.reply_tokens.for_stop(id_of(house, "Bob"))
    digest = house.site.tokens.address_digest(address_of("Bob"))
    assert send(house, mail(house, "Charlie", token, "stop")).verdict == "stranger"
    with house.site.reading() as session:
        assert session.get(Suppression, digest) is None
    assert send(house, mail(house, "Bob", token, "stop")).verdict == "unsubscribed"
    with house.site.reading() as session:
        assert session.get(Suppression, digest) is not None


def test_a_mute_of_an_earlier_owner_of_the_seat_does_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    token = house.site.reply_tokens.for_mute(match_id, 1, 0)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, 1)).epoch += 1
    assert send(house, mail(house, "Bob", token, "")).verdict == "stranger"
    with house.site.reading() as session:
        assert not session.get_one(SeatRow, (match_id, 1)).muted
