"""Takes mail in by LMTP (RFC 2033), from a mail server on this machine.

aiosmtpd's LMTP answers DATA once, whatever the number of recipients, and names neither of the two extensions that the
RFC wants; `_Protocol` does both. A mail is acknowledged when its row is committed: 250 for each recipient, or 451 for
each if that cannot be done now, and the mail server tries again.
"""

import asyncio
import logging
import os
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy.exc import DBAPIError

from pbem.config import Config
from pbem.errors import Busy
from pbem.features.inbox.settings import INBOUND, MAIL_BYTES, Lmtp
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.services.site import Site

AT_ONCE = 4
"""How many mails are written at the same time; others wait."""
MOST_RECIPIENTS = 100
LONGEST_LINE = 1024 * 1024
IDLE_S = 120.0
STOP_S = 5.0
_PLAIN_REPLY = re.compile(r"([245])\d\d (?!\d\.\d)")

log = structlog.get_logger()
logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # the library logs addresses


def has_our_local_part(config: Config, address: str) -> bool:
    """True if mail to this address is for the site: its local part is that of PBEM_REPLY_TO, with any token, or of
    PBEM_FROM, to which some programs answer. The domain is the mail server's business."""
    inbound, local = config.group(INBOUND), address.rpartition("@")[0]
    if local.casefold() == config.mail_from.rpartition("@")[0].casefold():
        return True
    token = inbound.token_in(f"{local}@{(inbound.reply_to or '').rpartition('@')[2]}")
    return token is not None and (not inbound.has_tokens or re.fullmatch(r"[a-z2-7]{1,40}", token) is not None)


class Lmtpd:
    """The LMTP server of a site; `start` and `stop` run on the event loop."""

    def __init__(self, site: Site, where: Lmtp) -> None:
        self._site = site
        self._where = where
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lmtp")
        self._server: asyncio.Server | None = None
        self._open: set[_Protocol] = set()
        self._taking = 0

    async def start(self) -> None:
        """Begins to listen. Raises OSError."""
        loop = asyncio.get_running_loop()
        if self._where.path is not None:
            _remove_socket(self._where.path)
            self._server = await loop.create_unix_server(self._protocol, self._where.path)
            os.chmod(self._where.path, 0o666)  # noqa: S103 - its folder says who may reach it
        else:
            self._server = await loop.create_server(self._protocol, self._where.host, self._where.port)

    async def stop(self) -> None:
        """Ends listening; returns when the mails in hand are answered, or after STOP_S."""
        assert self._server is not None, "it was started"
        self._server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                while self._taking:
                    await asyncio.sleep(0.02)
        for protocol in list(self._open):
            protocol.close_connection()
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._where.path is not None:
            _remove_socket(self._where.path)

    def _protocol(self) -> "_Protocol":
        return _Protocol(self, self._open)

    # --- what aiosmtpd asks ------------------------------------------------------------------------------------------

    async def handle_EHLO(  # noqa: N802 - the library's name
        self, _server: SMTP, session: Session, _envelope: Envelope, hostname: str, replies: list[str]
    ) -> list[str]:
        """Returns the answer to LHLO, with the extensions that an LMTP server must have."""
        session.host_name = hostname
        *others, _help = replies
        return [*others, "250-PIPELINING", "250 ENHANCEDSTATUSCODES"]

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Accepts the recipients that are the site's."""
        if not has_our_local_part(self._site.config, address):
            return "550 5.1.1 No such mailbox here"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Keeps the mail; returns what is said to each of its recipients."""
        self._taking += 1
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, self._take_in, envelope)
        except (Busy, DBAPIError) as error:
            log.warning("inbox.not_kept", via="lmtp", reason=type(error).__name__)
            return "451 4.3.0 Not now, please try again"
        finally:
            # The answer is written before another task runs, unless the client does not read.
            asyncio.get_running_loop().call_soon(self._note_mail_answered)
        return "250 2.0.0 OK"

    async def handle_exception(self, error: Exception) -> str:
        """Returns what is said after a fault of ours: the mail server keeps the mail and tries again."""
        log.error("inbox.lmtp_failed", exc_info=error)
        return "451 4.3.0 Not now, please try again"

    def _note_mail_answered(self) -> None:
        self._taking -= 1

    def _take_in(self, envelope: Envelope) -> None:
        sender = envelope.mail_from or ""
        raw: Any = envelope.original_content
        recipients = [str(address) for address in envelope.rcpt_tos]
        take_in_mail(self._site, raw, via="lmtp", mail_from="" if sender == "<>" else sender, recipients=recipients)


class _Protocol(LMTP):
    """A connection. After DATA each recipient gets a reply, and all replies have an enhanced status code."""

    line_length_limit = LONGEST_LINE

    def __init__(self, handler: Lmtpd, open_ones: "set[_Protocol]") -> None:
        super().__init__(
            handler,
            data_size_limit=MAIL_BYTES,
            enable_SMTPUTF8=True,
            hostname=socket.gethostname(),
            ident="pbem",
            timeout=IDLE_S,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            loop=asyncio.get_running_loop(),
        )
        self._open = open_ones
        self._replies = 1
        self._greets = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins to talk."""
        super().connection_made(transport)
        self._open.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        """Ends it."""
        self._open.discard(self)
        super().connection_lost(error)

    def close_connection(self) -> None:
        """Closes the connection."""
        if self.transport is not None:
            self.transport.close()

    async def push(self, status: Any) -> None:
        """Sends a reply: after the mail's data, as often as it has recipients."""
        text = status if isinstance(status, str) else bytes(status).decode()
        if not self._greets:
            text = _PLAIN_REPLY.sub(lambda found: f"{found[0]}{found[1]}.0.0 ", text, count=1)
        times, self._replies = self._replies, 1
        if text.startswith("354") and self.envelope is not None:
            self._replies = len(self.envelope.rcpt_tos)
        await super().push("\r\n".join([text] * times))

    async def smtp_LHLO(self, arg: str) -> None:  # noqa: N802 - the library's name
        """Greets."""
        self._greets = True
        await super().smtp_LHLO(arg)
        self._greets = False


def _remove_socket(path: str) -> None:
    """Removes the socket that an earlier process has left."""
    with suppress(FileNotFoundError):
        os.unlink(path)
