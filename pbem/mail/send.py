"""Sends mails: to an SMTP relay, or into the mailbox folder of this machine.

    Failure
    ├── Refused             the relay's answer to one mail; `fault` says whether it is about the address or us
    │   ├── TemporaryFailure    4xx: the same mail may be taken later
    │   └── PermanentFailure    5xx: this mail will not be taken as it is
    └── RelayDown           the relay takes no mail now: stop the queue and raise the alarm

A transport is opened for a batch of mails and keeps its connection between them.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Protocol, Self, TypeVar

from pbem.environment import Smtp
from pbem.mail import mailbox, refusals
from pbem.mail.mime import Mail
from pbem.mail.refusals import PERMANENT, UNTRUSTED, Fault, Stage


class Failure(Exception):
    """A mail was not taken. `text` is the relay's answer, on one line."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())[:300]
        super().__init__(self.text)


class Refused(Failure):
    """The relay answered with `code`; `stage` says whether it refused the recipient or the mail."""

    def __init__(self, code: int, text: str, stage: Stage) -> None:
        super().__init__(text)
        self.code = code
        self.stage = stage
        self.fault: Fault = refusals.fault_of_refusal(code, self.text, stage)
        self.answer = refusals.answer_codes(code, self.text)

    def __str__(self) -> str:
        return f"{self.code} at {self.stage}: {self.text}"


class TemporaryFailure(Refused):
    """The relay cannot take this mail now."""


class PermanentFailure(Refused):
    """The relay will not take this mail as it is."""


class RelayDown(Failure):
    """The relay cannot be reached or trusted, or refuses the login or the sender: it is not about this mail."""


class Transport(Protocol):
    """Takes mails."""

    def send(self, mail: Mail, to: str) -> None:
        """Hands the mail over for one recipient; when it returns, the mail was taken. Raises Failure."""
        ...


class MailboxTransport:
    """Stores every mail in a folder, durably; a mail that is sent twice is there once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, mail: Mail, to: str) -> None:
        """Writes the mail under the id in its Message-ID. Raises RelayDown if the disk refuses: it takes no other."""
        try:
            mailbox.store_mail(self._folder, mail)
        except OSError as error:
            raise RelayDown(f"the folder of the mailbox cannot be written: {error.strerror or error}") from error


class SmtpTransport:
    """Hands mails to one relay: verified TLS, a time limit on every answer, one connection per batch.

    If the relay has closed the connection while it was idle, it is opened once more for the mail at hand. `context`
    says how certificates are checked: by the system's authorities unless given.
    """

    def __init__(self, smtp: Smtp, sender: str, context: ssl.SSLContext | None = None) -> None:
        self._smtp = smtp
        self._sender = sender
        self._given = context
        self._open: smtplib.SMTP | None = None

    @cached_property
    def context(self) -> ssl.SSLContext:
        """The TLS context, built when it is needed: reading a system's authorities takes longer than sending a mail."""
        return self._given or ssl.create_default_context()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        relay, self._open = self._open, None
        if relay is None:
            return
        try:
            relay.quit()
        except (smtplib.SMTPException, OSError):
            # Every mail has been answered already: nothing can be lost.
            relay.close()

    def send(self, mail: Mail, to: str) -> None:
        """Hands the mail over for one recipient. Raises TemporaryFailure, PermanentFailure or RelayDown."""
        if _UNADDRESSABLE.search(to) or to.count("@") != 1:
            raise PermanentFailure(553, "not an address that could stand in a command", "recipient")
        fresh = self._open is None
        while True:
            self._open = self._open or self._connect()
            try:
                self._hand_over(self._open, mail, to)
                return
            except (RelayDown, TemporaryFailure) as failure:
                if isinstance(failure, Refused) and failure.code != _CLOSING:
                    raise
                self._open.close()
                self._open = None
                if fresh:
                    raise
                fresh = True

    def _connect(self) -> smtplib.SMTP:
        """Returns a connection that is encrypted and logged in as the settings say."""
        there = self._smtp
        with _translate_errors_to_relay_down():
            if there.tls == "ssl":
                relay: smtplib.SMTP = smtplib.SMTP_SSL(
                    there.host, there.port, timeout=there.timeout, context=self.context
                )
            else:
                relay = smtplib.SMTP(there.host, there.port, timeout=there.timeout)
            try:
                if there.tls == "starttls":
                    relay.starttls(context=self.context)
                if there.user is not None and there.password is not None:
                    relay.login(there.user, there.password)
                relay.ehlo_or_helo_if_needed()
            except BaseException:
                relay.close()
                raise
        return relay

    def _hand_over(self, relay: smtplib.SMTP, mail: Mail, to: str) -> None:
        try:
            with _translate_errors_to_relay_down():
                sender = mail.return_path or self._sender
                options = () if (sender + to).isascii() else _UNICODE
                if relay.has_extn("pipelining"):
                    _send_pipelined(relay, sender, to, mail.raw, options)
                else:
                    relay.sendmail(sender, [to], mail.raw, options)
        except smtplib.SMTPRecipientsRefused as refused:
            code, text = refused.recipients[to]
            raise _failure_of_refusal(code, text, "recipient") from refused
        except (smtplib.SMTPDataError, smtplib.SMTPSenderRefused) as refused:
            of_sender = isinstance(refused, smtplib.SMTPSenderRefused)
            raise _failure_of_refusal(refused.smtp_code, refused.smtp_error, "data", of_sender=of_sender) from refused
        except (smtplib.SMTPNotSupportedError, ValueError) as error:
            # The address has letters beyond ASCII, which this relay cannot carry.
            raise PermanentFailure(553, str(error), "recipient") from error


def _send_pipelined(relay: smtplib.SMTP, sender: str, to: str, raw: bytes, options: Sequence[str]) -> None:
    """Does what `relay.sendmail` does, with MAIL, RCPT and DATA in one packet (RFC 2920): two round trips, not four.

    The library also searches the whole mail by a regular expression, which took a third of a mail with a picture.
    """
    if options and not relay.has_extn("smtputf8"):
        raise smtplib.SMTPNotSupportedError("SMTPUTF8 not supported by server")
    size = (f"SIZE={len(raw)}",) if relay.has_extn("size") else ()
    mail = " ".join((f"MAIL FROM:<{sender}>", *size, *options))
    relay.send(f"{mail}\r\nRCPT TO:<{to}>\r\nDATA\r\n".encode())
    code, text = relay.getreply()
    if code != _WELL:
        raise _end_transaction(relay, smtplib.SMTPSenderRefused(code, text, sender), code, waiting=2)
    code, text = relay.getreply()
    if code not in (_WELL, _FORWARDED):
        raise _end_transaction(relay, smtplib.SMTPRecipientsRefused({to: (code, text)}), code, waiting=1)
    code, text = relay.getreply()
    if code == _GO_ON:
        relay.send(raw.replace(b"\r\n.", b"\r\n..") + (b".\r\n" if raw.endswith(b"\r\n") else b"\r\n.\r\n"))
        code, text = relay.getreply()
        if code == _WELL:
            return
    raise _end_transaction(relay, smtplib.SMTPDataError(code, text), code, waiting=0)


Error = TypeVar("Error", bound=smtplib.SMTPException)


def _end_transaction(relay: smtplib.SMTP, error: Error, code: int, *, waiting: int) -> Error:
    """Returns the error, after the transaction has ended; `waiting` answers of the relay have not been read yet.

    Whatever the relay says or does after its refusal, the refusal counts.
    """
    if code == _CLOSING:
        return error  # the connection is dropped
    with suppress(smtplib.SMTPServerDisconnected):
        later = [relay.getreply()[0] for _ in range(waiting)]
        if later and later[-1] == _GO_ON:  # it waits for a mail although it has nobody to give it to
            relay.send(b".\r\n")
            relay.getreply()
        relay.rset()
    return error


_WELL, _FORWARDED, _GO_ON = 250, 251, 354
_UNADDRESSABLE = re.compile(r"[\s<>\x00-\x1f\x7f,;]")
_UNICODE = ("SMTPUTF8", "BODY=8BITMIME")
_TOO_LARGE = 552
_CLOSING = 421
""""Service not available, closing transmission channel": the answer on an idle connection before it is cut."""


def _failure_of_refusal(code: int, text: bytes | str, stage: Stage, *, of_sender: bool = False) -> Failure:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    # A permanently refused sender is a wrong setting; but 552 is about the size sent with it.
    if code in UNTRUSTED or (of_sender and code >= PERMANENT and code != _TOO_LARGE):
        return RelayDown(f"{code} {said}")
    kind = TemporaryFailure if refusals.is_temporary(code, said, stage) else PermanentFailure
    return kind(code, said, stage)


@contextmanager
def _translate_errors_to_relay_down() -> Iterator[None]:
    """Turns errors that are not about the mail into RelayDown."""
    try:
        yield
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPSenderRefused):
        raise
    except smtplib.SMTPNotSupportedError as error:
        if "SMTPUTF8" in str(error):
            raise
        raise RelayDown(f"the relay does not offer what the settings ask for: {error}") from error
    except (smtplib.SMTPException, OSError) as error:
        raise RelayDown(f"{type(error).__name__}: {error}") from error
