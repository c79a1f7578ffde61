"""Sending what is due: at least once, the same Message-ID each time, in any number of workers.

1. Claim due rows by a conditional UPDATE with a lease: whoever changes a row has it; a crash frees it later.
2. Look up what each row stands for now; what has become pointless is closed without a mail.
3. Send, then close the row. A crash between the two repeats the mail under its old Message-ID.
4. A mail that the relay refuses for now comes again, later each time and with jitter; one that it refuses for
   good is closed as refused; a relay that is down ends the round, and all its rows stay due.
"""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import structlog
from sqlalchemy import or_, select, update

from pbem.mail.compose import compose
from pbem.mail.send import (
    MailboxTransport,
    PermanentFailure,
    RelayDown,
    SmtpTransport,
    TemporaryFailure,
    Transport,
)
from pbem.models.tables import OutboxRow, table
from pbem.services.letters import letter_for, reader_of
from pbem.services.site import Site

LEASE = timedelta(minutes=5)
BATCH = 20
ROUNDS = 50
FIRST_RETRY_S = 30
LAST_RETRY_S = 3600

log = structlog.get_logger()

OpenTransport = Callable[[], AbstractContextManager[Transport]]


def transport_for(site: Site) -> AbstractContextManager[Transport]:
    """The way out that the settings name: the relay, or the mailbox folder of this machine."""
    if site.config.smtp is None:
        return MailboxTransport(site.config.data / "mailbox")
    return SmtpTransport(site.config.smtp, site.config.mail_from)


def drain(site: Site, open_transport: OpenTransport | None = None) -> int:
    """Sends everything that is due; gives how many mails left. Safe to run twice or in two places at once."""
    sent = 0
    opener = open_transport or (lambda: transport_for(site))
    rows = _claim(site)
    if not rows:
        return 0
    with opener() as transport:
        for _ in range(ROUNDS):
            for at, row in enumerate(rows):
                try:
                    sent += _deliver(site, transport, row)
                except RelayDown as down:
                    log.error("mail.relay_down", reason=str(down))
                    _release(site, rows[at:])
                    return sent
            rows = _claim(site)
            if not rows:
                break
    return sent


def _claim(site: Site) -> list[int]:
    """The ids of up to BATCH due rows, now claimed, the oldest first."""
    now = site.now()
    t = table(OutboxRow)
    due = (t.c.done_at.is_(None), t.c.due_at <= now, or_(t.c.claimed_until.is_(None), t.c.claimed_until < now))
    with site.reading() as session:  # most ticks find nothing and need no write lock
        if session.execute(select(t.c.id).where(*due).limit(1)).first() is None:
            return []
    oldest = select(t.c.id).where(*due).order_by(t.c.due_at, t.c.id).limit(BATCH).scalar_subquery()
    with site.writing() as session:
        claimed = session.connection().execute(
            update(t).where(t.c.id.in_(oldest), *due).values(claimed_until=now + LEASE).returning(t.c.id)
        )
        return sorted(claimed.scalars())


def _deliver(site: Site, transport: Transport, row_id: int) -> bool:
    """Sends one claimed row's mail, or closes it without; says whether a mail left."""
    try:
        with site.reading() as session:
            row = session.get_one(OutboxRow, row_id)
            letter, result = letter_for(site, session, row)
            reader = reader_of(session, row)
            player_id = reader.player.id if reader else None
        if letter is not None:
            transport.send(compose(letter, site.config.secret), letter.to)
    except PermanentFailure as failure:
        log.warning("mail.refused", row=row_id, code=failure.code)
        result, letter = "refused", None
    except TemporaryFailure as failure:
        log.info("mail.deferred", row=row_id, code=failure.code)
        _postpone(site, row_id)
        return False
    except RelayDown:
        raise
    except Exception:
        # One row that cannot be rendered must not stop the others; it stays due and the log says why.
        log.exception("mail.failed", row=row_id)
        _postpone(site, row_id)
        return False
    _close(site, row_id, result, player_id)
    return letter is not None


def _close(site: Site, row_id: int, result: str, player_id: int | None) -> None:
    with site.writing() as session:
        row = session.get_one(OutboxRow, row_id)
        row.done_at, row.result, row.claimed_until = site.now(), result, None
        row.player_id = row.player_id or player_id
        row.attempts += 1


def _postpone(site: Site, row_id: int) -> None:
    with site.writing() as session:
        row = session.get_one(OutboxRow, row_id)
        row.attempts += 1
        wait = min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** min(row.attempts - 1, 10))
        # Jitter spreads retries over time; it decides nothing in a match.
        row.due_at = site.now() + timedelta(seconds=wait * random.uniform(0.75, 1.25))
        row.claimed_until = None


def _release(site: Site, rows: list[int]) -> None:
    t = table(OutboxRow)
    with site.writing() as session:
        session.connection().execute(
            update(t)
            .where(t.c.id.in_(rows), t.c.done_at.is_(None))
            .values(claimed_until=None, due_at=site.now() + timedelta(seconds=FIRST_RETRY_S))
        )


def resend(site: Site, row_id: int) -> None:
    """The host's "send it again": opens a closed row. Raises LookupError when there is none."""
    with site.writing() as session:
        row = session.get(OutboxRow, row_id)
        if row is None:
            raise LookupError(row_id)
        row.done_at, row.result, row.claimed_until, row.due_at = None, None, None, site.now()
        session.info["ring"] = True
