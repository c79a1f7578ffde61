"""Handing mails to a real SMTP server that accepts, defers, refuses, hangs up or does not know us."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

from pbem.environment import Smtp
from pbem.mail.compose import compose_mail
from pbem.mail.send import PermanentFailure, RelayDown, SmtpTransport, TemporaryFailure
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS
from tests.mail import samples

SENDER = "play@pbem.example"
BOB = "bob@players.example"
MAIL = compose_mail(samples.your_turn("fr"), samples.SECRET)


class Relay:
    """The server's answers and the mails it has taken; `answers` maps commands to answers."""

    def __init__(self, *, pipelining: bool = True) -> None:
        self.pipelining = pipelining
        self.answers: dict[str, str] = {}
        self.taken: list[tuple[str | None, list[str], bytes]] = []
        self.options: list[str] = []
        self.connections = 0
        self.hang_up_after: int | None = None

    async def handle_EHLO(  # noqa: N802  # aiosmtpd's name
        self, server: Any, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = hostname
        return [responses[0], *(["250-PIPELINING"] if self.pipelining else []), *responses[1:]]

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.hang_up_after is not None and len(self.taken) >= self.hang_up_after:
            self.hang_up_after = None
            server.transport.close()
        if answer := self.answers.get("MAIL"):
            return answer
        envelope.mail_from = address
        self.options = [option.upper() for option in options]
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.answers.get("RCPT"):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if answer := self.answers.get("DATA"):
            return answer
        assert isinstance(envelope.content, bytes)
        self.taken.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 OK"


@contextmanager
def serve_relay(relay: Relay, **settings: Any) -> Iterator[int]:
    """The port on which the relay answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    controller = Controller(relay, hostname="127.0.0.1", port=port, **settings)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture(params=[True, False], ids=["several commands at once", "one command at a time"])
def relay(request: pytest.FixtureRequest) -> Relay:
    return Relay(pipelining=request.param)


@pytest.fixture
def port(relay: Relay) -> Iterator[int]:
    with serve_relay(relay) as port:
        yield port


def settings_without_tls(port: int, **settings: Any) -> Smtp:
    return Smtp(host="127.0.0.1", port=port, tls="none", timeout=SECONDS, **settings)


def test_a_mail_arrives_whole_for_one_recipient(relay: Relay, port: int) -> None:
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        transport.send(MAIL, BOB)
    ((sender, recipients, content),) = relay.taken
    assert (sender, recipients) == (SENDER, [BOB])
    assert relay.options == [f"SIZE={len(MAIL.raw)}"], "a server that takes no mail of this size can say so at once"
    received = message_from_bytes(content, policy=default)
    assert isinstance(received, EmailMessage)
    assert received["Message-ID"] == MAIL.id
    assert f"\r\nList-Unsubscribe: <https://pbem.example/mute/{samples.TOKEN}>\r\n".encode() in content
    body = received.get_body(("plain",))
    assert body is not None
    assert "À vous de répondre" in body.get_content()


def test_a_batch_uses_one_connection(relay: Relay, port: int) -> None:
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        for _ in range(3):
            transport.send(MAIL, BOB)
    assert len(relay.taken) == 3
    assert relay.connections == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "answer", "failure", "stage"),
    [
        ("RCPT", "450 try later", TemporaryFailure, "recipient"),
        ("RCPT", "550 no such user here", PermanentFailure, "recipient"),
        ("DATA", "451 out of disk", TemporaryFailure, "data"),
        ("DATA", "554 looks like spam", PermanentFailure, "data"),
        ("MAIL", "451 greylisted", TemporaryFailure, "data"),
    ],
)
def test_the_relays_answers_are_sorted_into_sent_deferred_and_refused(
    relay: Relay, port: int, command: str, answer: str, failure: type[TemporaryFailure], stage: str
) -> None:
    relay.answers[command] = answer
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        with pytest.raises(failure) as raised:
            transport.send(MAIL, BOB)
        assert f"{raised.value.code} {raised.value.text}" == answer
        assert raised.value.stage == stage
        relay.answers.clear()
        transport.send(MAIL, "carol@players.example")
    assert [recipients for _, recipients, _ in relay.taken] == [["carol@players.example"]]
    assert relay.connections == 1, "a refusal does not cost the connection"


@cases("after", [["354 go on", "554 nobody to give it to", "250 reset"], ["503 no"], []])
def test_a_refused_recipient_counts_even_if_the_relay_then_hangs_up(after: list[str]) -> None:
    """It may wait for a mail that nobody gets, or hang up before it answers all commands."""
    says = ["250-here\r\n250 PIPELINING", "250 OK", "550 5.1.1 no such user", *after]
    heard: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(b"220 here\r\n")
            for answer in says:
                heard.append(lines.readline())
                connection.sendall(f"{answer}\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Thread(target=serve, args=(listener,))
        server.start()
        port = listener.getsockname()[1]
        with (
            SmtpTransport(settings_without_tls(port), SENDER) as transport,
            pytest.raises(PermanentFailure, match=r"5\.1\.1"),
        ):
            transport.send(MAIL, BOB)
        server.join()
    assert [line[:4] for line in heard] == [b"ehlo", b"MAIL", b"RCPT", b"DATA", b".\r\n", b"rset"][: len(says)]


@pytest.mark.long
def test_a_refused_sender_stops_the_queue_instead_of_blaming_the_recipient(relay: Relay, port: int) -> None:
    relay.answers["MAIL"] = "550 sender not allowed"
    with (
        SmtpTransport(settings_without_tls(port), SENDER) as transport,
        pytest.raises(RelayDown, match="550 sender not allowed"),
    ):
        transport.send(MAIL, BOB)


@cases("command, code", [("RCPT", 530), ("DATA", 530), ("RCPT", 534), ("RCPT", 535), ("RCPT", 538)])
def test_a_login_demanded_late_in_the_session_stops_the_queue(relay: Relay, port: int, command: str, code: int) -> None:
    relay.answers[command] = f"{code} 5.7.0 Authentication required"
    with SmtpTransport(settings_without_tls(port), SENDER) as transport, pytest.raises(RelayDown, match=str(code)):
        transport.send(MAIL, BOB)


def test_a_mail_that_is_too_large_does_not_stop_the_queue(relay: Relay, port: int) -> None:
    relay.answers["MAIL"] = "552 5.3.4 Message size exceeds fixed limit"
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        with pytest.raises(PermanentFailure) as raised:
            transport.send(MAIL, BOB)
        assert (raised.value.fault, raised.value.answer) == ("ours", "552 5.3.4")
        relay.answers.clear()
        transport.send(MAIL, BOB)
    assert len(relay.taken) == 1


def test_a_full_mailbox_is_retried_and_denied_relaying_is_our_own_fault(relay: Relay, port: int) -> None:
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        relay.answers["RCPT"] = "552 5.2.2 over quota"
        with pytest.raises(TemporaryFailure) as full:
            transport.send(MAIL, BOB)
        relay.answers["RCPT"] = "550 relay not permitted"
        with pytest.raises(PermanentFailure) as denied:
            transport.send(MAIL, BOB)
    assert (full.value.fault, denied.value.fault) == ("address", "ours")


def test_a_connection_closed_while_idle_is_opened_once_more(relay: Relay, port: int) -> None:
    relay.hang_up_after = 1
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        transport.send(MAIL, BOB)
        transport.send(MAIL, BOB)
    assert len(relay.taken) == 2
    assert relay.connections == 2


def test_a_relay_that_says_goodbye_to_an_idle_connection_is_called_again(relay: Relay, port: int) -> None:
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        transport.send(MAIL, BOB)
        relay.answers["MAIL"] = "421 idle for too long"
        with pytest.raises(TemporaryFailure, match="421"):
            transport.send(MAIL, BOB)
        assert relay.connections == 2, "once, not for ever"
        relay.answers.clear()
        transport.send(MAIL, BOB)
    assert len(relay.taken) == 2


def test_a_relay_that_hangs_up_at_once_is_down(relay: Relay, port: int) -> None:
    relay.hang_up_after = 0
    with SmtpTransport(settings_without_tls(port), SENDER) as transport:
        with pytest.raises(RelayDown):
            transport.send(MAIL, BOB)
        transport.send(MAIL, BOB)
    assert len(relay.taken) == 1, "the next mail opens a connection of its own"


def test_an_unreachable_relay_raises_relay_down() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with (
            SmtpTransport(settings_without_tls(closed.getsockname()[1]), SENDER) as transport,
            pytest.raises(RelayDown),
        ):
            transport.send(MAIL, BOB)


@pytest.mark.long
def test_a_relay_that_never_answers_is_down_after_the_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = Smtp(host="127.0.0.1", port=silent.getsockname()[1], tls="none", timeout=0.2)
        with SmtpTransport(settings, SENDER) as transport, pytest.raises(RelayDown, match="timed out"):
            transport.send(MAIL, BOB)


def check_login(server: Any, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
    assert isinstance(data, LoginPassword)
    return AuthResult(success=(data.login, data.password) == (b"pbem", b"right"), handled=False)


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_login_that_is_refused_stops_the_queue(relay: Relay) -> None:
    with serve_relay(relay, authenticator=check_login, auth_require_tls=False, auth_required=True) as port:
        wrong = settings_without_tls(port, user="pbem", password="wrong")
        with SmtpTransport(wrong, SENDER) as transport, pytest.raises(RelayDown, match="535"):
            transport.send(MAIL, BOB)
        with SmtpTransport(settings_without_tls(port, user="pbem", password="right"), SENDER) as transport:
            transport.send(MAIL, BOB)
    assert len(relay.taken) == 1


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_relay_that_asks_for_a_login_nobody_gave_stops_the_queue(relay: Relay) -> None:
    with (
        serve_relay(relay, authenticator=check_login, auth_require_tls=False, auth_required=True) as port,
        SmtpTransport(settings_without_tls(port), SENDER) as transport,
        pytest.raises(RelayDown, match="530"),
    ):
        transport.send(MAIL, BOB)


def test_no_mail_is_sent_unencrypted_when_the_relay_offers_no_starttls(relay: Relay, port: int) -> None:
    settings = Smtp(host="127.0.0.1", port=port, tls="starttls", timeout=SECONDS)
    with SmtpTransport(settings, SENDER) as transport, pytest.raises(RelayDown, match="STARTTLS"):
        transport.send(MAIL, BOB)
    assert relay.taken == []


def test_smtp_verifies_certificates_and_host_names_by_default() -> None:
    context = SmtpTransport(settings_without_tls(25), SENDER).context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost that nobody has signed, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate and is not there")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost "
    subprocess.run([openssl, *command.split(), "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


@pytest.mark.long
@pytest.mark.parametrize("tls", ["ssl", "starttls"])
def test_an_unknown_certificate_stops_the_queue_and_a_known_one_does_not(
    relay: Relay, certificate: tuple[Path, Path], tls: Any
) -> None:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(*certificate)
    known = ssl.create_default_context(cafile=str(certificate[0]))
    with serve_relay(relay, **{"ssl_context" if tls == "ssl" else "tls_context": server}) as port:
        settings = Smtp(host="localhost", port=port, tls=tls, timeout=SECONDS)
        with SmtpTransport(settings, SENDER) as transport, pytest.raises(RelayDown, match="certificate"):
            transport.send(MAIL, BOB)
        assert relay.taken == []
        with SmtpTransport(settings, SENDER, known) as transport:
            transport.send(MAIL, BOB)
    assert len(relay.taken) == 1


def test_an_address_that_the_relay_cannot_carry_is_refused_for_good(relay: Relay) -> None:
    with (
        serve_relay(relay, enable_SMTPUTF8=False) as port,
        SmtpTransport(settings_without_tls(port), SENDER) as transport,
    ):
        with pytest.raises(PermanentFailure, match="SMTPUTF8"):
            transport.send(MAIL, "chloé@players.example")
        with pytest.raises(PermanentFailure):
            transport.send(MAIL, "bob@players.example>\r\nRCPT TO:<eve@evil.example")
        transport.send(MAIL, BOB)
    assert [recipients for _, recipients, _ in relay.taken] == [[BOB]]


def test_closing_a_batch_tolerates_a_relay_that_has_gone(relay: Relay) -> None:
    with serve_relay(relay) as port:
        transport = SmtpTransport(settings_without_tls(port), SENDER)
        transport.__enter__()
        transport.send(MAIL, BOB)
    transport.__exit__(None, None, None)
    assert len(relay.taken) == 1
