"""Sends what is due: at least once, with the same Message-ID each time, in any number of workers.

For each row in turn:

1. Claim it by a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the lease
   expires. If a feature tells the reader ahead of the mail, the mail waits for that (see `hooks.Ahead`). If a statement
   fails that reads along with the claim, the row is claimed alone, and what fails again is that mail's fault: see 7.
2. A turn mail waits until it is certain that no order answers its question (see `timeouts.end_of_wait_for_order`).
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
   checks, metrics and the alarm report it (`backlog.count_mails_unrendered`). A mail whose game is unavailable waits in
   the same way until the game is back; that is no bug, and raises no alarm of its own.
8. A mail that is too large, although what others wrote is cut, is given up after TOO_LARGE_S. It counts as delivered,
   as a refused one does: the clock starts with the whole time. An alarm tells the host (`alarms.UNSENT`).

A run sends a limited number of mails and wakes the worker for the next run, so that clocks and bots get their turn in
between. With a relay, several threads send in parallel in one process: one waits for the relay while another writes. On
PostgreSQL each has a connection outside of any transaction, for the batches of `claims` and `closing`.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from pbem.errors import Busy, GameUnavailable
from pbem.mail.compose import TooLarge, compose_mail
from pbem.mail.mime import Mail
from pbem.mail.send import Failure, MailboxTransport, Refused, RelayDown, SmtpTransport, Transport
from pbem.models.engine import translate_errors
from pbem.models.tables import Match, OutboxRow, Player
from pbem.services.hooks import Ahead
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.log import locks
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.mail import alarms, claims
from pbem.services.mail.claims import Claimed
from pbem.services.mail.closing import Draft, close_row, note_order_news_told, values_to_start_clock
from pbem.services.mail.letter_context import LetterContext, Reader, letter_for, reader_of
from pbem.services.play import timeouts
from pbem.services.players import bounces, players, quotas
from pbem.services.site import Reading, Site

RUN = 50
THREADS = 4
"""The number of connections to the relay, each with its own mail in transit."""
TOO_LARGE_S = 3600
"""After so long a mail is given up that is too large even when cut: no wait makes it smaller."""
UNSENDABLE = "unsendable"
RENDER_RETRY_S = 900
"""The longest wait, without jitter, between attempts to render a mail; an upgrade may fix it."""

log = structlog.get_logger()

OpenTransport = Callable[[], AbstractContextManager[Transport]]


@dataclass
class Run:
    """What sends one mail after the other."""

    site: Site
    transport: Transport
    session: Reading | None = None
    """Outside of any transaction, for batches; None on SQLite. One that is lost is replaced."""

    @property
    def database_connection(self) -> Connection | None:
        """That of its session; None once it is lost."""
        connection = self.session.connection() if self.session is not None else None
        return None if connection is None or connection.invalidated else connection

    another: bool = True
    """Whether another mail was due when the last one was claimed."""
    run_one_more: Callable[[], None] = lambda: None
    """Begins another run beside this one, unless there are enough: called where another mail is due."""
    read: dict[str, Any] = field(default_factory=dict)
    """What letters have read for those after them: see `LetterContext.run`."""


def transport_for(site: Site) -> AbstractContextManager[Transport]:
    """Returns the configured transport: the relay, or the mailbox folder of this machine."""
    if site.config.smtp is None:
        return nullcontext(MailboxTransport(site.config.data / "mailbox"))
    return SmtpTransport(site.config.smtp, site.config.mail_from)


def drain(site: Site, open_transport: OpenTransport | None = None) -> int:
    """Sends what is due; returns the number of mails that left. Safe to run twice or in two places at once.

    The links that somebody has asked for are queued first.

    With a relay, several mails are in transit at once, each with its own connection and claim, because most time is
    spent waiting for the relay, the disk and the database; only as many as are due, for a claim in vain costs half a
    mail's statements. The mailbox folder has a single writer.
    """
    players.queue_requested_links(site)
    if not claims.is_any_mail_due(site):
        return 0
    opener = open_transport or (lambda: transport_for(site))
    threads = THREADS if open_transport is None and site.config.smtp and _has_batches(site) else 1
    if threads == 1:
        return _send_run(site, opener)
    runs = list[Future[int]]()
    with ThreadPoolExecutor(threads, "drain") as pool:

        def run_one_more() -> None:
            if len(runs) < threads:
                runs.append(pool.submit(_send_run, site, opener, run_one_more))

        run_one_more()
        for one in runs:  # one that is added is behind the one that has added it
            wait((one,))
    return sum(one.result() for one in runs)


def _has_batches(site: Site) -> bool:
    return site.engine.dialect.name != "sqlite"


def _send_run(site: Site, opener: OpenTransport, run_one_more: Callable[[], None] = lambda: None) -> int:
    """Sends one mail after the other, up to RUN rows; returns the number that left."""
    sent = 0
    with opener() as transport, ExitStack() as opened:
        run = Run(site, transport, run_one_more=run_one_more)
        for _ in range(RUN):
            if _has_batches(site) and run.database_connection is None:
                opened.close()
                run.session = opened.enter_context(Reading(opened.enter_context(site.one_statement()), site))
                opened.callback(run.session.finish)
            if (draft := _claim_and_draft_next(run)) is None:
                return sent
            try:
                sent += _send_drop_or_postpone_draft(run, draft)
            except RelayDown as down:
                if bounces.was_any_later_mail_sent(site, draft.row):  # so it is this mail at which the relay goes away
                    _postpone_or_give_up_after_failure(site, draft, down)
                else:
                    log.error("mail.relay_down", row=draft.row, reason=str(down))
                    _postpone_row(site, draft.row, bounces.FIRST_RETRY_S, still_due=True)
                return sent
            # Something may have become due since.
            if site.stopping() or not (run.another or claims.is_any_mail_due(site)):
                return sent
    site.wake()
    return sent


def _claim_and_draft_next(run: Run) -> Draft | None:
    """Claims the row that has been due longest; returns its draft, None if nothing is due.

    A letter with a board is made of what the claim has read; any other is read in a transaction of its own.
    """
    site, session, row = run.site, run.session, None
    if session is not None:
        session.expunge_all()
        try:
            with translate_errors():
                taken = claims.claim_and_read(site, session)
        except DBAPIError:
            log.exception("mail.unread")  # nobody knows which mail: it is claimed without what failed
        else:
            if taken is None:
                return None
            row, run.another = taken.row, taken.another
            if run.another:
                run.run_one_more()
            draft = Draft(row, site.now())
            with _keep_exception_in_draft(draft), translate_errors():
                claimed = taken.read()
                if claimed.table is not None and not claimed.aheads:
                    _complete_draft_of_claimed_row(draft, site, session, claimed, run.read)
                    return draft
            if draft.fault is not None:
                return draft
    row = row or claims.claim_longest_due_mail(site)
    return _draft_row(site, row, run.read) if row is not None else None


def _draft_row(site: Site, row_id: int, run: dict[str, Any], *, alone: bool = False) -> Draft:
    """Returns what is to become of a claimed row, as of now, with the letter if one is sent.

    If something goes ahead of the mail, the mail waits, unless it is to leave `alone` as that has reached nobody. `run`
    is what letters before it in the same run have read for it: see `LetterContext`.
    """
    draft = Draft(row_id, site.now())
    with _keep_exception_in_draft(draft), site.reading() as session:
        claimed = claims.read_claimed_row(site, session, row_id)
        _complete_draft_of_claimed_row(draft, site, session, claimed, run, () if alone else claimed.aheads)
    return draft


@contextmanager
def _keep_exception_in_draft(draft: Draft) -> Iterator[None]:
    """Keeps the exception of the block, for `_send_drop_or_postpone_draft` to raise."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001
        draft.fault = fault


def _complete_draft_of_claimed_row(
    draft: Draft, site: Site, session: Reading, claimed: Claimed, run: dict[str, Any], aheads: Iterable[Ahead] = ()
) -> None:  # fmt: skip
    """Completes the draft of a claimed row: the letter, or why there is none, or what it waits for."""
    row, reader = claimed.row, reader_of(session, claimed.row)
    draft.wait_s = _seconds_until_order_may_answer(session, row, claimed.match, draft.at)
    if reader is None or draft.wait_s is not None:
        return
    draft.context = LetterContext(site, session, claimed, reader, run)
    draft.ahead = _prepare_ahead(site, session, row, reader, aheads)
    if draft.ahead is None:
        draft.letter, draft.result = letter_for(draft.context)
        kind = all_kinds_of_mail()[row.kind]
        if draft.letter is not None:
            draft.clock = values_to_start_clock(draft.context, draft.at)
            if kind.capped or kind.quotas_of is not None:
                draft.counted = quotas.quotas_of_mail(site, session, row, reader.player)


def _send_drop_or_postpone_draft(run: Run, draft: Draft) -> bool:
    """Does what the draft says; returns True if a mail left."""
    site, mail = run.site, None
    try:
        if draft.fault is not None:
            raise draft.fault
        if draft.wait_s is not None:
            _postpone_row(site, draft.row, draft.wait_s)
            return False
        if draft.letter is not None:
            if draft.counted and (spent := quotas.count_mail(site, draft.row, draft.counted)) is not None:
                _postpone_or_drop_for_quota(site, draft, spent)
                return False
            mail = compose_mail(draft.letter, site.config.secret)
    except (Busy, SoftTimeLimitExceeded):
        raise
    except GameUnavailable:
        _postpone_row(site, draft.row, GAME_RETRY_S)
        return False
    except Exception as error:
        # A mail that cannot be rendered must not stop the others; it stays due.
        log.exception("mail.unrendered", row=draft.row)
        if _postpone_unrendered(site, draft.row) >= TOO_LARGE_S and isinstance(error, TooLarge):
            _close_unsent(site, draft, UNSENDABLE)
            _raise_alarm_of_given_up_mail(site, draft)
        return False
    if draft.ahead is not None:
        hook, ready = draft.ahead
        if hook.send(site, draft.row, ready, draft.at):
            return False
        return _send_drop_or_postpone_draft(run, _draft_row(site, draft.row, run.read, alone=True))
    if draft.letter is None or mail is None:
        close_row(site, draft)
        return False
    return _send_and_close(run, draft, draft.letter.to, mail)


def _send_and_close(run: Run, draft: Draft, to: str, mail: Mail) -> bool:
    """Sends the mail, and closes its row or puts it off; returns True if it left."""
    site, draft.to, draft.connection = run.site, to, run.database_connection
    try:
        run.transport.send(mail, to)
    except RelayDown:
        raise
    except Refused as refused:
        _postpone_or_give_up_after_failure(site, draft, refused)
        return False
    except Exception:
        # For example a full disk: one mail that cannot be written must not stop the others.
        log.exception("mail.failed", row=draft.row)
        _postpone_or_give_up_after_failure(site, draft, None)
        return False
    close_row(site, draft)
    if mail.orders_told:
        note_order_news_told(site, mail.orders_told)
    for game, fault in mail.faults:
        alarms.raise_picture_alarm(site, game, draft.row, fault)
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


def _seconds_until_order_may_answer(
    session: Session, row: OutboxRow, match: Match | None, at: datetime
) -> float | None:
    """Returns for how many seconds a turn mail waits because an order may answer its question; None if it does not."""
    if row.kind != "turn" or match is None or not match.ordering or row.seat is None or row.key is None:
        return None
    until = timeouts.end_of_wait_for_order(session, match.id, row.seat, row.key, at)
    return (until - at).total_seconds() if until is not None else None


def _postpone_or_drop_for_quota(site: Site, draft: Draft, spent: quotas.Spent) -> None:
    """Postpones a mail until its quota is free, or drops it if that has taken a day.

    It is checked once an hour, because the player may have verified the address meanwhile. Mails asking to confirm a
    match are not postponed: once their quota is spent, a single mail with the organiser's links lists all such matches.
    """
    if spent.quota.name.startswith(quotas.CONFIRM) and draft.reader_id is not None:
        with site.writing() as work:
            locks.hold_players(work, [draft.reader_id])
            players.queue_links(site, work, work.get_one(Player, draft.reader_id), news=True)
        _close_unsent(site, draft, "listed")
        return
    with site.reading() as session:
        dropped = quotas.is_too_old(session.get_one(OutboxRow, draft.row), draft.at)
    if dropped:
        _close_unsent(site, draft, "capped")
    else:
        _postpone_row(site, draft.row, min(bounces.LAST_RETRY_S, spent.wait_s(draft.at)))


def _postpone_or_give_up_after_failure(site: Site, draft: Draft, failure: Failure | None) -> None:
    """Postpones a mail that was refused, cut off or not written, or closes it if it is given up."""
    refused = failure if isinstance(failure, Refused) else None
    given_up = bounces.result_if_given_up(site, draft.row, refused)
    answer, ours = (refused.answer, refused.fault == "ours") if refused else (None, True)
    say = log.error if ours else log.info
    event = "mail.refused" if refused else "mail.cut_off" if failure else "mail.unwritten"
    why = {"reason": str(failure)} if failure and not refused else {}  # a refusal may contain an address
    say(event, row=draft.row, answer=answer, ours=ours, result=given_up, **why)
    if given_up is None:
        _postpone_row(site, draft.row, still_due=ours, answer=answer)
    else:
        draft.answer = answer
        _close_unsent(site, draft, given_up)
        if given_up == "rejected":
            _raise_alarm_of_given_up_mail(site, draft)


def _raise_alarm_of_given_up_mail(site: Site, draft: Draft) -> None:
    """Logs that a mail was given up for a fault that is not its reader's, and raises the alarm."""
    log.error("mail.given_up", row=draft.row)
    try:
        alarms.raise_or_renew_alarm(site, alarms.UNSENT, draft.at)
    except Busy:
        log.info("mail.given_up_untold", row=draft.row)  # the next one tells


def _close_unsent(site: Site, draft: Draft, result: str) -> None:
    """Closes the row without a mail that would have left."""
    draft.result = result
    close_row(site, draft)


def _postpone_row(
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
            wait = _with_jitter(bounces.seconds_until_retry(row.attempts))
        again = site.now() + timedelta(seconds=wait)
        if still_due:
            row.claimed_until = again if wait else None
        else:
            row.due_at, row.claimed_until = again, None


def _postpone_unrendered(site: Site, row_id: int) -> float:
    """Postpones a mail that could not be rendered; returns for how many seconds that has been so.

    Its due time stays. Each wait is as long as the mail has been set aside so far, within bounds.
    """
    with site.writing() as work:
        row, now = work.get_one(OutboxRow, row_id), site.now()
        row.unrendered_since = row.unrendered_since or now
        so_far = (now - row.unrendered_since).total_seconds()
        wait = _with_jitter(min(max(so_far, bounces.FIRST_RETRY_S), RENDER_RETRY_S))
        row.claimed_until = now + timedelta(seconds=wait)
        work.count("mail", row.kind, "unrendered")
        return so_far


def _with_jitter(wait: float) -> float:
    return wait * random.uniform(1 - bounces.JITTER, 1 + bounces.JITTER)


def make_mail_due_again(site: Site, row_id: int) -> None:
    """Reopens a closed row on behalf of the host, to send it again. Raises LookupError if there is none."""
    with site.writing() as work:
        row = work.get(OutboxRow, row_id)
        if row is None:
            raise LookupError(row_id)
        row.done_at, row.result, row.claimed_until, row.due_at, row.attempts = None, None, None, site.now(), 0
        row.pushed_at, row.opened_at = site.now(), None  # the mail itself is wanted
        work.wakes = True
