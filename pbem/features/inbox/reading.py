"""Reads the mails that have come in: each exactly once, in any number of workers.

For each row in turn:

1. Claim it by a conditional UPDATE with a lease, which counts a try; after a crash the lease expires.
2. Read its bytes; then find out what it is: a report, a mail that unsubscribes, a program's, or somebody's.
3. Find the seat that it names, and judge whether it may act for the seat's player. Strangers and forgeries get nothing;
   a mail with the seat's token from another mailbox is asked back to the player's own.
4. Do what it says, close the row and queue the answer, in one transaction (`acting`).
5. A mail at which this program fails is tried again later, and set aside after TRIES: it blocks none behind it.

A run reads a limited number of mails and wakes the worker for the next run.
"""

from datetime import timedelta

import structlog
from sqlalchemy import update

from pbem.errors import Busy, GameUnavailable
from pbem.features.inbox import acting, judging, returns, verdicts
from pbem.features.inbox.closing import AlreadyRead, Letter, NoLongerTheirs, close_mail, close_mail_within
from pbem.features.inbox.incoming.message import Incoming, UnreadableMail
from pbem.features.inbox.judging import Judge
from pbem.features.inbox.outcomes import OTHER_SENDER
from pbem.features.inbox.reply_tokens import PlayerNamed, SeatNamed
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import arrivals, canary
from pbem.features.inbox.whose import (
    Named,
    canonical_sender,
    meaning_of_first_token,
    read_mail_of_row,
    seat_named_in_mail,
)
from pbem.models.tables import table
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.players.mailboxes import mailbox_of
from pbem.services.site import Site

RUN = 50
TRIES = 5
FIRST_RETRY_S = 30
BUSY_S = 2

log = structlog.get_logger()


def read_inbox(site: Site, judge: Judge = judging.judge_mail) -> int:
    """Reads the mails that are due; returns their number. Safe to run twice or in two places at once."""
    read = 0
    while read < RUN:
        claimed = arrivals.MAILS.claim_row_longest_due(site)
        if claimed is None:
            return read
        read_and_act_on_claimed_row(site, claimed.id, judge)
        read += 1
        if site.stopping():
            return read
    site.wake()
    return read


_t = table(InboxRow)


# --- reading -------------------------------------------------------------------------------------------------


def read_and_act_on_claimed_row(site: Site, row_id: int, judge: Judge) -> None:
    """Reads the mail of a claimed row; whatever happens, it ends closed, set aside, or due again later."""
    try:
        with site.reading() as session:
            row = session.get_one(InboxRow, row_id)
        if row.attempts > TRIES:  # the process was killed each time
            close_mail(site, row, verdicts.FAILED, detail="killed")
            return
        verdict = _read_mail(site, row, judge)
        log.info("inbox.read", row=row_id, via=row.via, verdict=verdict)
    except AlreadyRead:
        log.info("inbox.read_elsewhere", row=row_id)
    except NoLongerTheirs:
        _postpone(site, row_id, 0)  # whose it is has changed while it was read
    except Busy:
        _postpone(site, row_id, BUSY_S)
    except GameUnavailable:
        _postpone(site, row_id, GAME_RETRY_S)  # the answer is still there when the game is back
    except Exception as error:
        # A mail that cannot be handled must not stop the others; the host sees it.
        log.exception("inbox.failed", row=row_id)
        _retry_later_or_give_up(site, row_id, type(error).__name__)


def _postpone(site: Site, row_id: int, wait_s: int) -> None:
    """Leaves the mail for that many seconds; the try does not count."""
    again = site.now() + timedelta(seconds=wait_s)
    free = {"claimed_until": None, "due_at": again, "attempts": _t.c.attempts - 1}
    with site.writing() as work:
        work.connection().execute(update(_t).where(_t.c.id == row_id, _t.c.done_at.is_(None)).values(free))


def _retry_later_or_give_up(site: Site, row_id: int, why: str) -> None:
    """Leaves a mail at which this program failed for longer each time; after TRIES it is given up."""
    with site.writing() as work:
        row = work.get_one(InboxRow, row_id)
        if row.done_at is not None:
            return
        row.detail, row.claimed_until = why, None
        if row.attempts >= TRIES:
            row.done_at, row.verdict = site.now(), verdicts.FAILED
            work.count("inbox", verdicts.FAILED)
        else:
            row.due_at = site.now() + timedelta(seconds=FIRST_RETRY_S * 2 ** (row.attempts - 1))


def _read_mail(site: Site, row: InboxRow, judge: Judge) -> str:
    """Does what the mail of this row asks for, closes the row and returns the verdict."""
    if row.raw is None:
        return close_mail(site, row, verdicts.ERASED)
    if canary.is_our_canary(site, row.raw):
        judging.note_several_results(site, row.raw)
        with site.writing() as work:
            canary.note_moment(work, canary.RETURNED, site.now())
            canary.note_kept_results(work, site.now(), site.config, row.raw)
            return close_mail_within(site, work, row, verdicts.CANARY, raw=None)
    try:
        incoming = read_mail_of_row(site, row, row.raw)
    except UnreadableMail as error:
        return close_mail(site, row, verdicts.UNREADABLE, detail=error.why)
    if row.size > len(row.raw):  # only its head was kept
        return close_mail(
            site, row, verdicts.UNREADABLE, incoming=incoming, sender=canonical_sender(incoming), detail="too-large"
        )
    named = meaning_of_first_token(site, incoming)
    if incoming.report is not None:
        return returns.note_report(site, row, incoming)
    if isinstance(named, PlayerNamed) or (isinstance(named, SeatNamed) and named.named == "mute"):
        return returns.mute_or_unsubscribe(site, row, incoming, named)
    sender = canonical_sender(incoming)
    if incoming.automatic is not None:
        return close_mail(site, row, verdicts.AUTOMATIC, incoming=incoming, sender=sender, detail=incoming.automatic)
    return _read_reply(site, row, incoming, named, sender, judge)


def _read_reply(
    site: Site, row: InboxRow, incoming: Incoming, named: Named | None, sender: str | None, judge: Judge
) -> str:
    """Does what somebody's mail says if it may act for the seat that it names; returns the verdict."""
    with site.reading() as session:
        whose = seat_named_in_mail(site, session, incoming, named)
    is_theirs = whose is not None and sender is not None and mailbox_of(sender) == mailbox_of(whose.canonical)
    if whose is None or not (is_theirs or whose.sure):
        why = "no-seat" if whose is None else OTHER_SENDER
        return close_mail(site, row, verdicts.STRANGER, incoming=incoming, sender=sender, detail=why)
    if row.raw is not None and row.via != judging.MAILBOX:
        judging.note_several_results(site, row.raw)
    # Anyone who holds the seat's token is never met by silence, unless the domain that they claim to write from denies
    # it.
    verdict, why = judge(site, row, incoming.senders[0]) if sender is not None else ("ask", OTHER_SENDER)
    if verdict == "silence":
        return close_mail(site, row, verdicts.SILENT, whose=whose, incoming=incoming, detail=why)
    if not is_theirs:
        verdict, why = "ask", OTHER_SENDER
    return acting.act_on_letter(site, Letter(row, incoming, whose, verdict == "act", why))
