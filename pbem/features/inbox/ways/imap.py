"""Takes what is for this site out of a mailbox by IMAP, once a minute; everything else in it is left as it is.

1. Connect, log in, select the folder. Nothing but which mails are not for the site is remembered from the last round,
   by the server's numbering (UIDVALIDITY).
2. Of each unseen mail, the oldest first, look at the head without marking it as seen. Of those that are for the site
   (`sorting`) fetch the bytes and `take_in_mail`; then move them into the folder TAKEN beside it. A process killed in
   between takes the mail in again, which is the same row.
3. A mail that cannot be fetched or kept stays where it is and is tried again after all others.

Nothing is ever deleted: TAKEN is the host's to empty. Where a server cannot move (RFC 6851), a copy would have to be
deleted, so the mail is marked as seen instead.

There is no IDLE: a connection that has died without a word would look like an empty mailbox.
"""

import imaplib
import re
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import structlog
from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError
from imap_tools.utils import encode_folder
from sqlalchemy.exc import DBAPIError

from pbem.errors import Busy
from pbem.features.inbox.incoming import reports
from pbem.features.inbox.incoming.message import Incoming, UnreadableMail, read_message
from pbem.features.inbox.settings import MAIL_BYTES, TAKEN, Imap
from pbem.features.inbox.ways import canary
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.features.inbox.whose import MOST_IDS, is_own_reply_address, meaning_of_first_token
from pbem.mail.compose import row_of_message_id
from pbem.services.site import Site

EVERY_S = 60.0
LONGEST_PAUSE_S = 900.0
MOST = 50
"""How many mails a round looks at; the next round follows at once if there are more."""
HEAD_BYTES = 512 * 1024
"""How much of a mail's head is looked at."""
ERRORS = (ImapToolsError, imaplib.IMAP4.error, OSError)
"""What a server or the network may do wrong; a time-out is an OSError."""

log = structlog.get_logger()


class Poller:
    """Takes what is for a site out of one mailbox; it runs in a thread of its own."""

    def __init__(self, site: Site, imap: Imap, stopped: threading.Event) -> None:
        self._site = site
        self._imap = imap
        self._stopped = stopped
        self._failures: Counter[str] = Counter()
        """How often each mail, by UIDVALIDITY and UID, could not be fetched or kept."""
        self._others: set[str] = set()
        """The unseen mails, named in the same way, that are not for the site."""

    def run(self) -> None:
        """Looks into the mailbox every EVERY_S seconds until it is stopped; less often while it cannot."""
        pause = EVERY_S
        while not self._stopped.is_set():
            try:
                looked_at = self.take_in_once()
            except (*ERRORS, Busy, DBAPIError) as error:
                if pause == EVERY_S:
                    log.error("inbox.imap_failed", host=self._imap.host, reason=type(error).__name__)
                pause = min(pause * 2, LONGEST_PAUSE_S)
            else:
                if pause > EVERY_S:
                    log.warning("inbox.imap_works", host=self._imap.host)
                pause = EVERY_S
                if looked_at >= MOST:
                    continue
            self._stopped.wait(pause)

    def take_in_once(self) -> int:
        """Takes in what is there for the site, of MOST mails at most; returns the number of mails looked at.

        Raises one of ERRORS, Busy or DBAPIError; what was moved by then is kept.
        """
        with open_mailbox(self._imap) as mailbox:
            mailbox.folder.set(self._imap.folder)
            numbering = mailbox.client.response("UIDVALIDITY")[1][0]
            names = {uid: f"{numbering!r}/{uid}" for uid in mailbox.uids("UNSEEN UNDELETED", charset=None)}
            self._failures = Counter({name: self._failures[name] for name in names.values() if self._failures[name]})
            self._others.intersection_update(names.values())
            unknown = [uid for uid in names if names[uid] not in self._others]
            waiting = sorted(unknown, key=lambda uid: (self._failures[names[uid]], int(uid)))[:MOST]
            looked_at = 0
            for uid in waiting:
                if self._stopped.is_set():
                    break
                looked_at += self._take_in_and_move(mailbox, uid, names[uid])
        return looked_at

    def _take_in_and_move(self, mailbox: BaseMailBox, uid: str, name: str) -> bool:
        """Takes the mail in and moves it, if it is for the site; returns False if that failed, for this mail alone."""
        try:
            is_ours = self._keep_if_ours(mailbox, uid)
        except (Busy, DBAPIError, imaplib.IMAP4.abort, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a mail, others wait behind it
            self._failures[name] += 1
            if self._failures[name] == 1:
                log.error("inbox.not_kept", via="imap", reason=type(error).__name__, uid=uid)
            return False
        if is_ours:
            move_to_taken(mailbox, uid)
        else:
            self._others.add(name)
        return True

    def _keep_if_ours(self, mailbox: BaseMailBox, uid: str) -> bool:
        """Keeps the mail if it is for the site, and returns whether it is. Of one that is too large, keeps the head."""
        told, head = _fetch_parts(mailbox, uid, f"(RFC822.SIZE BODY.PEEK[HEADER]<0.{HEAD_BYTES}>)")
        sort = sort_of_mail_with_head(self._site, head)
        if sort == "others":
            return False
        found = re.search(rb"RFC822\.SIZE (\d+)", told)
        size = int(found[1]) if found is not None else 0
        if size > MAIL_BYTES:
            log.error("inbox.too_large", via="imap", size=size)
            if sort == "ours":
                take_in_mail(self._site, head, via="imap", size=size)
            return sort == "ours"
        raw = _fetch_parts(mailbox, uid, "(BODY.PEEK[])")[1]
        if sort == "report" and not is_report_on_our_mail(self._site, raw):
            return False
        take_in_mail(self._site, raw, via="imap")
        return True


@contextmanager
def open_mailbox(imap: Imap) -> Iterator[BaseMailBox]:
    """Opens the mailbox, logged in, with no folder selected. Raises one of ERRORS."""
    mailbox = _connect_to_server(imap)
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


def _connect_to_server(imap: Imap) -> BaseMailBox:
    if imap.tls == "none":
        return MailBoxUnencrypted(imap.host, imap.port, timeout=imap.timeout)
    kind = MailBox if imap.tls == "ssl" else MailBoxStartTls
    return kind(imap.host, imap.port, timeout=imap.timeout, ssl_context=ssl.create_default_context())


def move_to_taken(mailbox: BaseMailBox, uid: str) -> None:
    """Moves the mail into the folder TAKEN, or marks it as seen where the server cannot move. Raises one of ERRORS."""
    status, able = mailbox.client.capability()  # servers say more of it once somebody has logged in
    if status == "OK" and b"MOVE" in b" ".join(able).upper().split():
        done = mailbox.client.uid("MOVE", uid, encode_folder(folder_of_taken(mailbox)).decode("ascii"))
    else:
        done = mailbox.client.uid("STORE", uid, "+FLAGS.SILENT", r"(\Seen)")
    if done[0] != "OK":
        raise NotDone(done[0])


def folder_of_taken(mailbox: BaseMailBox) -> str:
    """Returns the folder for mails that are taken, created if need be: TAKEN, or below INBOX where servers insist."""
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


def _fetch_parts(mailbox: BaseMailBox, uid: str, parts: str) -> tuple[bytes, bytes]:
    """Returns what the answer says beside its literal, and the literal. Raises NotDone if the mail is gone."""
    status, said = mailbox.client.uid("FETCH", uid, parts)
    items = said if status == "OK" else []
    literal = next((item[1] for item in items if isinstance(item, tuple)), None)
    if literal is None:
        raise NotDone(status)
    return b" ".join(item[0] if isinstance(item, tuple) else item for item in items), literal


class NotDone(ImapToolsError):
    """The server does not hand out a mail that it has named, or does not move or mark it."""


# --- which mails are for this site ---------------------------------------------------------------------------

Sort = Literal["ours", "report", "others"]


def sort_of_mail_with_head(site: Site, head: bytes) -> Sort:
    """Returns whether a mail with this head is for the site; of a "report", only the rest says so.

    See `is_report_on_our_mail` for such a report.

    A mail is for the site if it is sent to an address with a token, or to PBEM_REPLY_TO if that has none; if its
    subject has a token; if it answers a mail of the site; or if it is the mail that the site writes to itself.
    """
    if canary.is_our_canary(site, head):
        return "ours"
    incoming = _read_or_none(head)
    if incoming is None or (
        incoming.message_id and row_of_message_id(incoming.message_id, site.config.secret) is not None
    ):
        return "others"
    answers = any(row_of_message_id(said, site.config.secret) is not None for said in incoming.references[:MOST_IDS])
    addressed = any(is_own_reply_address(site, recipient) for recipient in incoming.recipients)
    if answers or addressed or meaning_of_first_token(site, incoming) is not None:
        return "ours"
    may_report = b"multipart/report" in head.lower() or reports.is_by_reporter(incoming.senders)
    return "report" if may_report else "others"


def is_report_on_our_mail(site: Site, raw: bytes) -> bool:
    """True if the mail reports on one that this site has sent."""
    incoming = _read_or_none(raw)
    if incoming is None or incoming.report is None or incoming.report.original_id is None:
        return False
    return row_of_message_id(incoming.report.original_id, site.config.secret) is not None


def _read_or_none(raw: bytes) -> Incoming | None:
    try:
        return read_message(raw, mail_from=None, recipients=(), own=lambda _address: False)
    except UnreadableMail:
        return None
