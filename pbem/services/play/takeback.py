"""Takes a move back: at once while nobody has learned anything from it, else if the others agree.

What a seat can take back is its latest decision, or it is said why it cannot:

    held       free, and no mail about what followed has gone out
    free       nobody has learned anything from it (see `pbem.kit.takeback`), and nobody has acted since
    consent    others have, and may agree
    asked      they have been asked
    no         luck has spoken, it has shown its mover something hidden, or another reason

All of it follows from what the seat knows: whether something can be taken back tells nothing that is hidden.

    take_back                at once, or asks the others for their consent; asking again is the same request
    answer_takeback_request  agrees, or declines, which ends the request
    withdraw                 ends one's own request
    read_page                what the page of a seat shows, and what it can take back

One request can be open at a time in a match. It ends with the next decision, no matter who makes it (`table.append`):
the match does not wait for it. Everybody who is at the table has to agree; bots have nothing against it, and anyone who
is absent or has resigned is not waited for. But nothing is taken back by which the taker has seen a secret of theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Literal

import msgspec
from sqlalchemy import or_, update
from sqlmodel import col, select

from pbem.errors import N_, Gone, Stale
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import Seat
from pbem.kit.folds import no_folds
from pbem.kit.logs.logfile import MAX_TAKEBACKS
from pbem.kit.replay import (
    AnyEntry,
    By,
    Replaced,
    TableEvent,
    entries_not_taken_back,
    evolve_all,
    key_without_takebacks,
)
from pbem.kit.takeback import (
    FREE,
    OWN,
    SHOWN,
    Answered,
    does_move_draw,
    is_free_to_take_back,
    seats_with_secrets_shown_to_taker,
)
from pbem.models.tables import AskRow, Match, OrderRow, OutboxRow, table
from pbem.services.access import seat_links
from pbem.services.log import store, undoing
from pbem.services.log.consent import (
    CONSENT,
    Request,
    drop_takeback_request_of_seat,
    find_takeback_request,
    seats_to_agree_to_takeback,
)
from pbem.services.log.outbox import keys_in_outbox
from pbem.services.log.store import Table
from pbem.services.log.table import LockedTable
from pbem.services.play import moves, orders, presence
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views, seats
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.services.views.talk import Talk

State = Literal["held", "free", "consent", "asked", "no"]
Reason = Literal[
    "acted", "learned", "luck", "shown", "window", "nothing", "nobody", "asked_before", "open", "rule", "most"
]
"""acted, learned: others have acted since, or have learned something, so they have to agree. The others are why
nothing can be taken back: luck was drawn, something hidden was shown to the seat, it was an answer in a window, there
is no move of the seat, nobody is there who could agree, they have been asked before, somebody else asks already, the
table takes back only what nobody has seen, or did so too often."""


@dataclass(frozen=True)
class Reversible:
    """What the seat can take back: what was played after entry `to`, that is its decision at the entry after it."""

    state: State
    to: int | None
    reason: Reason | None = None
    held_until: datetime | None = None
    """Until when no mail about it goes out; only if it is held."""
    needed: tuple[Seat, ...] = ()
    """The seats that have to agree."""
    agreed: tuple[Seat, ...] = ()


@dataclass(frozen=True)
class Decision:
    """A decision that counts: its first entry, and the events of it."""

    n: int
    by: By
    seat: Seat
    key: str
    events: tuple[Any, ...]


@dataclass(frozen=True)
class Latest:
    """What the log tells of the seat's latest decision, the one after entry `to`; None without one.

    `reason` is why the seat cannot take it back alone; None if it can. `shown_by` are the other seats that have shown
    it a secret of their own since.
    """

    to: int | None
    reason: Reason | None
    shown_by: frozenset[Seat] = frozenset()


def read_reversible(table: Table, seat: Seat, site: Site) -> Reversible:
    """Returns what the seat can take back of this match, which is running.

    What the log tells comes from the site's cache, except for a locked table: what it has written may be rolled back.
    """
    key = (table.id, table.match.version, table.match.undone, seat, seats_to_agree_to_takeback(table.seats, seat))
    writes = isinstance(table, LockedTable)  # what it has written may be rolled back
    latest: Latest | None = None if writes else site.reversible.find(key)
    if latest is None:
        latest = _what_seat_may_take_back(table, seat)
        if not writes:
            site.reversible.keep(key, latest)
    to, reason = latest.to, latest.reason
    if to is not None and (reason == "acted" or reason == "learned"):
        return _reversible_by_consent(table, seat, to, reason, latest.shown_by)
    if to is None or reason is not None:
        return Reversible("no", to, reason)
    held_until = _mails_held_until(site, table, seat, to)
    return Reversible("free" if held_until is None else "held", to, held_until=held_until)


def _what_seat_may_take_back(table: Table, seat: Seat) -> Latest:
    match, game = table.match, table.game
    start, recent = table.entries_after_earlier_folds
    stretch = _decisions_from_latest_own_on(entries_not_taken_back(recent), seat)
    if not stretch and start:
        stretch = _decisions_from_latest_own_on(entries_not_taken_back(table.entries), seat)
    if not stretch:
        return Latest(None, "nothing")
    first, to = stretch[0], stretch[0].n - 1
    if match.undone >= MAX_TAKEBACKS:
        return Latest(to, "most")
    rows = asks_answered_after(table, to)
    if any(one.n not in rows for one in stretch):
        return Latest(to, "nothing")
    if game.meta.asks[rows[first.n].kind].window:
        return Latest(to, "window")
    noted = _latest_from_asks(table, seat, stretch, rows)
    return noted if noted is not None else _latest_from_log(table, seat, stretch, rows)


def _latest_from_asks(table: Table, seat: Seat, stretch: list[Decision], rows: Mapping[int, AskRow]) -> Latest | None:
    """Returns it from what is noted of the answers since the decision; None if that does not suffice.

    Those named as having shown a secret may be too many, but only by some who have to agree anyway.
    """
    to, noted = stretch[0].n - 1, [rows[one.n] for one in stretch]
    drew = {row.drew for row in noted}
    if None in drew:
        return None
    if True in drew:
        return Latest(to, "luck")
    if SHOWN in {row.told for row in noted}:
        return Latest(to, "shown")
    if len(stretch) == 1:
        return Latest(to, None if noted[0].told == FREE else "learned")
    others = frozenset(one.seat for one in stretch if one.seat != seat)
    told = {row.told for row in noted if row.seat != seat}
    return (
        Latest(to, "acted", others)
        if told <= {FREE, OWN} and others <= {*seats_to_agree_to_takeback(table.seats, seat)}
        else None
    )


def _latest_from_log(table: Table, seat: Seat, stretch: list[Decision], rows: Mapping[int, AskRow]) -> Latest:
    """Returns it from the whole log."""
    game, first, to = table.game, stretch[0], stretch[0].n - 1
    codec, entries = codec_for(game), entries_not_taken_back(table.entries)
    moves = {n: codec.move(row.answer or "") for n, row in rows.items()}
    before = [one.event for one in entries if one.n <= to and not isinstance(one.event, TableEvent)]
    now = evolve_all(game, None, before)
    for one in stretch:
        asked = {ask.key for ask in game.pending(now)}
        if key_without_takebacks(one.key) not in asked or does_move_draw(game, now, one.seat, moves[one.n]):
            return Latest(to, "luck")
        now = evolve_all(game, now, one.events)
    shown = seats_with_secrets_shown_to_taker(
        game, before, [Answered(one.seat, moves[one.n], one.events) for one in stretch], seat
    )
    if shown is None:
        return Latest(to, "shown")
    if any(one.by.seat != seat for one in stretch):
        return Latest(to, "acted", shown)
    folds, made = (
        no_folds(len(table.seats)).after(game, before, None),
        Answered(seat, moves[first.n], first.events),
    )
    return Latest(to, None if is_free_to_take_back(game, folds, made) else "learned")


def _decisions_from_latest_own_on(entries: Sequence[AnyEntry], seat: Seat) -> list[Decision]:
    """Returns the decisions from the latest one that the seat's owner made by hand; empty without one."""
    played = [one for one in entries if one.key is not None and not isinstance(one.event, TableEvent)]
    groups = [[*group] for _, group in groupby(played, key=lambda one: (one.key, one.by))]
    at = next((at for at in reversed(range(len(groups))) if groups[at][0].by.seat == seat), None)
    taken_over = (one.n for one in entries if isinstance(one.event, Replaced) and one.event.seat == seat)
    if at is None or max(taken_over, default=0) > groups[at][0].n:
        return []
    since: list[Decision] = []
    for first, *rest in groups[at:]:
        owner = first.seat_answered_for
        assert owner is not None, "a decision answers the question of a seat"
        since.append(Decision(first.n, first.by, owner, first.key or "", (first.event, *(one.event for one in rest))))
    return since


def asks_answered_after(table: Table, to: int) -> dict[int, AskRow]:
    """Returns the questions whose answers begin after entry `to`, by the first entry of the answer."""
    rows = select(AskRow).where(
        col(AskRow.match_id) == table.id, col(AskRow.first_n) > to, col(AskRow.answer).is_not(None)
    )
    return {row.first_n: row for row in table.session.exec(rows) if row.first_n is not None}


# --- what others have to do with it ------------------------------------------------------------------------------


def _reversible_by_consent(table: Table, seat: Seat, to: int, reason: Reason, shown: frozenset[Seat]) -> Reversible:
    match, seats = table.match, table.seats
    needed = seats_to_agree_to_takeback(seats, seat)
    if not shown <= {*needed}:  # a bot cannot agree, nor can somebody who is away
        return Reversible("no", to, "shown")
    if match.takebacks != CONSENT:
        return Reversible("no", to, "rule")
    request = find_takeback_request(match)
    if request is not None and request.seat != seat:
        return Reversible("no", to, "open")
    if request is not None:
        return Reversible("asked", to, reason, needed=needed, agreed=request.agreed)
    away = any(one.bot is None and one.absent for one in seats if one.seat != seat)
    if not needed and away:
        return Reversible("no", to, "nobody")
    if keys_in_outbox(table.session, [key_of_request_mail(match, to, other) for other in needed]):
        return Reversible("no", to, "asked_before")
    return Reversible("consent", to, reason, needed=needed)


def key_of_request_mail(match: Match, to: int, reader: Seat) -> str:
    """Returns the unique key of the mail that asks this seat to agree. It is sent once: nobody is asked twice."""
    return f"takeback:{match.id}:{to}:{match.undone}:{reader}"


def _mails_held_until(site: Site, table: Table, seat: Seat, to: int) -> datetime | None:
    """Returns until when no mail about the answer after `to` goes out; None if that is past, or nobody is written to.

    All such mails are held equally long, without looking at any: which of them wait would show who has orders.
    """
    hold_s = site.config.mail_hold_s
    if not hold_s or table.match.untimed or not any(one.bot is None for one in table.seats if one.seat != seat):
        return None
    answered = asks_answered_after(table, to)[to + 1]
    if answered.closed_at is None or answered.told_at is not None:
        return None
    until = answered.closed_at + timedelta(seconds=hold_s)
    return until if until > site.now() else None


# --- what its owner does with it ------------------------------------------------------------------------------

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

    `orders_ended` is True if the taker had orders, which have ended with the move.
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
        presence.reset_misses_and_end_absence(table, seat)
        missing = set(found.needed) - set(found.agreed)
        if found.state in ("consent", "asked") and missing:
            if found.state != "asked":
                table.match.undoing = encode(Request(seat.seat, to)).decode()
                for other in found.needed:
                    table.queue_mail("takeback", other, key_of_request_mail(table.match, to, other), key=str(to))
            return TakenBack(table.match.version, False, replace(found, state="asked"))
        row = table.orders_of(seat.seat)
        ordered = row is not None and row.body != ""
        _undo_and_end_orders(table, to, seat.seat)
        return replace(_takeback_result(table, seat.seat, done=True), orders_ended=ordered)


def answer_takeback_request(site: Site, claim: SeatClaim, to: int, *, agree: bool) -> TakenBack:
    """Agrees to the open request to take back what was played after entry `to`, or declines it. Idempotent.

    With the last consent it is taken back. Raises Stale if this request is not open (any more), Gone if
    it cannot be taken back (any more), Unauthorized, NotFound.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        match, request = table.match, find_takeback_request(table.match)
        if request is None or request.to != to or request.seat == seat.seat:
            raise Stale(N_("There is no such request any more: somebody has moved, declined it, or withdrawn it."))
        presence.reset_misses_and_end_absence(table, seat)
        if not agree:
            match.undoing = None
            return _takeback_result(table, seat.seat, done=False)
        found = read_reversible(table, request.seat, site)
        if found.state == "no":  # somebody has left since, or it was asked for when other rules held
            raise Gone(REASONS[found.reason or "nothing"], extra={"why": found.reason})
        agreed = tuple(sorted({*request.agreed, seat.seat}))
        done = set(seats_to_agree_to_takeback(table.seats, request.seat)) <= set(agreed)
        if done:
            _undo_and_end_orders(table, to, request.seat)
        else:
            match.undoing = encode(msgspec.structs.replace(request, agreed=agreed)).decode()
        return _takeback_result(table, seat.seat, done=done)


def withdraw_request(site: Site, claim: SeatClaim) -> TakenBack:
    """Ends the seat's own open request; does nothing without one. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        drop_takeback_request_of_seat(table.match, seat.seat)
        return _takeback_result(table, seat.seat, done=False)


def read_takeback(site: Site, claim: SeatClaim) -> TakenBack:
    """Returns what the seat can take back now, for its owner. Raises Unauthorized, NotFound, Gone."""
    with site.reading() as session:
        seat = seat_links.seat_of_link(session, claim, claim.purpose)
        table = Table(session, store.get_match(session, seat.match_id))
        _require_running(table)
        return TakenBack(table.match.version, False, read_reversible(table, seat.seat, site))


def read_seat_page(site: Site, claim: SeatClaim) -> tuple[Seated, View, Talk | None, Reversible | None]:
    """Returns the seat of a play link, the match as it sees it, the talk, and what the seat can take back.

    The last is None where the page says nothing of it (see `shows_takeback`). Raises Unauthorized.
    """
    with site.reading() as session:
        seated, view, said, table = seats.page_of(session, site, claim, match_views.glance)
        can = read_reversible(table, claim.seat, site) if shows_takeback(view) else None
    return seated, view, said, can


def shows_takeback(view: View) -> bool:
    """Returns whether the viewer's page says what they can take back: they have moved, and it is not their turn again.

    False in a match that is not running, and for a player who has resigned.
    """
    own = view.last_own
    if view.sheet.status != "running" or own is None or view.viewer is None or view.sheet.has_resigned(view.viewer):
        return False
    return view.ask is None or not view.others_moved


def release_held_mails(site: Site, claim: SeatClaim) -> None:
    """Lets the mails that are held about the seat's latest move go out now. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        _require_running(table)
        found, now, t = read_reversible(table, seat.seat, site), table.now, _mails
        if found.state != "held" or found.to is None:
            return
        answered = asks_answered_after(table, found.to)[found.to + 1]
        answered.told_at = now
        held = (t.c.match_id == table.id, t.c.kind == "turn", t.c.done_at.is_(None), t.c.due_at > now)
        work.connection().execute(update(t).where(*held, t.c.seat != seat.seat).values(due_at=now))
        work.wakes = True


def _require_running(table: Table) -> None:
    moves.require_in_play(table.match.status)
    if table.match.status != "running":
        raise Gone(N_("The match is paused: nothing can be taken back until somebody is there again."))


def _takeback_result(table: LockedTable, seat: int, *, done: bool) -> TakenBack:
    return TakenBack(table.match.version, done, read_reversible(table, seat, table.work.site))


def _undo_and_end_orders(table: LockedTable, to: int, seat: int) -> None:
    """Takes it back, ends the orders that were made since, and the taker's own: they want to answer by hand."""
    gone = undoing.undo_entries_after(table, to, seat)
    for row in table.work.exec(select(OrderRow).where(col(OrderRow.match_id) == table.id)).all():
        if row.version > to or row.seat == seat:
            orders.end_orders(table, row.seat, upto=to)
    orders.end_orders_of_closed_windows(table)
    _close_turn_mails_or_queue_notice(table, gone, seat)


def _close_turn_mails_or_queue_notice(table: LockedTable, gone: list[AskRow], taker: int) -> None:
    """Closes the turn mails of these questions that have not left, and queues a notice after those that have.

    A mail that is leaving at this moment counts as one that has left: its notice waits until that is certain.
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
            table.queue_mail("undone", ask.seat, dedupe, key=ask.origin, due=due)
