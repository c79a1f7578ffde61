"""A mail server with moods: it takes mail, refuses it, stalls, hangs up in the middle, or drops the answer."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Literal, get_args

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.production.sink import Sink

Mood = Literal["well", "away", "later", "closing", "full", "stalled", "cut", "unheard"]
"""Of "away" nobody listens; "later", "closing" and "full" are refusals for now; of "unheard" the mail is taken."""
BAD_MOODS: tuple[Mood, ...] = get_args(Mood)[1:]
STALL_S = 30.0

# What is left of a mail after a hang-up is not a command; its refusal is expected.
logging.getLogger("mail.log").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Taken:
    """A mail that was taken, and its recipients."""

    to: str
    message: EmailMessage

    @property
    def message_id(self) -> str:
        """The Message-ID."""
        return str(self.message["Message-ID"])


class Relay(Sink):
    """The mail server of a service under test."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Taken] = []
        self.troubled = Counter[Mood]()
        self._mood: Mood = "well"
        self._of: defaultdict[str, list[EmailMessage]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def mood(self) -> Mood:
        """The current mood."""
        return self._mood

    def become(self, mood: Mood) -> None:
        """Changes the mood."""
        was, self._mood = self._mood, mood
        if mood == "away":
            self.stop()
        elif was == "away":
            self.start()

    def start(self) -> None:
        """Listens."""
        self._controller = _Listening(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def to(self, address: str) -> list[EmailMessage]:
        """The mails to this address, oldest first."""
        return self._of[address][:]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Takes the address, refuses it for now, or stalls for longer than any client waits."""
        refusal = {"later": "451 try again later", "closing": "421 going down"}.get(self.mood)
        if refusal is not None:
            self.troubled[self.mood] += 1
            return refusal
        if self.mood == "stalled":
            self.troubled[self.mood] += 1
            await asyncio.sleep(STALL_S)
        envelope.rcpt_tos.append(address)
        return "250 go on"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd
        """Keeps the mail, unless the mood is to refuse it."""
        if self.mood == "full":
            self.troubled[self.mood] += 1
            return "452 no room just now"
        content = envelope.content
        assert isinstance(content, bytes)
        mail = message_from_bytes(content, _class=EmailMessage, policy=policy.default)
        with self._lock:
            self.got.append(mail)
            for address in envelope.rcpt_tos:
                self.taken.append(Taken(address, mail))
                self._of[address].append(mail)
        if self.mood == "unheard":
            self.troubled[self.mood] += 1
            hang_up(server)
        return "250 taken"


def hang_up(server: SMTP) -> None:
    """Cuts the connection without an answer."""
    if isinstance(server.transport, asyncio.WriteTransport):
        server.transport.abort()


class _Moody(SMTP):
    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd
        relay = self.event_handler
        if relay.mood != "cut":
            await super().smtp_DATA(arg)
            return
        relay.troubled[relay.mood] += 1
        await self.push("354 go on")
        await self._reader.read(200)
        hang_up(self)


class _Listening(Controller):
    def factory(self) -> SMTP:
        return _Moody(self.handler, ident="relay", timeout=120)
