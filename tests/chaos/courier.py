"""Hands what players write over to the service, as a relay does: again and again until it is acknowledged."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from http.client import HTTPConnection, HTTPException
from typing import Literal
from urllib.parse import urlencode

from tests.chaos.asking import Persistent

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
            f"Received: by {SERVER}\r\nAuthentication-Results: {SERVER}; dmarc=pass header.from={sender.domain}\r\n"
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
        query = urlencode({"from": sender, "to": recipients}, doseq=True)
        try:
            connection.request("POST", f"/inbound?{query}", raw, {"Authorization": f"Bearer {SECRET}"})
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
