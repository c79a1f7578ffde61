"""Mail that comes in by LMTP: acknowledged once it is kept, for each recipient."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.errors import Busy
from pbem.features.inbox.settings import MAIL_BYTES, Lmtp
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import intake, lmtp
from pbem.features.inbox.ways.lmtp import Lmtpd, has_our_local_part
from pbem.models.tables import table
from pbem.services.site import Site
from tests.features.inbox.replying import comes_in
from tests.features.inbox.ways.lmtp import MAIL, OTHER, TO, Client
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS, wait_until
from tests.table import House


class Server:
    """An LMTP server in a thread."""

    def __init__(self, site: Site, path: str) -> None:
        self.path = path
        self.lmtpd = Lmtpd(site, Lmtp(path=path))
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self._call(self.lmtpd.start())

    def _call(self, coroutine: object) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(SECONDS)  # type: ignore[arg-type]

    def stop(self) -> None:
        """Stops it."""
        self._call(self.lmtpd.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(SECONDS)
        self.loop.close()


@contextmanager
def serve_lmtp(site: Site, folder: Path) -> Iterator[Client]:
    server = Server(replace(site, config=replace(site.config, **comes_in())), str(folder / "l"))
    client = Client(server.path)
    try:
        yield client
    finally:
        client.close()
        server.stop()


@pytest.fixture
def client(house: House, tmp_path: Path) -> Iterator[Client]:
    with serve_lmtp(house.site, tmp_path) as client:
        yield client


def inbox_rows(site: Site) -> list[InboxRow]:
    with site.reading() as session:
        return list(session.execute(select(InboxRow).order_by(table(InboxRow).c.id)).scalars())


def test_lmtp_stores_a_mail_with_its_envelope_before_acknowledging(client: Client, house: House) -> None:
    assert client.give(MAIL, TO) == ["250 2.0.0 OK"]
    (row,) = inbox_rows(house.site)
    assert (row.raw, row.via, row.mail_from) == (MAIL, "lmtp", "alice@example.org")
    assert row.recipients == f'["{TO}"]'


def test_lmtp_greets_as_rfc_2033_says(client: Client) -> None:
    assert client.greeting.startswith("220 ")
    (said,) = client.say("LHLO mx")
    offered = {line[4:] for line in said.splitlines()[1:]}
    assert {"PIPELINING", "ENHANCEDSTATUSCODES", "8BITMIME", "SMTPUTF8", f"SIZE {MAIL_BYTES}"} <= offered
    assert not any(line.startswith("AUTH") for line in offered)
    assert [said[:3] for said in client.say("EHLO mx", "HELO mx")] == ["500", "500"]


def test_lmtp_replies_per_recipient_but_stores_one_row(client: Client, house: House) -> None:
    assert client.give(MAIL, TO, OTHER) == ["250 2.0.0 OK"] * 2
    assert len(inbox_rows(house.site)) == 1
    assert client.give(MAIL, TO) == ["250 2.0.0 OK"]
    assert len(inbox_rows(house.site)) == 2


@pytest.mark.long
def test_a_repeated_lmtp_delivery_makes_no_second_row(client: Client, house: House) -> None:
    assert client.give(MAIL, TO) == client.give(MAIL, TO) == ["250 2.0.0 OK"]
    assert len(inbox_rows(house.site)) == 1


@pytest.mark.long
def test_lmtp_keeps_a_null_return_path_and_non_ascii_text(client: Client, house: House) -> None:
    raw = "From: Zoë <zoë@exämple.org>\r\n\r\nDéjà vu\r\n".encode()
    assert client.give(raw, TO, sender="", more=" BODY=8BITMIME SMTPUTF8") == ["250 2.0.0 OK"]
    assert client.give(raw, OTHER, sender="zoë@exämple.org", more=" SMTPUTF8") == ["250 2.0.0 OK"]
    assert [row.mail_from for row in inbox_rows(house.site)] == ["", "zoë@exämple.org"]
    assert inbox_rows(house.site)[0].raw == raw


def test_unknown_recipients_are_refused_and_the_others_are_not(client: Client, house: House) -> None:
    client.say("LHLO mx", "MAIL FROM:<alice@example.org>")
    said = client.say("RCPT TO:<postmaster@pbem.example>", f"RCPT TO:<{TO}>")
    assert said == ["550 5.1.1 No such mailbox here", "250 2.1.5 OK"]
    client.say("RSET", "MAIL FROM:<alice@example.org>", "RCPT TO:<nobody@pbem.example>")
    assert client.say("DATA")[0].startswith("503 5.0.0 ")
    assert inbox_rows(house.site) == []


@pytest.mark.parametrize("error", [Busy("locked"), RuntimeError("a fault")])
def test_a_mail_that_cannot_be_stored_now_is_deferred(
    error: Exception, client: Client, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise error

    monkeypatch.setattr(lmtp, "take_in_mail", fail)
    assert [said[:9] for said in client.give(MAIL, TO, OTHER)] == ["451 4.3.0"] * 2
    monkeypatch.undo()
    assert client.give(MAIL, TO, OTHER) == ["250 2.0.0 OK"] * 2
    assert len(inbox_rows(house.site)) == 1


@pytest.mark.long
def test_a_mail_that_is_too_large_is_refused_for_each_recipient(client: Client, house: House) -> None:
    assert client.say("LHLO mx", f"MAIL FROM:<a@example.org> SIZE={MAIL_BYTES + 1}")[1].startswith("552 5.0.0 ")
    large = MAIL + (b"x" * 70 + b"\r\n") * (MAIL_BYTES // 72 + 1)
    assert [said[:4] for said in client.give(large, TO, OTHER)] == ["552 "] * 2
    assert inbox_rows(house.site) == []
    assert client.give(MAIL + b"x" * 100_000 + b"\r\n", TO) == ["250 2.0.0 OK"]


def test_stopping_lmtp_lets_the_current_delivery_finish(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    keep: Callable[..., bool] = intake.take_in_mail

    def slow(*told: object, **more: object) -> bool:
        begun.set()
        assert go_on.wait(SECONDS)
        return keep(*told, **more)

    monkeypatch.setattr(lmtp, "take_in_mail", slow)
    site = replace(house.site, config=replace(house.site.config, **comes_in()))
    server = Server(site, str(tmp_path / "l"))
    client = Client(server.path)
    client.say("LHLO mx", "MAIL FROM:<a@example.org>", f"RCPT TO:<{TO}>", "DATA")
    client.socket.sendall(MAIL + b".\r\n")
    assert begun.wait(SECONDS)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    wait_until(lambda: not _listens(server.path), "the server to stop listening")
    go_on.set()
    assert client.reply() == "250 2.0.0 OK"
    assert client._file.readline() == b""
    stopping.join(SECONDS)
    client.close()
    assert len(inbox_rows(house.site)) == 1


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True


@cases(
    "reply_to, address, known",
    [
        ("play+{token}@pbem.example", "play+abc234@pbem.example", True),
        ("play+{token}@pbem.example", "PLAY+ABC234@elsewhere.example", True),
        ("play+{token}@pbem.example", "from@pbem.example", True),
        ("play+{token}@pbem.example", "play+@pbem.example", False),
        ("play+{token}@pbem.example", "play@pbem.example", False),
        ("play+{token}@pbem.example", "play+a.b@pbem.example", False),
        ("play+{token}@pbem.example", "xplay+abc@pbem.example", False),
        ("p.{token}.x@pbem.example", "p.abc.x@pbem.example", True),
        ("p.{token}.x@pbem.example", "pzabczx@pbem.example", False),
        ("{token}@pbem.example", "abc@pbem.example", True),
        ("play@pbem.example", "play@pbem.example", True),
        ("play@pbem.example", "play+abc@pbem.example", False),
        (None, "@pbem.example", False),
        (None, "a@pbem.example", False),
    ],
)
def test_lmtp_recognises_an_address_by_its_local_part(
    reply_to: str | None, address: str, known: bool, house: House
) -> None:
    config = replace(house.site.config, **comes_in(reply_to), mail_from="from@pbem.example")
    assert has_our_local_part(config, address) == known
