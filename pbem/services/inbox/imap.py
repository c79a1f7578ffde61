"""Empties a mailbox by IMAP, once a minute: each unseen mail is kept, then moved into the folder `pbem` beside it.

1. Connect, log in, select the folder. Nothing is remembered from the last round, so a server that numbers its mails
   anew (UIDVALIDITY) does no harm.
2. Of each unseen mail, the oldest first, fetch the bytes without marking it as seen; `take_in`; then move it. A process
   killed in between takes it in again, which is the same row.
3. A mail that cannot be fetched or kept stays where it is and is tried again after all others.
4. In `pbem`, delete what is older than KEPT_DAYS: until then a host whose database was restored can move it back.

There is no IDLE: a connection that has died without a word would look like an empty mailbox.
"""

import imaplib
import re
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta

import structlog
from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError
from sqlalchemy.exc import DBAPIError

from pbem.errors import Busy
from pbem.inbound import MAIL_BYTES, Imap
from pbem.services.inbox.intake import take_in
from pbem.services.site import Site

EVERY_S = 60.0
LONGEST_PAUSE_S = 900.0
MOST = 50
"""How many mails a round takes; the next round follows at once if there are more."""
TAKEN = "pbem"
"""The folder that mails are moved into."""
KEPT_DAYS = 7
ERRORS = (ImapToolsError, imaplib.IMAP4.error, OSError)
"""What a server or the network may do wrong; a time-out is an OSError."""

log = structlog.get_logger()


class Poller:
    """Empties one mailbox for a site; it runs in a thread of its own."""

    def __init__(self, site: Site, imap: Imap, stopped: threading.Event) -> None:
        self._site = site
        self._imap = imap
        self._stopped = stopped
        self._failures: Counter[str] = Counter()
        """How often each mail, by UIDVALIDITY and UID, could not be fetched or kept."""
        self._forgot_on: date | None = None

    def run(self) -> None:
        """Empties the mailbox every EVERY_S seconds until it is stopped; less often while it cannot."""
        pause = EVERY_S
        while not self._stopped.is_set():
            try:
                taken = self.take_round()
            except (*ERRORS, Busy, DBAPIError) as error:
                if pause == EVERY_S:
                    log.error("inbox.imap_failed", host=self._imap.host, reason=type(error).__name__)
                pause = min(pause * 2, LONGEST_PAUSE_S)
            else:
                if pause > EVERY_S:
                    log.warning("inbox.imap_works", host=self._imap.host)
                pause = EVERY_S
                if taken >= MOST:
                    continue
            self._stopped.wait(pause)

    def take_round(self) -> int:
        """Takes in what is there, MOST mails at most; returns their number.

        Raises one of ERRORS, Busy or DBAPIError; what was moved by then is kept.
        """
        with open_mailbox(self._imap) as mailbox:
            mailbox.folder.set(self._imap.folder)
            numbering = mailbox.client.response("UIDVALIDITY")[1][0]
            names = {uid: f"{numbering!r}/{uid}" for uid in mailbox.uids("UNSEEN UNDELETED", charset=None)}
            self._failures = Counter({name: self._failures[name] for name in names.values() if self._failures[name]})
            waiting = sorted(names, key=lambda uid: (self._failures[names[uid]], int(uid)))[:MOST]
            folder = taken_folder(mailbox) if waiting else TAKEN
            taken = 0
            for uid in waiting:
                if self._stopped.is_set():
                    break
                try:
                    self._take(mailbox, uid)
                except (Busy, DBAPIError, imaplib.IMAP4.abort, OSError):
                    raise
                except Exception as error:  # noqa: BLE001 - whatever is wrong with a mail, others wait behind it
                    self._failures[names[uid]] += 1
                    if self._failures[names[uid]] == 1:
                        log.error("inbox.not_kept", via="imap", reason=type(error).__name__, uid=uid)
                    continue
                mailbox.move(uid, folder)
                taken += 1
            self._forget_old(mailbox)
        return taken

    def _forget_old(self, mailbox: BaseMailBox) -> None:
        """Deletes, once a day, the mails that were taken long ago."""
        today = self._site.now().date()
        if self._forgot_on != today:
            mailbox.folder.set(taken_folder(mailbox))
            day = today - timedelta(days=KEPT_DAYS)
            mailbox.delete(mailbox.uids(f"BEFORE {day.day}-{_MONTHS[day.month - 1]}-{day.year}", charset=None))
            self._forgot_on = today

    def _take(self, mailbox: BaseMailBox, uid: str) -> None:
        """Keeps the mail. One that is too large is only moved, and logged."""
        size = re.search(rb"RFC822\.SIZE (\d+)", _fetched(mailbox, uid, "(RFC822.SIZE)")[0])
        if size is not None and int(size[1]) > MAIL_BYTES:
            log.error("inbox.too_large", via="imap", size=int(size[1]))
            return
        take_in(self._site, _fetched(mailbox, uid, "(BODY.PEEK[])")[1], via="imap")


@contextmanager
def open_mailbox(imap: Imap) -> Iterator[BaseMailBox]:
    """Opens the mailbox, logged in, with no folder selected. Raises one of ERRORS."""
    mailbox = _connect(imap)
    try:
        if imap.user.isascii() and imap.password.isascii():
            mailbox.login(imap.user, imap.password, initial_folder=None)
        else:
            mailbox.login_utf8(imap.user, imap.password, initial_folder=None)
        yield mailbox
    finally:
        try:
            mailbox.client.logout()
        except (imaplib.IMAP4.error, OSError):
            mailbox.client.shutdown()  # it has hung up already


def _connect(imap: Imap) -> BaseMailBox:
    if imap.tls == "none":
        return MailBoxUnencrypted(imap.host, imap.port, timeout=imap.timeout)
    kind = MailBox if imap.tls == "ssl" else MailBoxStartTls
    return kind(imap.host, imap.port, timeout=imap.timeout, ssl_context=ssl.create_default_context())


def taken_folder(mailbox: BaseMailBox) -> str:
    """Returns the folder for mails that are taken, created if need be: `pbem`, or below INBOX where servers insist."""
    inbox = mailbox.folder.list("", "INBOX")
    below = f"INBOX{inbox[0].delim if inbox else '.'}{TAKEN}"
    for name in (TAKEN, below):
        if mailbox.folder.exists(name):
            return name
    try:
        mailbox.folder.create(TAKEN)
    except ImapToolsError:
        mailbox.folder.create(below)
        return below
    return TAKEN


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _fetched(mailbox: BaseMailBox, uid: str, parts: str) -> tuple[bytes, bytes]:
    """Returns the head of the answer, and the literal in it. Raises MailVanished if the mail is gone."""
    status, said = mailbox.client.uid("FETCH", uid, parts)
    for item in said if status == "OK" else ():
        if isinstance(item, tuple):
            return item[0], item[1]
        if isinstance(item, bytes):
            return item, b""
    raise MailVanished(status)


class MailVanished(ImapToolsError):
    """The server does not hand out a mail that it has named."""
