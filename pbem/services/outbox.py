"""Sending what is due: at least once, the same Message-ID each time, in any number of workers.

For one row after the other:

1. Claim it by a conditional UPDATE with a lease: whoever changes the row has it; a crash frees it later.
2. Look up what it stands for now; what has become pointless is closed without a mail.
3. Send, then close the row, and start the clocks that waited for the mail. A crash between sending and closing
   repeats the mail under its old Message-ID.
4. A mail that the relay refuses comes again, later each time and with jitter, until it is given up (see `bounces`); a
   relay that is down ends the run, and all rows stay due: their age raises the alarm. Where mails from behind in the
   queue leave all the same, the relay is not down, and the mail at which it goes away is treated as a refused one.

A run sends so many mails and rings for the next one, so that clocks and bots get their turn in between. To a relay
several lanes run side by side in one process: one waits for the relay while another writes.
"""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import structlog
from sqlalchemy import bindparam, func, or_, select, update
from sqlmodel import Session

from pbem import processors
from pbem.errors import Busy
from pbem.faces import pictures
from pbem.mail.compose import compose
from pbem.mail.send import Failure, MailboxTransport, Refused, RelayDown, SmtpTransport, Transport
from pbem.models.prepared import Prepared, found, joined
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services import bounces
from pbem.services.desk import reader_of
from pbem.services.letters import letter_for
from pbem.services.mailed import start_clocks
from pbem.services.site import Site
from pbem.services.store import RING
from pbem.services.tally import note

LEASE = timedelta(minutes=5)
RUN = 50
LANES = 4
"""So many connections to the relay, each with a mail of its own on its way."""
CLOSE_TRIES = 5

log = structlog.get_logger()

OpenTransport = Callable[[], AbstractContextManager[Transport]]


def transport_for(site: Site) -> AbstractContextManager[Transport]:
    """The way out that the settings name: the relay, or the mailbox folder of this machine."""
    if site.config.smtp is None:
        return MailboxTransport(site.config.data / "mailbox")
    return SmtpTransport(site.config.smtp, site.config.mail_from)


def drain(site: Site, open_transport: OpenTransport | None = None) -> int:
    """Sends what is due; gives how many mails left. Safe to run twice or in two places at once.

    To a relay several mails are on their way at once, each on a connection and a claim of its own: what takes long is
    to wait for the relay, the disk and the database. The mailbox of one machine has one writer.
    """
    opener = open_transport or (lambda: transport_for(site))
    lanes = LANES if open_transport is None and site.config.smtp and site.engine.dialect.name != "sqlite" else 1
    first = _claim(site)
    if first is None:
        return 0
    if lanes == 1:
        return _run(site, opener, first)
    with processors.together(), ThreadPoolExecutor(lanes, "drain", pictures.draw_elsewhere) as pool:
        sent = [pool.submit(_run, site, opener, first), *(pool.submit(_run, site, opener) for _ in range(lanes - 1))]
        return sum(lane.result() for lane in sent)


def _run(site: Site, opener: OpenTransport, first: int | None = None) -> int:
    """Sends one mail after the other, up to RUN rows; gives how many left."""
    first = first or _claim(site)
    if first is None:
        return 0
    with opener() as transport:
        return _send(site, transport, first)


def _send(site: Site, transport: Transport, row: int | None) -> int:
    sent = 0
    for left in reversed(range(RUN)):
        if row is None:
            return sent
        try:
            sent += _deliver(site, transport, row)
        except RelayDown as down:
            _hold_up(site, row, down)
            return sent
        if site.stopping():
            return sent
        row = _claim(site) if left else None
    site.ring()
    return sent


def _hold_up(site: Site, row_id: int, down: RelayDown) -> None:
    """Leaves the mail at which the relay went away for another run; like one that is refused, where others leave."""
    if bounces.overtaken(site, row_id):
        _put_off(site, row_id, down, None, site.now())
    else:
        log.error("mail.relay_down", row=row_id, reason=str(down))
        _postpone(site, row_id, bounces.FIRST_RETRY_S, still_due=True)


def _claim(site: Site) -> int | None:
    """The id of the row that has been due longest, now claimed; None when nothing is due."""
    now = site.now()
    taken: int | None
    with site.glancing() as connection:
        if connection.dialect.name != "sqlite":  # a transaction of one statement, which needs no others around it
            taken = connection.execute(_TAKE, {"now": now, "until": now + LEASE}).scalar()
            return taken
        if connection.execute(_OLDEST, {"now": now}).first() is None:  # most ticks find nothing and need no write lock
            return None
    with site.writing() as session:
        taken = session.connection().execute(_TAKE, {"now": now, "until": now + LEASE}).scalar()
        return taken


_t = table(OutboxRow)
_now = bindparam("now", type_=_t.c.due_at.type)
_due = (_t.c.done_at.is_(None), _t.c.due_at <= _now, or_(_t.c.claimed_until.is_(None), _t.c.claimed_until < _now))
_OLDEST = select(_t.c.id).where(*_due).order_by(_t.c.due_at, _t.c.id).limit(1)
_TAKE = (
    update(_t)
    # Whoever claims at the same time takes the next row; the condition holds where a database has no such lock.
    .where(_t.c.id == _OLDEST.with_for_update(skip_locked=True).scalar_subquery(), *_due)
    .values(claimed_until=bindparam("until", type_=_t.c.claimed_until.type), answer=None)
    .returning(_t.c.id)
)


_row, _match, _seat, _player = table(OutboxRow), table(Match), table(SeatRow), table(Player)
_ALL = Prepared(
    select(_row, _match, _seat, _player)
    .select_from(
        _row.outerjoin(_match, _match.c.id == _row.c.match_id)
        .outerjoin(_seat, (_seat.c.match_id == _row.c.match_id) & (_seat.c.seat == _row.c.seat))
        .outerjoin(_player, _player.c.id == func.coalesce(_seat.c.player_id, _row.c.player_id))
    )
    .where(_row.c.id == bindparam("row"))
)
"""`row` → the row with the match, the seat and the player it is about."""


def _all(session: Session, row_id: int) -> tuple[OutboxRow, Match | None, SeatRow | None, Player | None]:
    (found,) = joined(session, (OutboxRow, Match, SeatRow, Player), _ALL.ask(session, {"row": row_id}).rows())
    return found


def _deliver(site: Site, transport: Transport, row_id: int) -> bool:
    """Sends one claimed row's mail, or closes it without; says whether a mail left."""
    at, player_id, to = site.now(), None, None
    try:
        with site.reading() as session:
            row, *_kept = _all(session, row_id)  # held, so that what is got by its key below is there
            reader = reader_of(session, row)
            letter, result = letter_for(site, session, row)
            player_id = reader.player.id if reader else None
        if letter is not None:
            to = letter.to
            transport.send(compose(letter, site.config.secret), to)
    except Refused as refused:
        _put_off(site, row_id, refused, player_id, at, to)
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
    _close(site, row_id, result, player_id, at, to)
    return letter is not None


def _put_off(
    site: Site, row_id: int, failure: Failure | None, player_id: int | None, at: datetime, to: str | None = None
) -> None:
    """Leaves a mail for later, or closes it where it is given up: it was refused, cut off, or could not be written."""
    refused = failure if isinstance(failure, Refused) else None
    given_up = bounces.verdict(site, row_id, refused)
    answer, ours = (refused.answer, refused.fault == "ours") if refused else (None, True)
    say = log.error if ours else log.info
    said = "mail.refused" if refused else "mail.cut_off" if failure else "mail.unwritten"
    why = {"reason": str(failure)} if failure and not refused else {}  # what refuses may name an address
    say(said, row=row_id, answer=answer, ours=ours, result=given_up, **why)
    if given_up is None:
        _postpone(site, row_id, still_due=ours, answer=answer)
    else:
        _close(site, row_id, given_up, player_id, at, to, answer)


def _close(
    site: Site,
    row_id: int,
    result: str,
    player_id: int | None,
    at: datetime,
    to: str | None,
    answer: str | None = None,
) -> None:
    """Closes the row. The mail has left: giving up too early would send it again.

    `at` is the moment as of which the mail was written, and from which the clock counts; `to` is where it went.
    """
    for tries_left in range(CLOSE_TRIES - 1, -1, -1):
        try:
            with site.writing() as session:
                row = found(session, OutboxRow, row_id)
                whose = row.player_id or player_id
                # The player before the match, as everybody locks them; the row last, so that it is written once.
                bounces.settle(session, row, result, site.now(), player_id=whose, to=to, answer=answer)
                start_clocks(session, row, result, at)
                row.player_id, row.answer = whose, answer
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
            wait = bounces.wait_after(row.attempts) * random.uniform(1 - bounces.JITTER, 1 + bounces.JITTER)
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
