"""Sending what is due: at least once, the same Message-ID each time, in any number of workers.

For one row after the other:

1. Claim it by a conditional UPDATE with a lease: whoever changes the row has it; a crash frees it later.
2. Look up what it stands for now; what has become pointless is closed without a mail.
3. Send, then close the row, and start the clocks that waited for the mail. A crash between sending and closing
   repeats the mail under its old Message-ID.
4. A mail that the relay refuses comes again, later each time and with jitter, until it is given up (see `bounces`); a
   relay that is down ends the run, and all rows stay due: their age raises the alarm.

A run sends so many mails and rings for the next one, so that clocks and bots get their turn in between.
"""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import structlog
from sqlalchemy import or_, select, update

from pbem.errors import Busy
from pbem.mail.compose import compose
from pbem.mail.send import MailboxTransport, Refused, RelayDown, SmtpTransport, Transport
from pbem.models.tables import OutboxRow, table
from pbem.services import bounces
from pbem.services.desk import reader_of
from pbem.services.letters import letter_for
from pbem.services.mailed import start_clocks
from pbem.services.site import Site
from pbem.services.store import RING
from pbem.services.tally import note

LEASE = timedelta(minutes=5)
RUN = 50
CLOSE_TRIES = 5

log = structlog.get_logger()

OpenTransport = Callable[[], AbstractContextManager[Transport]]


def transport_for(site: Site) -> AbstractContextManager[Transport]:
    """The way out that the settings name: the relay, or the mailbox folder of this machine."""
    if site.config.smtp is None:
        return MailboxTransport(site.config.data / "mailbox")
    return SmtpTransport(site.config.smtp, site.config.mail_from)


def drain(site: Site, open_transport: OpenTransport | None = None) -> int:
    """Sends what is due, up to RUN rows; gives how many mails left. Safe to run twice or in two places at once."""
    opener = open_transport or (lambda: transport_for(site))
    first = _claim(site)
    if first is None:
        return 0
    with opener() as transport:
        sent = _send(site, transport, first)
    return sent


def _send(site: Site, transport: Transport, row: int | None) -> int:
    sent = 0
    for _ in range(RUN):
        if row is None:
            return sent
        try:
            sent += _deliver(site, transport, row)
        except RelayDown as down:
            log.error("mail.relay_down", reason=str(down))
            _postpone(site, row, bounces.FIRST_RETRY_S, still_due=True)
            return sent
        if site.stopping():
            return sent
        row = _claim(site)
    if row is not None:
        _postpone(site, row, 0, still_due=True)
    site.ring()
    return sent


def _claim(site: Site) -> int | None:
    """The id of the row that has been due longest, now claimed; None when nothing is due."""
    now = site.now()
    t = table(OutboxRow)
    due = (t.c.done_at.is_(None), t.c.due_at <= now, or_(t.c.claimed_until.is_(None), t.c.claimed_until < now))
    oldest = select(t.c.id).where(*due).order_by(t.c.due_at, t.c.id).limit(10)
    with site.reading() as session:  # most ticks find nothing and need no write lock
        candidates = session.execute(oldest).scalars().all()
    for row in candidates:
        with site.writing() as session:
            taken = session.connection().execute(
                update(t).where(t.c.id == row, *due).values(claimed_until=now + LEASE, answer=None)
            )
            if taken.rowcount == 1:
                return int(row)
    return None


def _deliver(site: Site, transport: Transport, row_id: int) -> bool:
    """Sends one claimed row's mail, or closes it without; says whether a mail left."""
    at, player_id = site.now(), None
    try:
        with site.reading() as session:
            row = session.get_one(OutboxRow, row_id)
            letter, result = letter_for(site, session, row)
            reader = reader_of(session, row)
            player_id = reader.player.id if reader else None
        if letter is not None:
            transport.send(compose(letter, site.config.secret), letter.to)
    except Refused as refused:
        _put_off(site, row_id, refused, player_id, at)
        return False
    except (RelayDown, Busy):
        raise
    except Exception:
        # One row that cannot be rendered must not stop the others; it stays due and the log says why.
        log.exception("mail.failed", row=row_id)
        _put_off(site, row_id, None, player_id, at)
        return False
    if result == "capped":
        _postpone(site, row_id, bounces.LAST_RETRY_S)
        return False
    _close(site, row_id, result, player_id, at)
    return letter is not None


def _put_off(site: Site, row_id: int, refused: Refused | None, player_id: int | None, at: datetime) -> None:
    """Leaves a mail that was refused, or could not be written, for later, or closes it where it is given up."""
    given_up = bounces.verdict(site, row_id, refused)
    answer, ours = (refused.answer, refused.fault == "ours") if refused else (None, True)
    say = log.error if ours else log.info
    say("mail.refused" if refused else "mail.unwritten", row=row_id, answer=answer, ours=ours, result=given_up)
    if given_up is None:
        _postpone(site, row_id, still_due=ours, answer=answer)
    else:
        _close(site, row_id, given_up, player_id, at, answer)


def _close(
    site: Site, row_id: int, result: str, player_id: int | None, at: datetime, answer: str | None = None
) -> None:
    """Closes the row. The mail has left: giving up too early would send it again.

    `at` is the moment as of which the mail was written, and from which the clock counts.
    """
    for tries_left in range(CLOSE_TRIES - 1, -1, -1):
        try:
            with site.writing() as session:
                row = session.get_one(OutboxRow, row_id)
                row.player_id, row.answer = row.player_id or player_id, answer
                bounces.settle(session, row, result, site.now())
                start_clocks(session, row, result, at)
                row.done_at, row.result, row.claimed_until = site.now(), result, None
                row.attempts += 1
                note(session, "mail", row.kind, result)
            return
        except Busy:
            if not tries_left:
                raise


def _postpone(
    site: Site, row_id: int, wait: float | None = None, *, still_due: bool = False, answer: str | None = None
) -> None:
    """Leaves the claimed row for `wait` seconds, or for a time that doubles with each attempt.

    One that is `still_due` is so since when it was: its age tells that something is wrong here.
    """
    with site.writing() as session:
        row = session.get_one(OutboxRow, row_id)
        row.answer = answer
        if wait is None:
            row.attempts += 1
            note(session, "mail", row.kind, "deferred")
            # Jitter spreads retries over time; it decides nothing in a match.
            wait = bounces.wait_after(row.attempts) * random.uniform(0.75, 1.25)
        again = site.now() + timedelta(seconds=wait)
        if still_due:
            row.claimed_until = again if wait else None
        else:
            row.due_at, row.claimed_until = again, None


def resend(site: Site, row_id: int) -> None:
    """The host's "send it again": opens a closed row. Raises LookupError when there is none."""
    with site.writing() as session:
        row = session.get(OutboxRow, row_id)
        if row is None:
            raise LookupError(row_id)
        row.done_at, row.result, row.claimed_until, row.due_at, row.attempts = None, None, None, site.now(), 0
        session.info[RING] = True
