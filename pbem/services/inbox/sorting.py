"""Which mails of a mailbox are for this site: everything else in it is somebody's own, and is left alone.

Where PBEM_REPLY_TO has `{token}`, neither it without a token nor PBEM_FROM says so: a host may use them for mail of
their own. Mail that this site has sent is for its reader, even if the host plays from the very mailbox.
"""

from typing import Literal

from pbem.mail.compose import row_named
from pbem.mail.incoming import reports
from pbem.mail.incoming.message import Incoming, UnreadableMail, read_message
from pbem.services.inbox import canary
from pbem.services.inbox.whose import MOST_IDS, comes_back, find_token
from pbem.services.site import Site

Sort = Literal["ours", "report", "others"]


def sort_mail(site: Site, head: bytes) -> Sort:
    """Returns whether a mail with this head is for the site. Of a "report", only the rest says so: see `reports_ours`.

    A mail is for the site if it is sent to an address with a token, or to PBEM_REPLY_TO if that has none; if its
    subject has a token; if it answers a mail of the site; or if it is the mail that the site writes to itself.
    """
    if canary.is_ours(site, head):
        return "ours"
    incoming = _read(head)
    if incoming is None or (incoming.message_id and row_named(incoming.message_id, site.config.secret) is not None):
        return "others"
    answers = any(row_named(said, site.config.secret) is not None for said in incoming.references[:MOST_IDS])
    addressed = any(comes_back(site, recipient) for recipient in incoming.recipients)
    if answers or addressed or find_token(site, incoming) is not None:
        return "ours"
    may_report = b"multipart/report" in head.lower() or reports.is_by_reporter(incoming.senders)
    return "report" if may_report else "others"


def reports_ours(site: Site, raw: bytes) -> bool:
    """True if the mail reports on one that this site has sent."""
    incoming = _read(raw)
    if incoming is None or incoming.report is None or incoming.report.original_id is None:
        return False
    return row_named(incoming.report.original_id, site.config.secret) is not None


def _read(raw: bytes) -> Incoming | None:
    try:
        return read_message(raw, mail_from=None, recipients=(), own=lambda _address: False)
    except UnreadableMail:
        return None
