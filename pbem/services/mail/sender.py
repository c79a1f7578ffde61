"""Sending what is due: at least once, the same Message-ID each time, in any number of workers.

For one row after the other:

1. Claim it by a conditional UPDATE with a lease: whoever changes the row has it; a crash frees it later.
2. Look up what it stands for now; what has become pointless is closed without a mail.
3. Count it against the quotas of mail that strangers cause (see `quotas`); what they hold back waits.
4. Send, then close the row, and start the clocks that waited for the mail. A crash between sending and closing
   repeats the mail under its old Message-ID.
5. A mail that the relay refuses comes again, later each time and with jitter, until it is given up (see `bounces`); a
   relay that is down ends the run, and all rows stay due: their age raises the alarm. Where mails from behind in the
   queue leave all the same, the relay is not down, and the mail at which it goes away is treated as a refused one.
6. A mail that cannot be rendered is a fault of this program and no failure to deliver: it is set aside and tried again
   until the fault is mended, and never given up. No clock starts, no address bounces, and every other mail leaves.
   Health checks, metrics and the alarm tell of it (`health.unrendered`).

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
from pbem.mail.compose import compose
from pbem.mail.send import Failure, MailboxTransport, Refused, RelayDown, SmtpTransport, Transport
from pbem.models.prepared import Prepared, found, joined
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.render import pictures
from pbem.services.clock.clock_start import start_clocks
from pbem.services.log import locks
from pbem.services.mail.kinds import quotas_of
from pbem.services.mail.letter_context import reader_of
from pbem.services.mail.letters import letter_for
from pbem.services.players import bounces, players, quotas
from pbem.services.site import Site

LEASE = timedelta(minutes=5)
RUN = 50
LANES = 4
"""So many connections to the relay, each with a mail of its own on its way."""
CLOSE_TRIES = 5
RENDER_RETRY_S = 900
"""The longest wait, but for the jitter, until a mail is rendered again that could not be: an upgrade may mend it."""

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
    first = claim_mail(site)
    if first is None:
        return 0
    if lanes == 1:
        return _run(site, opener, first)
    with processors.together(), ThreadPoolExecutor(lanes, "drain", pictures.draw_elsewhere) as pool:
        sent = [pool.submit(_run, site, opener, first), *(pool.submit(_run, site, opener) for _ in range(lanes - 1))]
        return sum(lane.result() for lane in sent)


def _run(site: Site, opener: OpenTransport, first: int | None = None) -> int:
    """Sends one mail after the other, up to RUN rows; gives how many left."""
    first = first or claim_mail(site)
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
            sent += deliver_mail(site, transport, row)
        except RelayDown as down:
            _hold_up(site, row, down)
            return sent
        if site.stopping():
            return sent
        row = claim_mail(site) if left else None
    site.ring()
    return sent


def _hold_up(site: Site, row_id: int, down: RelayDown) -> None:
    """Leaves the mail at which the relay went away for another run; like one that is refused, where others leave."""
    if bounces.later_mail_left(site, row_id):
        _put_off(site, row_id, down, None, site.now())
    else:
        log.error("mail.relay_down", row=row_id, reason=str(down))
        _postpone(site, row_id, bounces.FIRST_RETRY_S, still_due=True)


def claim_mail(site: Site) -> int | None:
    """The id of the row that has been due longest, now claimed; None when nothing is due."""
    now = site.now()
    taken: int | None
    with site.glancing() as connection:
        if connection.dialect.name != "sqlite":  # a transaction of one statement, which needs no others around it
            taken = connection.execute(_TAKE, {"now": now, "until": now + LEASE}).scalar()
            return taken
        if connection.execute(_OLDEST, {"now": now}).first() is None:  # most ticks find nothing and need no write lock
            return None
    with site.writing() as work:
        taken = work.connection().execute(_TAKE, {"now": now, "until": now + LEASE}).scalar()
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


def deliver_mail(site: Site, transport: Transport, row_id: int) -> bool:
    """Sends one claimed row's mail, or closes it without; says whether a mail left."""
    at, player_id, to = site.now(), None, None
    try:
        with site.reading() as session:
            row, *_kept = _all(session, row_id)  # held, so that what is got by its key below is there
            reader = reader_of(session, row)
            letter, result = letter_for(site, session, row)
            player_id = reader.player.id if reader else None
            counted = quotas_of(site, session, row, reader.player) if letter is not None and reader else ()
        if letter is not None and (spent := quotas.count_mail(site, row_id, counted)) is not None:
            _hold_back(site, row_id, spent, player_id, at)
            return False
        mail = compose(letter, site.config.secret) if letter is not None else None
    except Busy:
        raise
    except Exception:
        # One mail that cannot be rendered must not stop the others; it stays due and the log says why.
        log.exception("mail.unrendered", row=row_id)
        _set_aside(site, row_id)
        return False
    try:
        if letter is not None and mail is not None:
            to = letter.to
            transport.send(mail, to)
    except Refused as refused:
        _put_off(site, row_id, refused, player_id, at, to)
        return False
    except RelayDown:
        raise
    except Exception:
        # Like a disk that is full: one mail that cannot be laid down must not stop the others.
        log.exception("mail.failed", row=row_id)
        _put_off(site, row_id, None, player_id, at)
        return False
    _close(site, row_id, result, player_id, at, to)
    return letter is not None


def _hold_back(site: Site, row_id: int, spent: quotas.Spent, player_id: int | None, at: datetime) -> None:
    """Leaves a mail until its quota is free, or drops it where that has taken a day.

    It is looked at once an hour: whoever has shown meanwhile that they read the address is not a stranger any more.
    Matches to confirm are not held back once their quota is spent: one mail with the organiser's links lists them all.
    """
    if spent.quota.name.startswith(quotas.CONFIRM) and player_id is not None:
        with site.writing() as work:
            locks.hold_players(work, [player_id])
            players.queue_links(site, work, work.get_one(Player, player_id), news=True)
        _close(site, row_id, "listed", player_id, at, None)
        return
    with site.reading() as session:
        dropped = quotas.too_old(session.get_one(OutboxRow, row_id), at)
    if dropped:
        _close(site, row_id, "capped", player_id, at, None)
    else:
        _postpone(site, row_id, min(bounces.LAST_RETRY_S, spent.wait_s(at)))


def _put_off(
    site: Site, row_id: int, failure: Failure | None, player_id: int | None, at: datetime, to: str | None = None
) -> None:
    """Leaves a mail for later, or closes it where it is given up: it was refused, cut off, or not laid down."""
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
            with site.writing() as work:
                row = found(work, OutboxRow, row_id)
                whose = row.player_id or player_id
                # The player before the match: see `locks`. The row last, so that it is written once.
                bounces.settle(work, row, result, site.now(), player_id=whose, to=to, answer=answer)
                if row.player_id != whose:
                    locks.hold_players(work, [whose])
                start_clocks(work, row, result, at)
                row.player_id, row.answer = whose, answer
                row.done_at, row.result, row.claimed_until = site.now(), result, None
                row.attempts += 1
                row.unrendered_since = None
                work.count("mail", row.kind, result)
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
    with site.writing() as work:
        row = work.get_one(OutboxRow, row_id)
        row.answer = answer
        row.unrendered_since = None
        if wait is None:
            row.attempts += 1
            work.count("mail", row.kind, "deferred")
            # Jitter spreads retries over time; it decides nothing in a match.
            wait = _jittered(bounces.wait_after(row.attempts))
        again = site.now() + timedelta(seconds=wait)
        if still_due:
            row.claimed_until = again if wait else None
        else:
            row.due_at, row.claimed_until = again, None


def _set_aside(site: Site, row_id: int) -> None:
    """Leaves a mail that could not be rendered until it is tried again; it stays due since when it was.

    Each wait is as long as the mail has been set aside so far, within bounds.
    """
    with site.writing() as work:
        row, now = work.get_one(OutboxRow, row_id), site.now()
        row.unrendered_since = row.unrendered_since or now
        so_far = (now - row.unrendered_since).total_seconds()
        wait = _jittered(min(max(so_far, bounces.FIRST_RETRY_S), RENDER_RETRY_S))
        row.claimed_until = now + timedelta(seconds=wait)
        work.count("mail", row.kind, "unrendered")


def _jittered(wait: float) -> float:
    return wait * random.uniform(1 - bounces.JITTER, 1 + bounces.JITTER)


def resend(site: Site, row_id: int) -> None:
    """The host's "send it again": opens a closed row. Raises LookupError when there is none."""
    with site.writing() as work:
        row = work.get(OutboxRow, row_id)
        if row is None:
            raise LookupError(row_id)
        row.done_at, row.result, row.claimed_until, row.due_at, row.attempts = None, None, None, site.now(), 0
        work.ring()
