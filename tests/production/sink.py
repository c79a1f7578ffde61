"""A mail server that takes everything, and functions that read its mails."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


def free_port() -> int:
    """Returns a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Sink:
    """A mail server that takes everything; while `open` is cleared, it answers no mail."""

    def __init__(self) -> None:
        self.port = free_port()
        self.got: list[EmailMessage] = []
        self.begun = 0
        self.open = threading.Event()
        self.open.set()
        self._controller: Controller | None = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd
        """Keeps the mail."""
        self.begun += 1
        if not self.open.is_set():
            await asyncio.to_thread(self.open.wait)
        content = envelope.content
        assert isinstance(content, bytes)
        self.got.append(message_from_bytes(content, _class=EmailMessage, policy=policy.default))
        return "250 taken"

    def start(self) -> None:
        """Listens."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def stop(self) -> None:
        """Stops listening."""
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def to(self, address: str) -> list[EmailMessage]:
        """The mails to this address, oldest first."""
        return [mail for mail in [*self.got] if mail["To"].addresses[0].addr_spec == address]


def text_of(mail: EmailMessage) -> str:
    """The text half of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def links_in_mail(mail: EmailMessage, purpose: str) -> list[str]:
    """The links of one kind in a mail."""
    return re.findall(rf"https?://\S+/{purpose}/\S+", text_of(mail))
