"""Sends what is due: at least once, with the same Message-ID each time, in any number of workers.

For each row in turn:

1. Claim it by a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the lease
   expires. If a feature tells the reader ahead of the mail, the mail waits for that (see `hooks.Ahead`).
2. A turn mail waits until it is certain that no order answers its question (see `timeouts.wait_for_order`).
   Build its letter from the current facts; a row that has become pointless is closed without a mail.
3. Count it against the quotas of mail caused by strangers (see `quotas`); mails over a quota wait.
4. Send it, close the row, and start the clocks that waited for the mail. A crash between sending and closing repeats
   the mail under its old Message-ID.
5. A mail that the relay refuses is retried with growing delays and jitter, until it is given up (see `bounces`); a
   relay that is down ends the run, and all rows stay due: their age raises the alarm. If mails queued later leave all
   the same, the relay is not down, and the mail at which it breaks off is treated as a refused one.
6. A mail whose picture cannot be drawn leaves with the board in words, and raises an alarm (see `alarms`).
7. A mail that cannot be rendered is a bug in this program, not a delivery failure: it is set aside and retried until
   the bug is fixed, and never given up. No clock starts, no address bounces, and every other mail leaves. Health
   checks, metrics and the alarm report it (`backlog.mails_unrendered`). A mail whose game is unavailable waits in the
   same way until the game is back; that is no bug, and raises no alarm of its own.
8. A mail that is too large, although what others wrote is cut, is given up after TOO_LARGE_S. It counts as delivered,
   as a refused one does: the clock starts with the whole time. An alarm tells the host (`alarms.UNSENT`).

A run sends a limited number of mails and wakes the worker for the next run, so that clocks and bots get their turn in
between. With a relay, several threads send in parallel in one process: one waits for the relay while another writes.
"""

import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import cache
from itertools import compress
from typing import Any

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import Connection, bindparam, func, or_, select, update
from sqlmodel import Session

from pbem.errors import Busy, GameUnavailable
from pbem.mail.compose import TooLarge, compose
from pbem.mail.letters import Letter
from pbem.mail.mime import Mail
from pbem.mail.send import Failure, MailboxTransport, Refused, RelayDown, SmtpTransport, Transport
from pbem.models.prepared import Prepared, load, objects_of_join, pipeline
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services.clock.clock_start import start_clocks
from pbem.services.hooks import Ahead, hooks_of
from pbem.services.kinds import all_kinds
from pbem.services.log import locks
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.mail import alarms
from pbem.services.mail.board_letters import note_told
from pbem.services.mail.letter_context import LetterContext, Reader, letter_for, reader_of
from pbem.services.play import timeouts
from pbem.services.players import bounces, players, quotas
from pbem.services.site import Reading, Site

LEASE = timedelta(minutes=5)
RUN = 50
THREADS = 4
"""The number of connections to the relay, each with its own mail in transit."""
CLOSE_TRIES = 5
TOO_LARGE_S = 3600
"""After so long a mail is given up that is too large even when cut: no wait makes it smaller."""
UNSENDABLE = "unsendable"
RENDER_RETRY_S = 900
"""The longest wait, without jitter, between attempts to render a mail; an upgrade may fix it."""

log = structlog.get_logger()

OpenTransport = Callable[[], AbstractContextManager[Transport]]


def transport_for(site: Site) -> AbstractContextManager[Transport]:
    """Returns the configured transport: the relay, or the mailbox folder of this machine."""
    if site.config.smtp is None:
        return nullcontext(MailboxTransport(site.config.data / "mailbox"))
    return SmtpTransport(site.config.smtp, site.config.mail_from)


def drain(site: Site, open_transport: OpenTransport | None = None) -> int:
    """Sends what is due; returns the number of mails that left. Safe to run twice or in two places at once.

    The links that somebody has asked for are queued first.

    With a relay, several mails are in transit at once, each with its own connection and claim, because most time is
    spent waiting for the relay, the disk and the database. The mailbox folder has a single writer.
    """
    players.serve_requests(site)
    opener = open_transport or (lambda: transport_for(site))
    threads = THREADS if open_transport is None and site.config.smtp and site.engine.dialect.name != "sqlite" else 1
    first = claim_mail(site)
    if first is None:
        return 0
    if threads == 1:
        return _run(site, opener, first)
    with ThreadPoolExecutor(threads, "drain") as pool:
        sent = [pool.submit(_run, site, opener, first), *(pool.submit(_run, site, opener) for _ in range(threads - 1))]
        return sum(one.result() for one in sent)


def _run(site: Site, opener: OpenTransport, first: int | None = None) -> int:
    """Sends one mail after the other, up to RUN rows; returns the number that left."""
    row, sent, run = first or claim_mail(site), 0, dict[str, Any]()
    if row is None:
        return 0
    with opener() as transport:
        for left in reversed(range(RUN)):
            try:
                sent += deliver_mail(site, transport, row, run=run)
            except RelayDown as down:
                if bounces.later_mail_left(site, row):  # so it is this mail at which the relay goes away
                    _put_off(site, row, down, None, site.now())
                else:
                    log.error("mail.relay_down", row=row, reason=str(down))
                    _postpone(site, row, bounces.FIRST_RETRY_S, still_due=True)
                return sent
            if site.stopping():
                return sent
            if left and (row := claim_mail(site)) is None:
                return sent
    site.wake()
    return sent


def claim_mail(site: Site) -> int | None:
    """Claims the row that has been due longest and returns its id; None if nothing is due."""
    now = site.now()
    with site.one_statement() as connection:
        if connection.dialect.name != "sqlite":  # a single statement needs no explicit transaction
            return _take(connection, now)
        if not _OLDEST.send(connection, {"now": now}).rows():  # most ticks find nothing and need no write lock
            return None
    with site.writing() as work:
        return _take(work.connection(), now)


def _take(connection: Connection, now: datetime) -> int | None:
    found = _TAKE.send(connection, {"now": now, "until": now + LEASE, "schema": NEWEST_SCHEMA}).rows()
    return int(found[0][0]) if found else None


_t, _match, _seat, _player = (table(model) for model in (OutboxRow, Match, SeatRow, Player))
_now = bindparam("now", type_=_t.c.due_at.type)
_due = (_t.c.done_at.is_(None), _t.c.due_at <= _now, or_(_t.c.claimed_until.is_(None), _t.c.claimed_until < _now))
_first = select(_t.c.id).where(*_due).order_by(_t.c.due_at, _t.c.id).limit(1)
_OLDEST = Prepared(_first)
_TAKE = Prepared(
    update(_t)
    # Concurrent workers skip to the next row; on databases without this lock, the condition is enough.
    .where(_t.c.id == _first.with_for_update(skip_locked=True).scalar_subquery(), *_due, may_write())
    .values(claimed_until=bindparam("until", type_=_t.c.claimed_until.type), answer=None)
    .returning(_t.c.id)
)
_closing = (
    update(_t)
    .where(_t.c.id == bindparam("row"))
    .values(
        answer=bindparam("said"), done_at=bindparam("done"), result=bindparam("became"),
        claimed_until=None, attempts=_t.c.attempts + 1, unrendered_since=None,
    )
)  # fmt: skip
_DONE = Prepared(_closing)
"""`row`, `said`, `done`, `became`: closes the row."""
_DONE_FOR = Prepared(_closing.values(player_id=bindparam("player")))
"""The same, with the `player` to whom it went, whose row the database locks."""


@cache
def _reading(features: tuple[str, ...]) -> tuple[tuple[Ahead, ...], Prepared]:
    """Returns what these features send ahead of mails, and the statement that reads a claimed `row`, compiled once.

    The row, its match, seat and player; for each that sends ahead, whether it is worth asking about the seat; whether
    a picture may end an alarm.
    """
    ahead = tuple(one.ahead for one in hooks_of(features) if one.ahead is not None)
    return ahead, Prepared(
        select(
            _t, _match, _seat, _player, *(one.condition(_seat) for one in ahead),
            alarms.pictures_may_end_one(),
        )
        .select_from(
            _t.outerjoin(_match, _match.c.id == _t.c.match_id)
            .outerjoin(_seat, (_seat.c.match_id == _t.c.match_id) & (_seat.c.seat == _t.c.seat))
            .outerjoin(_player, _player.c.id == func.coalesce(_seat.c.player_id, _t.c.player_id))
        )
        .where(_t.c.id == bindparam("row"))
    )  # fmt: skip


def deliver_mail(
    site: Site, transport: Transport, row_id: int, *, alone: bool = False, run: dict[str, Any] | None = None
) -> bool:
    """Sends the mail of a claimed row, or closes the row without one; returns True if a mail left.

    If something goes ahead of the mail, the mail waits, unless it is to leave `alone` as that has reached nobody. `run`
    is what letters before it in the same run have read for it: see `LetterContext`.
    """
    at, player_id, letter, mail, ahead = site.now(), None, None, None, None
    try:
        with site.reading() as session:
            aheads, reading = _reading(site.config.features)
            with pipeline(session) as connection:  # begins the transaction in the same round trip
                sent = reading.send(connection, {"row": row_id})
            (values,) = sent.rows()
            worth_asking, picture_may_end_alarm = values[-1 - len(aheads) : -1], values[-1]
            # Match, seat and player are kept, so that lookups by key find them in the session.
            ((row, match, *_kept),) = objects_of_join(session, (OutboxRow, Match, SeatRow, Player), [values])
            reader, result, counted = reader_of(session, row), "stale", tuple[quotas.Quota, ...]()
            waits = _wait_for_order(session, row, match, at)
            if reader is not None and waits is None:
                player_id = reader.player.id
                worth = () if alone else compress(aheads, worth_asking)
                ahead = _prepare_ahead(site, session, row, reader, worth)
                if ahead is None:
                    letter, result = letter_for(LetterContext(site, session, row, reader, {} if run is None else run))
                kind = all_kinds()[row.kind]
                if letter is not None and (kind.capped or kind.quotas_of is not None):
                    counted = quotas.of_mail(site, session, row, reader.player)
        if waits is not None:
            _postpone(site, row_id, waits)
            return False
        if letter is not None:
            if counted and (spent := quotas.count_mail(site, row_id, counted)) is not None:
                _hold_back(site, row_id, spent, player_id, at)
                return False
            mail = compose(letter, site.config.secret)
    except (Busy, SoftTimeLimitExceeded):
        raise
    except GameUnavailable:
        _postpone(site, row_id, GAME_RETRY_S)
        return False
    except Exception as error:
        # A mail that cannot be rendered must not stop the others; it stays due.
        log.exception("mail.unrendered", row=row_id)
        if _set_aside(site, row_id) >= TOO_LARGE_S and isinstance(error, TooLarge):
            _close(site, row_id, UNSENDABLE, player_id, at, None)
            _raise_alarm(site, row_id, at)
        return False
    if ahead is not None:
        hook, ready = ahead
        return not hook.send(site, row_id, ready, at) and deliver_mail(site, transport, row_id, alone=True, run=run)
    if letter is None or mail is None:
        _close(site, row_id, result, player_id, at, None)
        return False
    return _hand_over(site, transport, row_id, letter, mail, player_id, at, picture_may_end_alarm=picture_may_end_alarm)


def _hand_over(
    site: Site, transport: Transport, row_id: int, letter: Letter, mail: Mail, player_id: int | None, at: datetime,
    *, picture_may_end_alarm: bool,
) -> bool:  # fmt: skip
    """Sends the mail, and closes its row or puts it off; returns True if it left."""
    try:
        transport.send(mail, letter.to)
    except RelayDown:
        raise
    except Refused as refused:
        _put_off(site, row_id, refused, player_id, at, letter.to)
        return False
    except Exception:
        # For example a full disk: one mail that cannot be written must not stop the others.
        log.exception("mail.failed", row=row_id)
        _put_off(site, row_id, None, player_id, at)
        return False
    _close(site, row_id, "sent", player_id, at, letter.to)
    if mail.orders_told:
        note_told(site, mail.orders_told)
    for game, fault in mail.faults:
        alarms.raise_picture_alarm(site, game, row_id, fault)
    if picture_may_end_alarm:
        alarms.end_picture_alarms(site, mail.drawn)
    return True


def _prepare_ahead(
    site: Site, session: Reading, row: OutboxRow, reader: Reader, worth: Iterable[Ahead]
) -> tuple[Ahead, Any] | None:
    """Returns what goes ahead of the mail, of what is `worth` asking, with what it has prepared; None if nothing."""
    if reader.match is not None and reader.seat is not None:
        for one in worth:
            ready = one.prepare(site, session, row, reader.match, reader.seat, reader.player)
            if ready is not None:
                return one, ready
    return None


def _wait_for_order(session: Session, row: OutboxRow, match: Match | None, at: datetime) -> float | None:
    """Returns for how many seconds a turn mail waits because an order may answer its question; None if it does not."""
    if row.kind != "turn" or match is None or not match.ordering or row.seat is None or row.key is None:
        return None
    until = timeouts.wait_for_order(session, match.id, row.seat, row.key, at)
    return (until - at).total_seconds() if until is not None else None


def _hold_back(site: Site, row_id: int, spent: quotas.Spent, player_id: int | None, at: datetime) -> None:
    """Postpones a mail until its quota is free, or drops it if that has taken a day.

    It is checked once an hour, because the player may have verified the address meanwhile. Mails asking to confirm a
    match are not postponed: once their quota is spent, a single mail with the organiser's links lists all such matches.
    """
    if spent.quota.name.startswith(quotas.CONFIRM) and player_id is not None:
        with site.writing() as work:
            locks.hold_players(work, [player_id])
            players.queue_links(site, work, work.get_one(Player, player_id), news=True)
        _close(site, row_id, "listed", player_id, at, None)
        return
    with site.reading() as session:
        dropped = quotas.is_too_old(session.get_one(OutboxRow, row_id), at)
    if dropped:
        _close(site, row_id, "capped", player_id, at, None)
    else:
        _postpone(site, row_id, min(bounces.LAST_RETRY_S, spent.wait_s(at)))


def _put_off(
    site: Site, row_id: int, failure: Failure | None, player_id: int | None, at: datetime, to: str | None = None
) -> None:
    """Postpones a mail that was refused, cut off or not written, or closes it if it is given up."""
    refused = failure if isinstance(failure, Refused) else None
    given_up = bounces.verdict(site, row_id, refused)
    answer, ours = (refused.answer, refused.fault == "ours") if refused else (None, True)
    say = log.error if ours else log.info
    event = "mail.refused" if refused else "mail.cut_off" if failure else "mail.unwritten"
    why = {"reason": str(failure)} if failure and not refused else {}  # a refusal may contain an address
    say(event, row=row_id, answer=answer, ours=ours, result=given_up, **why)
    if given_up is None:
        _postpone(site, row_id, still_due=ours, answer=answer)
    else:
        _close(site, row_id, given_up, player_id, at, to, answer)
        if given_up == "rejected":
            _raise_alarm(site, row_id, at)


def _raise_alarm(site: Site, row_id: int, at: datetime) -> None:
    """Logs that a mail was given up for a fault that is not its reader's, and raises the alarm."""
    log.error("mail.given_up", row=row_id)
    try:
        alarms.renew_alarm(site, alarms.UNSENT, at)
    except Busy:
        log.info("mail.given_up_untold", row=row_id)  # the next one tells


def _close(
    site: Site,
    row_id: int,
    result: str,
    player_id: int | None,
    at: datetime,
    to: str | None,
    answer: str | None = None,
) -> None:
    """Closes the row. Retries if the database is busy: the mail has left and would otherwise be sent again.

    `at` is the moment as of which the mail was written, and from which the clock counts; `to` is where it went.
    """
    for left in reversed(range(CLOSE_TRIES)):
        try:
            with site.writing() as work:
                # The session forgets the player, whom `settle` looks up, unless somebody keeps them.
                row, _kept = load(work, (OutboxRow, row_id), (Player, player_id))
                whose = row.player_id or player_id
                # Locks the player before the match: see `locks`.
                bounces.settle(work, row, result, site.now(), player_id=whose, to=to, answer=answer)
                if row.player_id != whose:
                    locks.hold_players(work, [whose])
                start_clocks(work, row, result, at)
                done = {"row": row_id, "said": answer, "done": site.now(), "became": result}
                if row.player_id == whose:
                    _DONE.ask(work, done)
                else:
                    _DONE_FOR.ask(work, done | {"player": whose})
                work.count("mail", row.kind, result)
            return
        except Busy:
            if not left:
                raise


def _postpone(
    site: Site, row_id: int, wait: float | None = None, *, still_due: bool = False, answer: str | None = None
) -> None:
    """Leaves the claimed row for `wait` seconds; without `wait`, for a time that doubles with each attempt.

    With `still_due` its due time stays, so that its age shows that something is wrong here.
    """
    with site.writing() as work:
        row = work.get_one(OutboxRow, row_id)
        row.answer = answer
        row.unrendered_since = None
        if wait is None:
            row.attempts += 1
            work.count("mail", row.kind, "deferred")
            # Jitter spreads retries over time; it has no influence on any match.
            wait = _jitter(bounces.wait_after(row.attempts))
        again = site.now() + timedelta(seconds=wait)
        if still_due:
            row.claimed_until = again if wait else None
        else:
            row.due_at, row.claimed_until = again, None


def _set_aside(site: Site, row_id: int) -> float:
    """Postpones a mail that could not be rendered; returns for how many seconds that has been so.

    Its due time stays. Each wait is as long as the mail has been set aside so far, within bounds.
    """
    with site.writing() as work:
        row, now = work.get_one(OutboxRow, row_id), site.now()
        row.unrendered_since = row.unrendered_since or now
        so_far = (now - row.unrendered_since).total_seconds()
        wait = _jitter(min(max(so_far, bounces.FIRST_RETRY_S), RENDER_RETRY_S))
        row.claimed_until = now + timedelta(seconds=wait)
        work.count("mail", row.kind, "unrendered")
        return so_far


def _jitter(wait: float) -> float:
    return wait * random.uniform(1 - bounces.JITTER, 1 + bounces.JITTER)


def resend(site: Site, row_id: int) -> None:
    """Reopens a closed row on behalf of the host, to send it again. Raises LookupError if there is none."""
    with site.writing() as work:
        row = work.get(OutboxRow, row_id)
        if row is None:
            raise LookupError(row_id)
        row.done_at, row.result, row.claimed_until, row.due_at, row.attempts = None, None, None, site.now(), 0
        row.pushed_at, row.opened_at = site.now(), None  # the mail itself is wanted
        work.wakes = True
