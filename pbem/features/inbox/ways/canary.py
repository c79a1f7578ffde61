"""The site writes to itself every hour: when the mail has come back through the inbox, all of the way works.

`send_canary_if_due` is called by the process of `pbem inbound`. The process that reads the inbox asks `is_our_canary`
first; a mail that is says nothing else, and `note_moment` and `note_kept_results` note it in the transaction that
closes its row.
"""

import hmac
import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sqlalchemy import Connection, delete, select, update
from sqlmodel import Session

from pbem.config import Config
from pbem.features.inbox.incoming.results import Malformed, fields_of_head
from pbem.features.inbox.settings import INBOUND
from pbem.mail.mime import Mail
from pbem.mail.send import Transport
from pbem.models.clocks import Heartbeat
from pbem.models.tables import table
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site

EVERY = timedelta(hours=1)
LATE = timedelta(hours=3)
"""From what age of the last return on something must be wrong."""
GOOD_FOR = timedelta(days=1)
SENT, RETURNED = "canary out", "canary"
"""The names of the rows with the moments of the last mail that left and of the last one that came back; until one has
come back, the latter is when the first one left."""
PASTED = "canary results"
"""The name of the row with the moment when our mail server let results through that the canary held in its name."""
FIELD = "X-Pbem-Canary"
_METHOD = "x-pbem-canary"
PLACED = "canary"
"""What its address has where others have their token."""
_MARK = re.compile(rb"^x-pbem-canary:[ \t]*([0-9]{1,12})\.([0-9a-f]{32})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HEAD = 64 * 1024


def sends_canaries(config: Config) -> bool:
    """True if this site sends canaries: mail leaves it, and comes in by a way of its own."""
    return bool(config.smtp and config.group(INBOUND).reply_to and config.group(INBOUND).intakes)


def send_canary_if_due(site: Site, transport: Transport) -> bool:
    """Sends a mail to the site's own address unless one has left within the hour, from any process; True if it did.

    Raises Busy, or what the transport raises: then the next one leaves in an hour.
    """
    now = site.now()
    t = table(Heartbeat)
    with site.writing() as work:
        due = insert_row_unless_key_exists(work, Heartbeat, {"name": SENT, "at": now})
        insert_row_unless_key_exists(
            work, Heartbeat, {"name": RETURNED, "at": now}
        )  # the age is counted from the first one that leaves
        if not due:
            claim = update(t).where(t.c.name == SENT, t.c.at <= now - EVERY).values(at=now)
            due = work.connection().execute(claim).rowcount == 1
    if due:
        mail, to = _write_canary(site.config, now)
        transport.send(mail, to)
    return due


def is_our_canary(site: Site, raw: bytes) -> bool:
    """True if the mail is one that this site has sent to itself within the last day."""
    head = re.split(rb"\r?\n\r?\n", raw[:_HEAD], maxsplit=1)[0]
    marks = _MARK.findall(head)
    if len(marks) != 1:
        return False
    at, mac = int(marks[0][0]), marks[0][1].decode()
    age = site.now().timestamp() - at
    return hmac.compare_digest(mac, _mac_of_canary(site.config, at)) and -60 <= age <= GOOD_FOR.total_seconds()


def note_moment(session: Session, name: str, now: datetime) -> None:
    """Notes that what is called so has happened: its last moment is kept."""
    t = table(Heartbeat)
    if not insert_row_unless_key_exists(session, Heartbeat, {"name": name, "at": now}):
        session.connection().execute(update(t).where(t.c.name == name, t.c.at < now).values(at=now))


def last_moment(connection: Connection, name: str) -> datetime | None:
    """Returns when what is called so has last happened; None if it never has."""
    t = table(Heartbeat)
    at: datetime | None = connection.execute(select(t.c.at).where(t.c.name == name)).scalar()
    return at


def note_kept_results(session: Session, now: datetime, config: Config, raw: bytes) -> None:
    """Notes whether the canary that has come back still holds the results that the site had pasted into it."""
    t, servers = table(Heartbeat), config.group(INBOUND).authserv
    try:
        values = [value for name, value in fields_of_head(raw) if name == "authentication-results"]
    except Malformed:
        values = []
    if any(_METHOD in value and server in value.casefold() for value in values for server in servers):
        note_moment(session, PASTED, now)
    else:
        session.connection().execute(delete(t).where(t.c.name == PASTED))


def lets_forged_results_through(connection: Connection) -> bool:
    """True if the last canary came back with the results that it had left with in our mail server's name.

    Anybody can then write such results; they count only where no sender reaches (`incoming.results`).
    """
    return last_moment(connection, PASTED) is not None


def age_of_last_return(connection: Connection, now: datetime) -> float | None:
    """Returns the seconds since a canary came back, or since the first one left if none has; None if none has left."""
    at = last_moment(connection, RETURNED)
    return max(0.0, (now - at).total_seconds()) if at is not None else None


def _mac_of_canary(config: Config, at: int) -> str:
    key = hmac.digest(config.secret.encode(), b"pbem.canary", "sha256")
    return hmac.digest(key, str(at).encode(), "sha256").hex()[:32]


def _write_canary(config: Config, now: datetime) -> tuple[Mail, str]:
    """Returns the mail, and its address."""
    at = int(now.timestamp())
    mac = _mac_of_canary(config, at)
    to = config.group(INBOUND).address(PLACED) or ""
    message = EmailMessage(policy=SMTP)
    message["From"] = config.mail_from
    message["To"] = to
    message["Subject"] = "Does mail come back?"
    message["Date"] = format_datetime(now.astimezone(UTC))
    message["Message-ID"] = f"<canary-{mac[:24]}{at:012x}@{config.mail_from.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message[FIELD] = f"{at}.{mac}"
    for server in config.group(INBOUND).authserv:  # a careful server deletes it (RFC 8601, 5)
        message["Authentication-Results"] = f"{server}; {_METHOD}=none"
    message.set_content("This site writes to itself every hour, to see whether answers by mail arrive.\n")
    return Mail(str(message["Message-ID"]), bytes(message)), to
