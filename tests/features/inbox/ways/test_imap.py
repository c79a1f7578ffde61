"""Mail that comes in by IMAP, from a real server: nothing is lost, nothing counts twice, nothing blocks the rest."""

from __future__ import annotations

import imaplib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select

from pbem.config import Config
from pbem.errors import Busy
from pbem.features.inbox import reading
from pbem.features.inbox.reply_tokens import tokens_of
from pbem.features.inbox.settings import INBOUND, TAKEN, Imap
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import imap, intake
from pbem.features.inbox.ways.imap import ERRORS, Poller, open_mailbox
from pbem.mail.compose import message_id
from pbem.models.tables import table
from pbem.services.site import Site
from tests.features.inbox.replying import REPLY_TO, comes_in
from tests.harness.mail_servers import Dovecot, run_dovecot
from tests.harness.waiting import SECONDS
from tests.table import House

SECRET = "s" * 32


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with run_dovecot() as running:
        yield running


@pytest.fixture
def box(server: Dovecot, request: pytest.FixtureRequest) -> Imap:
    """A mailbox for this test alone."""
    url = server.url.replace("play:", f"t{abs(hash(request.node.nodeid))}:")
    told = {"PBEM_SECRET": SECRET, "IMAP_URL": url, "PBEM_REPLY_TO": REPLY_TO}
    found = Config.from_env(told, "embedded").group(INBOUND).imap
    assert found is not None
    return found


def deliver_mails(box: Imap, *mails: bytes) -> None:
    with open_mailbox(box) as mailbox:
        for raw in mails:
            mailbox.append(raw, "INBOX")


def count_left_in(box: Imap, folder: str = "INBOX") -> int:
    with open_mailbox(box) as mailbox:
        if not mailbox.folder.exists(folder):
            return 0
        mailbox.folder.set(folder)
        return len(mailbox.uids("ALL"))


def mail_to_site(number: int, to: str = "play+canary@pbem.example", *more: str) -> bytes:
    """Returns a mail, by default to an address of the site."""
    head = ["From: alice@example.org", f"To: {to}", f"Message-ID: <{number}@example.org>", *more]
    return "\r\n".join([*head, "", f"F{number}", ""]).encode()


def rows_kept(site: Site) -> list[bytes | None]:
    with site.reading() as session:
        found = session.execute(select(InboxRow).order_by(table(InboxRow).c.id)).scalars()
        return [row.raw for row in found if row.via == "imap"]


def poller(house: House, box: Imap) -> Poller:
    return Poller(house.site, box, threading.Event())


@pytest.mark.long
def test_unseen_imap_mails_are_stored_unchanged_and_moved(house: House, box: Imap) -> None:
    broken = b"Delivered-To: play+canary@pbem.example\r\nno head\xff\r\n\r\n\xfe\r\n"
    deliver_mails(box, mail_to_site(1), broken, mail_to_site(2))
    assert poller(house, box).take_in_once() == 3
    assert rows_kept(house.site) == [mail_to_site(1), broken, mail_to_site(2)]
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (0, 3)
    assert poller(house, box).take_in_once() == 0


@pytest.mark.long
def test_imap_mails_already_marked_as_seen_are_not_taken_in(house: House, box: Imap) -> None:
    deliver_mails(box, mail_to_site(1))
    with open_mailbox(box) as mailbox:
        mailbox.folder.set("INBOX")
        mailbox.flag(mailbox.uids(), r"\Seen", True)
    assert poller(house, box).take_in_once() == 0
    assert count_left_in(box) == 1


@pytest.mark.long
def test_a_mail_taken_twice_because_of_a_kill_makes_one_row(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_: object) -> None:
        raise imaplib.IMAP4.abort("killed")

    deliver_mails(box, mail_to_site(1))
    monkeypatch.setattr(imap, "move_to_taken", kill)
    with pytest.raises(imaplib.IMAP4.abort):
        poller(house, box).take_in_once()
    assert rows_kept(house.site) == [mail_to_site(1)]
    monkeypatch.undo()
    assert poller(house, box).take_in_once() == 1
    assert rows_kept(house.site) == [mail_to_site(1)]
    assert count_left_in(box) == 0


def test_an_imap_mail_that_cannot_be_stored_does_not_block_the_next(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep: Callable[..., bool] = intake.take_in_mail

    def refuse(site: Site, raw: bytes, **more: object) -> bool:
        if raw in (mail_to_site(0), mail_to_site(1)):
            raise ValueError("broken")
        return keep(site, raw, **more)

    monkeypatch.setattr(imap, "take_in_mail", refuse)
    monkeypatch.setattr(imap, "MOST", 2)
    deliver_mails(box, mail_to_site(0), mail_to_site(1), mail_to_site(2))
    patient = poller(house, box)
    assert patient.take_in_once() == 0
    assert patient.take_in_once() == 1
    assert rows_kept(house.site) == [mail_to_site(2)]
    monkeypatch.undo()
    assert patient.take_in_once() == 2
    assert count_left_in(box) == 0


def test_while_the_database_is_busy_no_imap_mail_is_moved(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> bool:
        raise Busy("locked")

    deliver_mails(box, mail_to_site(1))
    monkeypatch.setattr(imap, "take_in_mail", busy)
    with pytest.raises(Busy):
        poller(house, box).take_in_once()
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (1, 0)


def test_of_an_oversized_imap_mail_only_the_headers_are_stored(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "MAIL_BYTES", 500)
    large = mail_to_site(1) + b"x" * 600
    deliver_mails(box, large, mail_to_site(2))
    assert poller(house, box).take_in_once() == 2
    assert rows_kept(house.site) == [mail_to_site(1)[: -len("F1\r\n")], mail_to_site(2)]
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (0, 2)
    reading.read_inbox(house.site)
    shown = intake.list_kept_mails(house.site)[-1]
    assert (shown.verdict, shown.detail, shown.size) == ("unreadable", "too-large", len(large))


# --- what is for the site -------------------------------------------------------------------------------------


def message_id_of_sent_mail(house: House, kind: str = "turn") -> str:
    """Returns the Message-ID of a mail that the site has sent."""
    return message_id(kind, 41, "pbem.example", house.site.config.secret)


def report_on(original: str, kind: str = "multipart/report") -> bytes:
    return (
        "From: mailer-daemon@example.com\r\nTo: alice@example.org\r\nSubject: Undelivered Mail Returned to Sender\r\n"
        f'Content-Type: {kind}; report-type=delivery-status; boundary="b"\r\n\r\n--b\r\n\r\nIt did not arrive.\r\n'
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.com\r\n\r\n"
        "Final-Recipient: rfc822; bob@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {original}\r\n--b--\r\n"
    ).encode()


def test_private_mail_in_a_shared_mailbox_stays_unseen_where_it_is(house: House, box: Imap) -> None:
    private = [
        mail_to_site(1, "alice@example.org"),
        mail_to_site(2, "play@pbem.example", "In-Reply-To: <1@example.org>"),
        mail_to_site(3, "play+games@pbem.example"),
        mail_to_site(4, "play+qabcdefghijklmnop@pbem.example"),
        report_on("<5@example.org>"),
        b"no head\xff\r\n\r\n\xfe\r\n",
        f"From: pbem@localhost\r\nTo: alice@example.org\r\nMessage-ID: {message_id_of_sent_mail(house)}\r\n"
        f"References: {message_id_of_sent_mail(house, 'begun')}\r\n\r\nYour turn.\r\n".encode(),
    ]
    deliver_mails(box, *private)
    patient = poller(house, box)
    assert (patient.take_in_once(), patient.take_in_once()) == (len(private), 0)
    assert rows_kept(house.site) == []
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (len(private), 0)
    with open_mailbox(box) as mailbox:
        mailbox.folder.set("INBOX")
        assert len(mailbox.uids("UNSEEN")) == len(private)


@pytest.mark.long
def test_imap_mails_naming_a_token_or_a_mail_of_the_site_are_taken(house: House, box: Imap) -> None:
    token = tokens_of(house.site.config.secret).for_bounce(7)
    wanted = [
        mail_to_site(1, "somebody@example.org", f"Delivered-To: play+{token}@pbem.example"),
        mail_to_site(2, "somebody@example.org", f"Cc: PLAY+{token.upper()}@PBEM.example"),
        mail_to_site(3, "somebody@example.org", f"X-Original-To: play+{token}@pbem.example"),
        mail_to_site(4, "somebody@example.org", f"In-Reply-To: {message_id_of_sent_mail(house)}"),
        mail_to_site(
            5, "somebody@example.org", f"References: <0@example.org> {message_id_of_sent_mail(house)} <1@example.org>"
        ),
        report_on(message_id_of_sent_mail(house)),
        report_on(message_id_of_sent_mail(house), "multipart/mixed"),
    ]
    deliver_mails(box, *wanted)
    assert poller(house, box).take_in_once() == len(wanted)
    assert rows_kept(house.site) == wanted
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (0, len(wanted))


@pytest.mark.long
def test_mails_to_a_tokenless_address_or_with_a_subject_token_are_taken(
    make_house: Callable[..., House], box: Imap
) -> None:
    house = make_house(**comes_in("games@pbem.example"))
    token = tokens_of(house.site.config.secret).for_bounce(7)
    deliver_mails(
        box,
        mail_to_site(1, "Games@pbem.example"),
        mail_to_site(2, "alice@example.org", f"Subject: Re: [{token}]"),
        mail_to_site(3),
    )
    assert poller(house, box).take_in_once() == 3
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (1, 2)


@pytest.mark.long
def test_a_taken_imap_mail_is_never_deleted(house: House, box: Imap) -> None:
    with open_mailbox(box) as mailbox:
        mailbox.folder.create(TAKEN)
        mailbox.append(mail_to_site(9), TAKEN, dt=house.site.now() - timedelta(days=900))
        mailbox.folder.set("INBOX")
        mailbox.append(mail_to_site(8), "INBOX", dt=house.site.now() - timedelta(days=900))
        mailbox.client.uid("STORE", "1:*", "+FLAGS", r"(\Deleted)")
    deliver_mails(box, mail_to_site(1))
    assert poller(house, box).take_in_once() == 1
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (1, 2)


def test_on_a_server_without_move_a_taken_mail_is_marked_as_seen(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imaplib.IMAP4, "capability", lambda _self: ("OK", [b"IMAP4rev1 REMOVED"]))
    deliver_mails(box, mail_to_site(1))
    patient = poller(house, box)
    assert (patient.take_in_once(), patient.take_in_once()) == (1, 0)
    assert rows_kept(house.site) == [mail_to_site(1)]
    assert (count_left_in(box), count_left_in(box, TAKEN)) == (1, 0)


def test_imap_is_polled_again_at_once_while_there_is_more(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    pauses: list[float] = []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        stopped.set()
        return True

    monkeypatch.setattr(imap, "MOST", 2)
    monkeypatch.setattr(stopped, "wait", wait)
    deliver_mails(box, *map(mail_to_site, range(5)))
    Poller(house.site, box, stopped).run()
    assert len(rows_kept(house.site)) == 5
    assert pauses == [imap.EVERY_S]


def test_a_failing_imap_server_is_polled_with_growing_delays(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    pauses: list[float] = []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        if len(pauses) == 6:
            stopped.set()
        return True

    monkeypatch.setattr(stopped, "wait", wait)
    Poller(house.site, Imap("127.0.0.1", 9, "a", "b", tls="none"), stopped).run()
    assert pauses == [120.0, 240.0, 480.0, 900.0, 900.0, 900.0]


@pytest.mark.long
def test_a_wrong_imap_password_raises_a_known_error(server: Dovecot, house: House, box: Imap) -> None:
    with pytest.raises(ERRORS):
        poller(house, Imap(box.host, box.port, box.user, "wrong", tls="none")).take_in_once()


@pytest.mark.long
def test_a_server_that_falls_silent_is_given_up(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(SECONDS)
        with pytest.raises(OSError, match="timed out"):
            poller(house, Imap("127.0.0.1", silent.getsockname()[1], "a", "b", tls="none", timeout=0.2)).take_in_once()
