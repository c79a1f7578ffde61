"""Takes a move back: at once while nobody has learned anything from it, else if the others agree.

    take_back       at once, or asks the others for their consent; asking again is the same request
    give_consent    agrees, or declines, which ends the request
    withdraw        ends one's own request
    read_page       what the page of a seat shows, and what it can take back

One request can be open at a time in a match. It ends with the next decision, no matter who makes it (`store.append`):
the match does not wait for it. Everybody who is at the table has to agree; bots have nothing against it, and anyone who
is absent or has resigned is not waited for. But nothing is taken back by which the taker has seen a secret of theirs.
"""

from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import or_, update
from sqlmodel import col, select

from pbem.errors import N_, Gone, Stale
from pbem.kit.codec import encode
from pbem.models.tables import AskRow, OrderRow, OutboxRow, table
from pbem.services.access import seat_links
from pbem.services.log import store, undoing
from pbem.services.log.consent import Request, end_request, needed_consent, open_request
from pbem.services.log.store import Table
from pbem.services.log.table import LockedTable
from pbem.services.play import moves, orders, presence
from pbem.services.play.reversible import Reversible, answers_after, read_reversible, request_mail
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.views import seats
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.services.views.talk import Talk

_mails = table(OutboxRow)
REASONS = {
    "acted": N_("Others have played since: they have to agree."),
    "learned": N_("Somebody has learned something from it: the others have to agree."),
    "shown": N_("This showed you something hidden; it cannot be taken back."),
    "luck": N_("Luck has spoken since: what was drawn cannot be taken back."),
    "window": N_("This was a secret answer; it cannot be taken back."),
    "nothing": N_("You have made no move that could be taken back."),
    "nobody": N_("Nobody is at the table who could agree."),
    "asked_before": N_("You have asked the others for this already."),
    "open": N_("Somebody else asks to take back a move: answer that first."),
    "rule": N_("At this table only what nobody has seen can be taken back."),
    "most": N_("Too much has been taken back in this match."),
}
"""Why nothing can be taken back, or not without asking, by `Reversible.reason`."""


@dataclass(frozen=True)
class TakenBack:
    """What became of it: whether it was taken back at once, and what the seat can take back now.

    `orders_ended`: the taker had orders, which have ended with the move.
    """

    version: int
    done: bool
    reversible: Reversible
    orders_ended: bool = False


def take_back(site: Site, claim: SeatClaim, to: int) -> TakenBack:
    """Takes back what was played after entry `to`, which must be the seat's latest decision, or asks for consent.

    Repeated while the others are being asked, it changes nothing. Raises Stale if `to` is not where that decision
    begins, Gone with the reason if it cannot be taken back, Unauthorized, NotFound, Busy.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        found = read_reversible(table, seat.seat, site)
        if found.to != to and found.to is not None:
            raise Stale(N_("The match has moved on: look at what can be taken back now."), extra={"to": found.to})
        if found.state == "no":
            raise Gone(REASONS[found.reason or "nothing"], extra={"why": found.reason})
        presence.end_absence(table, seat)
        missing = set(found.needed) - set(found.agreed)
        if found.state in ("consent", "asked") and missing:
            return _ask(table, found, seat.seat)
        row = table.orders_of(seat.seat)
        ordered = row is not None and row.body != ""
        _undo(table, to, seat.seat)
        return replace(_result(table, seat.seat, done=True), orders_ended=ordered)


def give_consent(site: Site, claim: SeatClaim, to: int, *, agree: bool) -> TakenBack:
    """Agrees to the open request to take back what was played after entry `to`, or declines it. Idempotent.

    With the last consent it is taken back. Raises Stale if this request is not open (any more), Gone if
    it cannot be taken back (any more), Unauthorized, NotFound.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        match, request = table.match, open_request(table.match)
        if request is None or request.to != to or request.seat == seat.seat:
            raise Stale(N_("There is no such request any more: somebody has moved, declined it, or withdrawn it."))
        presence.end_absence(table, seat)
        if not agree:
            match.undoing = None
            return _result(table, seat.seat, done=False)
        found = read_reversible(table, request.seat, site)
        if found.state == "no":  # somebody has left since, or it was asked for when other rules held
            raise Gone(REASONS[found.reason or "nothing"], extra={"why": found.reason})
        agreed = tuple(sorted({*request.agreed, seat.seat}))
        done = set(needed_consent(table.seats, request.seat)) <= set(agreed)
        if done:
            _undo(table, to, request.seat)
        else:
            match.undoing = encode(msgspec.structs.replace(request, agreed=agreed)).decode()
        return _result(table, seat.seat, done=done)


def withdraw(site: Site, claim: SeatClaim) -> TakenBack:
    """Ends the seat's own open request; does nothing without one. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        end_request(table.match, seat.seat)
        return _result(table, seat.seat, done=False)


def read_takeback(site: Site, claim: SeatClaim) -> TakenBack:
    """Returns what the seat can take back now, for its owner. Raises Unauthorized, NotFound, Gone."""
    with site.reading() as session:
        seat = seat_links.seat_of(session, claim, claim.purpose)
        table = Table(session, store.get_match(session, seat.match_id))
        _require_running(table)
        return TakenBack(table.match.version, False, read_reversible(table, seat.seat, site, site.reversible))


def read_page(site: Site, claim: SeatClaim) -> tuple[Seated, View, Talk | None, Reversible | None]:
    """Returns the seat of a play link, the match as it sees it, the talk, and what the seat can take back.

    That is None where its page says nothing of it. Raises Unauthorized.
    """
    with site.reading() as session:
        seated, view, said, table = seats.page_of(session, site, claim)
        shown = shows_takeback(view)
        return seated, view, said, read_reversible(table, claim.seat, site, site.reversible) if shown else None


def shows_takeback(view: View) -> bool:
    """Returns whether the viewer's page says what they can take back: they have moved, and it is not their turn again.

    Not in a match that does not run, and not to somebody who has resigned.
    """
    own = view.last_own()
    if view.sheet.status != "running" or own is None or view.viewer is None or view.sheet.has_resigned(view.viewer):
        return False
    later = [entry for entry in view.entries if entry.n > own.n and entry.answers_for not in (None, view.viewer)]
    return view.ask is None or not later


def release_mail(site: Site, claim: SeatClaim) -> None:
    """Lets the mails that are held about the seat's latest move go out now. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        found, now, t = read_reversible(table, seat.seat, site), table.now, _mails
        if found.state != "held" or found.to is None:
            return
        answered = answers_after(table, found.to)[found.to + 1]
        answered.told_at = now
        held = (t.c.match_id == table.id, t.c.kind == "turn", t.c.done_at.is_(None), t.c.due_at > now)
        work.connection().execute(update(t).where(*held, t.c.seat != seat.seat).values(due_at=now))
        work.wake()


def _require_running(table: Table) -> None:
    moves.require_running(table.match.status)
    if table.match.status != "running":
        raise Gone(N_("The match is paused: nothing can be taken back until somebody is there again."))


def _result(table: LockedTable, seat: int, *, done: bool) -> TakenBack:
    return TakenBack(table.match.version, done, read_reversible(table, seat, table.work.site))


def _ask(table: LockedTable, found: Reversible, seat: int) -> TakenBack:
    """Opens the request, and mails it once to each who must agree."""
    match = table.match
    assert found.to is not None, "there is something to take back"
    if found.state != "asked":
        match.undoing = encode(Request(seat, found.to)).decode()
        for other in found.needed:
            table.mail("takeback", other, request_mail(match, found.to, other), key=str(found.to))
    return TakenBack(match.version, False, replace(found, state="asked"))


def _undo(table: LockedTable, to: int, seat: int) -> None:
    """Takes it back, ends the orders that were made since, and the taker's own: they want to answer by hand."""
    gone = undoing.undo(table, to, seat)
    for row in table.work.exec(select(OrderRow).where(col(OrderRow.match_id) == table.id)).all():
        if row.version > to or row.seat == seat:
            orders.end_orders(table, row.seat, upto=to)
    orders.end_sittings(table)
    _tell_those_asked(table, gone, seat)


def _tell_those_asked(table: LockedTable, gone: list[AskRow], taker: int) -> None:
    """Closes the turn mails of these questions that have not left, and queues a notice after those that have.

    A mail that is leaving at this moment counts as one that has: its notice waits until that is certain.
    """
    t, connection, match, now = _mails, table.work.connection(), table.match, table.now
    for ask in gone:
        if ask.seat == taker or ask.bot is not None or ask.origin != ask.key:
            continue
        this = (t.c.match_id == match.id, t.c.kind == "turn", t.c.seat == ask.seat, t.c.key == ask.origin)
        unclaimed = or_(t.c.claimed_until.is_(None), t.c.claimed_until <= now)
        waits = (t.c.done_at.is_(None), t.c.pushed_at.is_(None), unclaimed)
        connection.execute(update(t).where(*this, *waits).values(done_at=now, result="stale"))
        left = connection.execute(t.select().where(*this, or_(t.c.result.is_(None), t.c.result != "stale")))
        for mail in left.all():
            due = max(mail.claimed_until or now, now) if mail.done_at is None else now
            dedupe = f"undone:{match.id}:{match.undone}:{ask.seat}:{ask.origin}"
            table.mail("undone", ask.seat, dedupe, key=ask.origin, due=due)
