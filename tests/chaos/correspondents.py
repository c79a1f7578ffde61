"""Players who answer the mail about their turn by a reply to it, and the relay that hands their mails over."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from http.client import HTTPConnection, HTTPException
from typing import Literal, get_args

from tests.chaos.asking import Persistent
from tests.chaos.ledger import Reply
from tests.chaos.players import ByMail, key_of_question, links_of_choices
from tests.production.sink import text_of

Way = Literal["http", "lmtp"]
SERVER = "mx.pbem.example"
SECRET = "inbound-secret-of-chaos"
REPLY_TO = "play+{token}@pbem.example"
TIMEOUT_S = 10.0
UNHEARD = "deliveries never answered"


@dataclass(frozen=True)
class Courier:
    """A relay before the service, which listens for LMTP at this port; it vouches for every author."""

    lmtp_port: int

    @property
    def settings(self) -> dict[str, str]:
        """The settings of a service that takes mail from it in both ways."""
        return {
            "PBEM_REPLY_TO": REPLY_TO, "PBEM_AUTHSERV": SERVER, "PBEM_INBOUND_SECRET": SECRET,
            "PBEM_LMTP": f"127.0.0.1:{self.lmtp_port}",
        }  # fmt: skip

    def deliver(self, caller: Persistent, mail: EmailMessage, recipients: Sequence[str], way: Way) -> None:
        """Returns once the service has acknowledged the mail; notes that it has. Raises Over."""
        sender = mail["From"].addresses[0]
        raw = (
            f"Authentication-Results: {SERVER}; dmarc=pass header.from={sender.domain}\r\nReceived: by {SERVER}\r\n"
        ).encode() + mail.as_bytes(policy=SMTP)
        hand_over = self._post if way == "http" else self._by_lmtp
        while not hand_over(caller, raw, sender.addr_spec, recipients):
            caller.pause(0.1, 0.7)
        caller.ledger.deliver(str(mail["Message-ID"]), recipients)
        caller.ledger.count(f"deliveries acknowledged by {way}")

    @staticmethod
    def _post(caller: Persistent, raw: bytes, sender: str, recipients: Sequence[str]) -> bool:
        ledger = caller.ledger
        connection = HTTPConnection("127.0.0.1", caller.luck.choice(caller.ports), timeout=TIMEOUT_S)
        envelope = {"X-Envelope-From": sender, "X-Envelope-To": ",".join(recipients)}
        try:
            connection.request("POST", "/inbound", raw, {"Authorization": f"Bearer {SECRET}", **envelope})
            answer = connection.getresponse()
            answer.read()
        except (OSError, HTTPException):
            ledger.count(UNHEARD)
            return False
        finally:
            connection.close()
        if answer.status in (200, 201):
            return True
        ledger.count(f"deliveries answered {answer.status}")
        if answer.status != 503 or answer.headers["Retry-After"] is None:
            ledger.complain(f"{answer.status} to a relay that posts a mail")
        return False

    def _by_lmtp(self, caller: Persistent, raw: bytes, sender: str, recipients: Sequence[str]) -> bool:
        ledger = caller.ledger
        try:
            with smtplib.LMTP("127.0.0.1", self.lmtp_port, timeout=TIMEOUT_S) as client:
                refused = client.sendmail(sender, recipients, raw)
        except smtplib.SMTPResponseException as error:
            refused = {sender: (error.smtp_code, b"")}
        except smtplib.SMTPRecipientsRefused as error:
            refused = error.recipients
        except (OSError, smtplib.SMTPException):
            ledger.count(UNHEARD)
            return False
        for code, said in refused.values():
            ledger.count(f"deliveries answered {code}")
            if code >= 500:
                ledger.complain(f"{code} by LMTP: {said!r}")
        return not refused


PATIENCE = 60
"""How often they look in vain before they open the page: the answer takes a worker's time, as does the next mail."""
TWICE = 0.3
"""How often a relay hands a mail over twice, unchanged, though it was acknowledged."""
OTHER_WAY = 0.2
"""How often the mail comes a second time on another way, so that it is not the same bytes."""
OTHERWISE = 0.15
"""How often a player writes a second mail, with another answer to the same question."""


@dataclass
class ByReply(ByMail):
    """A player who types one of the legal answers above what they were sent; now and then two, now and then twice."""

    courier: Courier = field(kw_only=True)
    written: int = 0

    def step(self) -> bool:
        """Answers the newest mail if it is unread; returns whether a reply was acknowledged."""
        mails = self.relay.to(self.address)
        fresh, self.read = mails[self.read :], len(mails)
        asking = [mail for mail in fresh if key_of(mail) is not None]
        if asking:
            self.waited = 0
            return self.answer(asking[-1])
        self.waited += 1
        # A seat gets few answers an hour, so not each further question of a turn has a mail that can be answered.
        return self.waited > PATIENCE and self.open(f"{self.url}/play/{self.token}")

    def answer(self, mail: EmailMessage) -> bool:
        """Answers the question of the mail if it is still asked; returns whether it was."""
        found = self.api("/ask").json
        if not found.get("ask") or found["ask"]["sealed"] or found["ask"]["key"] != key_of(mail):
            return False
        luck, key = self.caller.luck, found["ask"]["key"]
        for _ in range(2 if luck.random() < OTHERWISE else 1):
            chosen = luck.choice(found["legal"])
            self.written += 1
            written = reply_to(mail, self.address, f"<{self.written}.{self.match_id}.{self.seat}@programs.example>")
            written.set_content(f"{chosen['text']}\n\nSomebody wrote:\n{quote_mail(mail)}")
            self.caller.ledger.reply(Reply(str(written["Message-ID"]), self.match_id, self.seat, key, chosen["move"]))
            self.send(written)
        return True

    def send(self, mail: EmailMessage) -> None:
        """Returns once all deliveries of the mail have been acknowledged."""
        luck, recipients = self.caller.luck, [str(mail["To"])]
        way, other = luck.sample(get_args(Way), 2)
        self.courier.deliver(self.caller, mail, recipients, way)
        if luck.random() < TWICE:
            self.courier.deliver(self.caller, mail, recipients, way)
        if luck.random() < OTHER_WAY:
            mail["X-Relay"] = "another"
            self.courier.deliver(self.caller, mail, recipients, other)


def key_of(mail: EmailMessage) -> str | None:
    """Returns the key of the question that the mail asks; None if it asks none that can be answered by a reply."""
    found = links_of_choices(mail)
    return key_of_question(found[-1]) if found and mail["Reply-To"] else None


def reply_to(mail: EmailMessage, author: str, message_id: str) -> EmailMessage:
    """Returns a mail without a text that answers this one."""
    reply = EmailMessage()
    reply["From"] = author
    reply["To"] = mail["Reply-To"].addresses[0].addr_spec
    reply["Subject"] = f"Re: {mail['Subject']}"
    reply["Message-ID"] = message_id
    reply["In-Reply-To"] = str(mail["Message-ID"])
    return reply


def quote_mail(mail: EmailMessage) -> str:
    """Returns the text of a mail as programs quote it."""
    return "".join(f"> {line}\n" for line in text_of(mail).splitlines())
