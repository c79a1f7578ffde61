"""Presence at the table: misses, absence, coming back, resigning, and the pause when nobody is active.

    active ──two misses in a row──> absent ──any move of theirs, or one click──> active
       └──────────resigns (from either)──────────> resigned, until the end
    running ──nobody is active──> paused ──somebody is back──> running
                                    └── 30 days ──> cancelled
    either ──one seat is left that has not resigned, or bots alone──> over

A miss is a turn, or an answer outside one's turn, in which the clock has moved; a player's own answer resets the
count. For seats whose owner is absent or has resigned the clock answers at once, or the bot that an absent owner has
chosen (`stand_ins`). Each change is an entry in the log.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from pbem.errors import N_, Gone, Invalid
from pbem.games import find_game
from pbem.kit.endings import end_by_resignations
from pbem.kit.replay import Absent, MatchEnded, Paused, Replaced, Resigned, Resumed, Returned, TableEvent
from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow, OutboxRow, SeatRow, table
from pbem.services import statements
from pbem.services.access import seat_links
from pbem.services.calendar import deadlines
from pbem.services.clock import outages
from pbem.services.log import consent, windows
from pbem.services.log.consent import is_active_person
from pbem.services.log.table import LockedTable
from pbem.services.play import orders
from pbem.services.players import open_matches
from pbem.services.site import Site
from pbem.services.statements import Written
from pbem.services.tokens import SeatClaim
from pbem.services.views.match_views import SheetSeat

MISSES = 2
_votes, _mails = table(VoteRow), table(OutboxRow)
ABANDONED = timedelta(days=30)
"""How long a match stays paused before it is cancelled because nobody has come back."""


# --- actions of the clock ------------------------------------------------------------------------------------


def record_miss(table: LockedTable, ask: AskRow) -> None:
    """Counts a miss for the ask that the clock has just answered; after two in a row the seat is absent.

    Raises Busy if somebody else is changing the player of a seat that becomes absent.
    """
    match, seat = table.match, table.seats[ask.seat]
    if not is_active_person(seat) or _was_miss_counted(table.work, ask):
        return
    seat.misses += 1
    have_open_votes_recounted(table)
    if seat.misses < MISSES or match.status != "running":
        return
    open_matches.count_absence(table.work, seat.player_id)
    table.record([Absent(seat.seat)])
    seat.absent, seat.away_n = True, match.version
    orders.end_orders(table, seat.seat, upto=match.version)
    table.queue_mail("absent", seat.seat, f"absent:{match.id}:{seat.seat}:{match.version}")
    _make_due_now(table, [seat])
    _pause_if_nobody_is_active(table)


def _was_miss_counted(session: Session, ask: AskRow) -> bool:
    """True if the clock has answered an earlier ask of the same turn, so that the miss was already counted."""
    earlier = select(AskRow.key).where(
        col(AskRow.match_id) == ask.match_id,
        col(AskRow.seat) == ask.seat,
        col(AskRow.turn) == ask.turn,
        col(AskRow.key) != ask.key,
        col(AskRow.closed_by) == "clock",
    )
    return session.exec(earlier.limit(1)).first() is not None


def _make_due_now(table: LockedTable, seats: Sequence[SeatRow]) -> None:
    """Makes the open asks of these seats due now, so that the clock answers them at once."""
    numbers = [seat.seat for seat in seats]
    for ask in table.asks:
        if ask.seat in numbers:
            ask.mailed_at, ask.acts_at, ask.claimed_until = ask.mailed_at or table.now, table.now, None
            ask.bot = None  # the sweep looks who stands in


def _pause_if_nobody_is_active(table: LockedTable) -> None:
    """Pauses a running match in which nobody is active any more."""
    have_open_votes_recounted(table)
    match = table.match
    if match.status != "running" or any(map(is_active_person, table.seats)):
        return
    match.status, match.lapses_at = "paused", table.now + ABANDONED
    outages.skip_recorded_outages(table)
    table.record([Paused()])
    for ask in table.asks:
        ask.acts_at = ask.closes_at = None
    for seat in table.seats:
        if seat.absent:
            table.queue_mail("paused", seat.seat, f"paused:{match.id}:{match.version}:{seat.seat}")


def have_open_votes_recounted(table: LockedTable) -> None:
    """Makes the clock count open votes again at once, because somebody may have lost the right to vote."""
    for ask in table.asks:
        if ask.vote_since is not None:
            ask.acts_at, ask.claimed_until = table.now, None


# --- what the owner has seen ---------------------------------------------------------------------------------


def mark_entries_seen(site: Site, claim: SeatClaim, upto: int) -> int:
    """Marks what happened up to this entry as seen by the owner of the seat; returns up to which it now is.

    A mail that was sent is not seen, nor is a page that was fetched: programs follow links, too. Nobody else learns of
    it, and it only ever grows. Raises Unauthorized, NotFound, and Invalid for an entry that is not there yet.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        if not 0 <= upto <= table.match.version:
            raise Invalid(N_("The match has no entry %(n)s."), {"n": upto})
        for noted in statements_to_mark_seen(seat, upto):
            noted.statement.flush_and_send(work, noted.values)
        return max(seat.seen or 0, upto)


def statements_to_mark_seen(seat: SeatRow, upto: int) -> list[Written]:
    """Returns the statement that marks what happened up to this entry as seen; none if that is marked."""
    if (seat.seen or 0) >= upto:
        return []
    own = {"at_match": seat.match_id, "at_seat": seat.seat, "at_epoch": seat.epoch}
    return [Written(statements.SEEN, {**own, "upto": upto})]


# --- actions of the owner ------------------------------------------------------------------------------------


def end_own_absence(site: Site, claim: SeatClaim) -> None:
    """Ends the absence of the seat's owner and gives their asks the whole time again. Idempotent.

    `claim` is their play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        if table.match.status not in ("running", "paused"):
            raise Gone(N_("The match is not being played."))
        reset_misses_and_end_absence(table, seat)


def reset_misses_and_end_absence(table: LockedTable, seat: SeatRow) -> None:
    """Resets the misses of an owner who has acted, and ends their absence. Raises Gone if they have resigned."""
    if seat.resigned:
        raise Gone(N_("You have resigned: your moves are automatic until the end."))
    if not seat.absent:
        if seat.misses:
            seat.misses = 0
        return
    _end_absence_without_restart(table, seat)
    _restart_asks_of_seat(table, seat)


def end_absence_in_secret(table: LockedTable, seat: SeatRow) -> None:
    """Does what `reset_misses_and_end_absence` does for a player in a silent window, but tells nobody before it closes.

    Their absence ends then (`end_absences_after_window`); at a paused match it ends at once, since nothing would go on
    otherwise. Raises Gone if they have resigned.
    """
    if not seat.absent or seat.resigned or table.match.status == "paused":
        reset_misses_and_end_absence(table, seat)


def end_absences_after_window(table: LockedTable, seats: Iterable[int]) -> None:
    """Ends the absence of those of these seats that are absent: they have answered in a silent window."""
    for number in sorted(seats):
        seat = table.seats[number]
        if seat.absent and not seat.resigned:
            _end_absence_without_restart(table, seat)


def _end_absence_without_restart(table: LockedTable, seat: SeatRow) -> None:
    seat.absent, seat.misses, seat.away_n = False, 0, None
    _record_presence_and_resume(table, Returned(seat.seat))


def void_vote(table: LockedTable, ask: AskRow) -> None:
    """Voids the vote on a late player who answers themselves; the next ask in their turn starts in its grace period."""
    ask.vote_since, ask.deadline, ask.runs_out = None, table.now, None
    days = table.calendar_of(table.seats[ask.seat])
    ask.acts_at = deadlines.clock_acts_at(table.now, ask.allowed_s, days)
    table.work.execute(delete(_votes).where(_votes.c.match_id == table.id, _votes.c.seat == ask.seat))


def _record_presence_and_resume(table: LockedTable, event: TableEvent) -> None:
    """Records that a player has come back or taken over a seat; a paused match resumes."""
    paused = table.match.status == "paused"
    if paused:  # bots get their whole time again, and earlier outages no longer matter
        table.match.status, table.match.lapses_at = "running", None
        outages.skip_recorded_outages(table)
        for ask in table.asks:
            if ask.bot is not None:
                _restart_ask(table, ask)
        windows.restart_window_time(table)
        table.work.wakes = True  # for the bots
    table.record([event, Resumed()] if paused else [event])
    if paused:
        _make_due_now(table, [other for other in table.seats if other.bot is None and not is_active_person(other)])


def record_takeover(table: LockedTable, seat: SeatRow) -> None:
    """Records that the seat has a new owner, and puts its open asks to them, with the whole time and a turn mail.

    The former owner's votes end, and so does what was left to their digest. A match paused for them goes on.
    """
    work = table.work
    orders.end_orders(table, seat.seat)
    table.match.undoing = None  # an open request to take back: the player who sits here now has not been asked
    _record_presence_and_resume(table, Replaced(seat.seat))
    _restart_asks_of_seat(table, seat)
    work.execute(delete(_votes).where(_votes.c.match_id == table.id, _votes.c.voter == seat.seat))
    held = (_mails.c.match_id == table.id, _mails.c.seat == seat.seat, _mails.c.result == "digest")
    work.execute(update(_mails).where(*held).values(result="stale"))  # the asks were left to the former owner's digest
    for ask in table.asks:
        if ask.seat == seat.seat:
            if ask.floor_at is None:
                ask.mailed_at, ask.acts_at = None, None
            elif ask.sealed_at is not None:
                windows.withdraw_sealed_answer(ask)
            dedupe = f"turn:{table.id}:{seat.seat}:{ask.origin}:{seat.epoch}"
            table.queue_mail("turn", seat.seat, dedupe, key=ask.origin, due=table.now + table.hold)


def _restart_asks_of_seat(table: LockedTable, seat: SeatRow) -> None:
    """Gives the seat's open asks their whole time again and voids the votes on them.

    In a silent window all who are asked get it, no matter who has answered; what the clock or a bot has answered for
    the seat does not count any more.
    """
    for ask in table.asks:
        if ask.seat == seat.seat and ask.floor_at is not None:
            ask.bot = None
            if ask.sealed_by is not None and windows.giver_of_sealed_answer(ask).seat is None:
                windows.withdraw_sealed_answer(ask)
            windows.restart_window_time(table)
        elif ask.seat == seat.seat:
            _restart_ask(table, ask)
            ask.vote_since = None
            table.work.execute(delete(_votes).where(_votes.c.match_id == table.id, _votes.c.seat == ask.seat))


def _restart_ask(table: LockedTable, ask: AskRow) -> None:
    """Gives the ask the whole time of its seat from now on; the time of a turn if the game is no longer installed."""
    if ask.floor_at is not None:
        return  # `windows.restart_window_time` does it for all who are asked in a silent window
    match, seat, game = table.match, table.seats[ask.seat], find_game(table.match.game)
    ask.bot = seat.bot  # not the one that stood in
    allowed_s = deadlines.seconds_allowed(match, seat, game is not None and game.meta.asks[ask.kind].window)
    deadlines.store_time_in_ask(ask, deadlines.time_if_clock_starts_at(allowed_s, table.now, table.calendar_of(seat)))
    ask.claimed_until = None


def resign(site: Site, claim: SeatClaim) -> None:
    """Lets the fallback play for the seat until the end, or ends the match (see `ending_if_seat_resigns`). Idempotent.

    `claim` is the owner's play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        if table.match.status == "over" and seat.resigned:
            return
        if table.match.status not in ("running", "paused"):
            raise Gone(N_("The match is not being played."))
        resign_seat(table, seat)


def ending_if_seat_resigns(seats: Sequence[SeatRow | SheetSeat], leaving: int) -> MatchEnded | None:
    """Returns how the match ends if this seat resigns; None if it goes on."""
    left = [one.seat for one in seats if not one.resigned and one.seat != leaving]
    return end_by_resignations(left, {one.seat for one in seats if one.bot is not None})


def resign_seat(table: LockedTable, seat: SeatRow) -> None:
    """Marks the seat of a match in progress as resigned, and ends the match if nobody is left to play it with.

    Idempotent.
    """
    if seat.resigned:
        return
    match = table.match
    consent.drop_takeback_request_of_seat(match, seat.seat)
    table.record([Resigned(seat.seat)])
    orders.end_orders(table, seat.seat)
    seat.resigned, seat.absent, seat.away_n = True, False, seat.away_n or match.version
    end = ending_if_seat_resigns(table.seats, seat.seat)
    if end is not None:
        table.end_because_of_people(end)
        return
    if match.status == "running":
        _make_due_now(table, [seat])
    _pause_if_nobody_is_active(table)
