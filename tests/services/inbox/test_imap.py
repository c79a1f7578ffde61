"""Mail that comes in by IMAP, from a real server: nothing is lost, nothing counts twice, nothing blocks the rest."""

from __future__ import annotations

import imaplib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from imap_tools import BaseMailBox
from sqlalchemy import select

from pbem.config import Config
from pbem.errors import Busy
from pbem.inbound import Imap
from pbem.models.inbox import InboxRow
from pbem.models.tables import table
from pbem.services.inbox import imap, intake
from pbem.services.inbox.imap import ERRORS, TAKEN, Poller, open_mailbox
from pbem.services.site import Site
from tests.harness.mail_servers import Dovecot, dovecot
from tests.harness.waiting import SECONDS
from tests.table import House

SECRET = "s" * 32


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


@pytest.fixture
def box(server: Dovecot, request: pytest.FixtureRequest) -> Imap:
    """A mailbox for this test alone."""
    url = server.url.replace("play:", f"t{abs(hash(request.node.nodeid))}:")
    found = Config.from_env({"PBEM_SECRET": SECRET, "IMAP_URL": url}, "embedded").inbound.imap
    assert found is not None
    return found


def deliver(box: Imap, *mails: bytes) -> None:
    with open_mailbox(box) as mailbox:
        for raw in mails:
            mailbox.append(raw, "INBOX")


def left(box: Imap, folder: str = "INBOX") -> int:
    with open_mailbox(box) as mailbox:
        if not mailbox.folder.exists(folder):
            return 0
        mailbox.folder.set(folder)
        return len(mailbox.uids("ALL"))


def mail(number: int) -> bytes:
    return f"From: alice@example.org\r\nMessage-ID: <{number}@example.org>\r\n\r\nF{number}\r\n".encode()


def kept(site: Site) -> list[bytes | None]:
    with site.reading() as session:
        found = session.execute(select(InboxRow).order_by(table(InboxRow).c.id)).scalars()
        return [row.raw for row in found if row.via == "imap"]


def poller(house: House, box: Imap) -> Poller:
    return Poller(house.site, box, threading.Event())


def test_unseen_mails_are_kept_as_they_are_and_moved(house: House, box: Imap) -> None:
    broken = b"no head\xff\r\n\r\n\xfe\r\n"
    deliver(box, mail(1), broken, mail(2))
    assert poller(house, box).take_round() == 3
    assert kept(house.site) == [mail(1), broken, mail(2)]
    assert (left(box), left(box, TAKEN)) == (0, 3)
    assert poller(house, box).take_round() == 0


def test_what_somebody_has_read_is_left_alone(house: House, box: Imap) -> None:
    deliver(box, mail(1))
    with open_mailbox(box) as mailbox:
        mailbox.folder.set("INBOX")
        mailbox.flag(mailbox.uids(), r"\Seen", True)
    assert poller(house, box).take_round() == 0
    assert left(box) == 1


def test_a_process_killed_before_it_moves_a_mail_takes_it_again_as_the_same_row(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise imaplib.IMAP4.abort("killed")

    deliver(box, mail(1))
    monkeypatch.setattr(BaseMailBox, "move", killed)
    with pytest.raises(imaplib.IMAP4.abort):
        poller(house, box).take_round()
    assert kept(house.site) == [mail(1)]
    monkeypatch.undo()
    assert poller(house, box).take_round() == 1
    assert kept(house.site) == [mail(1)]
    assert left(box) == 0


def test_a_mail_that_cannot_be_kept_does_not_block_those_behind_it(
    house: House, box: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep: Callable[..., bool] = intake.take_in

    def refuse(site: Site, raw: bytes, **more: object) -> bool:
        if raw in (mail(0), mail(1)):
            raise ValueError("broken")
        return keep(site, raw, **more)

    monkeypatch.setattr(imap, "take_in", refuse)
    monkeypatch.setattr(imap, "MOST", 2)
    deliver(box, mail(0), mail(1), mail(2))
    patient = poller(house, box)
    assert patient.take_round() == 0
    assert patient.take_round() == 1
    assert kept(house.site) == [mail(2)]
    monkeypatch.undo()
    assert patient.take_round() == 2
    assert left(box) == 0


def test_while_the_database_is_busy_nothing_is_moved(house: House, box: Imap, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> bool:
        raise Busy("locked")

    deliver(box, mail(1))
    monkeypatch.setattr(imap, "take_in", busy)
    with pytest.raises(Busy):
        poller(house, box).take_round()
    assert (left(box), left(box, TAKEN)) == (1, 0)


def test_a_mail_that_is_too_large_is_put_aside(house: House, box: Imap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap, "MAIL_BYTES", 500)
    deliver(box, mail(1) + b"x" * 600, mail(2))
    assert poller(house, box).take_round() == 2
    assert kept(house.site) == [mail(2)]
    assert (left(box), left(box, TAKEN)) == (0, 2)


def test_mails_that_were_taken_are_deleted_after_a_week(house: House, box: Imap) -> None:
    deliver(box, mail(1))
    with open_mailbox(box) as mailbox:
        mailbox.folder.create(TAKEN)
        mailbox.append(mail(9), TAKEN, dt=house.site.now() - timedelta(days=9))
        mailbox.append(mail(8), TAKEN, dt=house.site.now() - timedelta(days=5))
    assert poller(house, box).take_round() == 1
    with open_mailbox(box) as mailbox:
        mailbox.folder.set(TAKEN)
        assert {found.text.strip() for found in mailbox.fetch()} == {"F8", "F1"}


def test_rounds_follow_at_once_while_there_is_more(house: House, box: Imap, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    pauses: list[float] = []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        stopped.set()
        return True

    monkeypatch.setattr(imap, "MOST", 2)
    monkeypatch.setattr(stopped, "wait", wait)
    deliver(box, *map(mail, range(5)))
    Poller(house.site, box, stopped).run()
    assert len(kept(house.site)) == 5
    assert pauses == [imap.EVERY_S]


def test_a_server_that_fails_is_asked_less_and_less_often(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_wrong_password_is_an_error_that_is_named(server: Dovecot, house: House, box: Imap) -> None:
    with pytest.raises(ERRORS):
        poller(house, Imap(box.host, box.port, box.user, "wrong", tls="none")).take_round()


def test_a_server_that_falls_silent_is_given_up(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(SECONDS)
        with pytest.raises(OSError, match="timed out"):
            poller(house, Imap("127.0.0.1", silent.getsockname()[1], "a", "b", tls="none", timeout=0.2)).take_round()
