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
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from pbem.errors import N_, Gone
from pbem.games import find_game
from pbem.kit.endings import end_by_people
from pbem.kit.replay import Absent, MatchEnded, Paused, Replaced, Resigned, Resumed, Returned, TableEvent
from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow, Match, OutboxRow, SeatRow, table
from pbem.services.access import seat_links
from pbem.services.calendar import deadlines, player_calendars
from pbem.services.clock import outages
from pbem.services.log import consent, outbox, store, windows
from pbem.services.log.vote_count import is_active
from pbem.services.play import orders
from pbem.services.players import open_matches
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim
from pbem.services.views.match_views import SeatView

MISSES = 2
ABANDONED = timedelta(days=30)
"""How long a match stays paused before it is cancelled because nobody has come back."""


# --- actions of the clock ------------------------------------------------------------------------------------


def record_miss(work: Work, match: Match, ask: AskRow, now: datetime) -> None:
    """Counts a miss for the ask that the clock has just answered; after two in a row the seat is absent.

    The match must be locked. Raises Busy if somebody else is changing the player of a seat that becomes absent.
    """
    seat = work.get_one(SeatRow, (match.id, ask.seat))
    if not is_active(seat) or _again(work, ask):
        return
    seat.misses += 1
    recount_votes(work, match, now)
    if seat.misses < MISSES or match.status != "running":
        return
    open_matches.count_absence(work, seat.player_id)
    store.record(work, match, [Absent(seat.seat)], now)
    seat.absent, seat.away_n = True, match.version
    orders.end_orders(work, match, seat.seat, upto=match.version)
    dedupe = f"absent:{match.id}:{seat.seat}:{match.version}"
    outbox.enqueue(work, dedupe, "absent", now, match_id=match.id, seat=seat.seat)
    _make_due_now(work, match, [seat], now)
    _pause_if_left(work, match, now)


def _again(session: Session, ask: AskRow) -> bool:
    """True if the clock has answered an earlier ask of the same turn, so that the miss was already counted."""
    earlier = select(AskRow.key).where(
        col(AskRow.match_id) == ask.match_id,
        col(AskRow.seat) == ask.seat,
        col(AskRow.turn) == ask.turn,
        col(AskRow.key) != ask.key,
        col(AskRow.closed_by) == "clock",
    )
    return session.exec(earlier.limit(1)).first() is not None


def _make_due_now(session: Session, match: Match, seats: Sequence[SeatRow], now: datetime) -> None:
    """Makes the open asks of these seats due now, so that the clock answers them at once."""
    numbers = [seat.seat for seat in seats]
    for ask in store.open_asks(session, match.id):
        if ask.seat in numbers:
            ask.mailed_at, ask.acts_at, ask.claimed_until = ask.mailed_at or now, now, None
            ask.bot = None  # the sweep looks who stands in


def _pause_if_left(work: Work, match: Match, now: datetime) -> None:
    """Pauses a running match in which nobody is active any more."""
    recount_votes(work, match, now)
    if match.status == "running" and not any(is_active(seat) for seat in store.seats_of(work, match.id)):
        _pause(work, match, now)


def recount_votes(session: Session, match: Match, now: datetime) -> None:
    """Makes the clock count open votes again at once, because somebody may have lost the right to vote."""
    for ask in store.open_asks(session, match.id):
        if ask.vote_since is not None:
            ask.acts_at, ask.claimed_until = now, None


def _pause(work: Work, match: Match, now: datetime) -> None:
    match.status, match.lapses_at = "paused", now + ABANDONED
    outages.forget(work, match)
    store.record(work, match, [Paused()], now)
    for ask in store.open_asks(work, match.id):
        ask.acts_at = ask.closes_at = None
    for seat in store.seats_of(work, match.id):
        if seat.absent:
            dedupe = f"paused:{match.id}:{match.version}:{seat.seat}"
            outbox.enqueue(work, dedupe, "paused", now, match_id=match.id, seat=seat.seat)


def _go_on(work: Work, match: Match, now: datetime) -> None:
    """Resumes a paused match: bots get their whole time again, and earlier outages no longer matter."""
    match.status, match.lapses_at = "running", None
    outages.forget(work, match)
    seats = store.seats_of(work, match.id)
    for ask in store.open_asks(work, match.id):
        if ask.bot is not None:
            _restart(work, match, seats[ask.seat], ask, now)
    windows.begin_anew(work, match, now)
    work.wake()  # for the bots


# --- actions of the owner ------------------------------------------------------------------------------------


def come_back(site: Site, claim: SeatClaim) -> None:
    """Ends the absence of the seat's owner and gives their asks the whole time again. Idempotent.

    `claim` is their play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        if match.status not in ("running", "paused"):
            raise Gone(N_("The match is not being played."))
        end_absence(work, match, seat, site.now())


def end_absence(work: Work, match: Match, seat: SeatRow, now: datetime) -> None:
    """Resets the misses of the seat's owner, who has just acted, and ends their absence.

    The match must be locked. Raises Gone if they have resigned.
    """
    if seat.resigned:
        raise Gone(N_("You have resigned: your moves are automatic until the end."))
    if not seat.absent:
        if seat.misses:
            seat.misses = 0
        return
    _return(work, match, seat, now)
    _begin_anew(work, match, seat, now)


def note_sealed(work: Work, match: Match, seat: SeatRow, now: datetime) -> None:
    """Does what `end_absence` does for a player who acts in a silent window, but tells nobody before it closes.

    At a paused match it tells at once, since nothing would go on otherwise. The match must be locked. Raises Gone if
    they have resigned.
    """
    if not seat.absent or seat.resigned or match.status == "paused":
        end_absence(work, match, seat, now)


def record_returns(work: Work, match: Match, seats: Iterable[int], now: datetime) -> None:
    """Ends the absence of those of these seats that are absent, in seat order: they have answered in a silent window.

    The match must be locked.
    """
    for number in sorted(seats):
        seat = work.get_one(SeatRow, (match.id, number))
        if seat.absent and not seat.resigned:
            _return(work, match, seat, now)


def _return(work: Work, match: Match, seat: SeatRow, now: datetime) -> None:
    seat.absent, seat.misses, seat.away_n = False, 0, None
    _is_here(work, match, Returned(seat.seat), now)


def void_vote(session: Session, match: Match, ask: AskRow, now: datetime) -> None:
    """Voids the vote on a late player who answers themselves; the next ask in their turn starts in its grace period."""
    if ask.vote_since is None:
        return
    seat = session.get_one(SeatRow, (match.id, ask.seat))
    ask.vote_since, ask.deadline, ask.runs_out = None, now, None
    ask.acts_at = deadlines.clock_acts_at(now, ask.allowed_s, player_calendars.calendar_of(session, seat))
    votes = table(VoteRow)
    session.execute(delete(votes).where(votes.c.match_id == match.id, votes.c.seat == ask.seat))


def _is_here(work: Work, match: Match, event: TableEvent, now: datetime) -> None:
    """Records that a player has come back or taken over a seat; a paused match resumes."""
    paused = match.status == "paused"
    if paused:
        _go_on(work, match, now)
    store.record(work, match, [event, Resumed()] if paused else [event], now)
    if paused:
        away = [other for other in store.seats_of(work, match.id) if other.bot is None and not is_active(other)]
        _make_due_now(work, match, away, now)


def record_takeover(site: Site, work: Work, match: Match, seat: SeatRow) -> None:
    """Records that the seat has a new owner, and puts its open asks to them, with the whole time and a turn mail.

    The former owner's votes end, and what was left to their digest. A match paused for them goes on.

    The match must be locked.
    """
    now = site.now()
    orders.end_orders(work, match, seat.seat)
    match.undoing = None  # an open request to take back: whoever sits here now has not been asked
    _is_here(work, match, Replaced(seat.seat), now)
    _begin_anew(work, match, seat, now)
    voted = table(VoteRow)
    work.execute(delete(voted).where(voted.c.match_id == match.id, voted.c.voter == seat.seat))
    mails = table(OutboxRow)
    held = (mails.c.match_id == match.id, mails.c.seat == seat.seat, mails.c.result == "digest")
    work.execute(update(mails).where(*held).values(result="stale"))  # the asks were left to the former owner's digest
    due = now + timedelta(seconds=site.config.mail_hold_s)
    for ask in store.open_asks(work, match.id):
        if ask.seat == seat.seat:
            if ask.floor_at is None:
                ask.mailed_at, ask.acts_at = None, None
            elif ask.sealed_at is not None:
                windows.unseal(work, ask)
            dedupe = f"turn:{match.id}:{seat.seat}:{ask.origin}:{seat.epoch}"
            outbox.enqueue(work, dedupe, "turn", now, match_id=match.id, seat=seat.seat, key=ask.origin, due=due)


def _begin_anew(session: Session, match: Match, seat: SeatRow, now: datetime) -> None:
    """Gives the seat's open asks their whole time again and voids the votes on them.

    In a silent window all who are asked get it, whoever has answered; what the clock or a bot has answered for the seat
    does not count any more.
    """
    for ask in store.open_asks(session, match.id):
        if ask.seat == seat.seat and ask.floor_at is not None:
            ask.bot = None
            if ask.sealed_by is not None and windows.by_of(ask).seat is None:
                windows.unseal(session, ask)
            windows.begin_anew(session, match, now)
        elif ask.seat == seat.seat:
            _restart(session, match, seat, ask, now)
            ask.vote_since = None
            votes = table(VoteRow)
            session.execute(delete(votes).where(votes.c.match_id == match.id, votes.c.seat == ask.seat))


def _restart(session: Session, match: Match, seat: SeatRow, ask: AskRow, now: datetime) -> None:
    """Gives the ask the whole time of its seat from now on; the time of a turn if the game is no longer installed."""
    if ask.floor_at is not None:
        return  # `windows.begin_anew` does it for all who are asked in a silent window
    ask.bot = seat.bot  # not the one that stood in
    game = find_game(match.game)
    window = game is not None and game.meta.asks[ask.kind].window
    calendar = player_calendars.calendar_of(session, seat)
    deadlines.set_time(ask, deadlines.time_from(deadlines.allowed_seconds(match, seat, window), now, calendar))
    ask.claimed_until = None


def resign(site: Site, claim: SeatClaim) -> None:
    """Lets the fallback play for the seat until the end, or ends the match: see `end_by_resigning`. Idempotent.

    `claim` is the owner's play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    now = site.now()
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        if match.status == "over" and seat.resigned:
            return
        if match.status not in ("running", "paused"):
            raise Gone(N_("The match is not being played."))
        give_up(work, match, seat, now)


def end_by_resigning(seats: Sequence[SeatRow | SeatView], leaving: int) -> MatchEnded | None:
    """Returns how the match ends if this seat resigns; None if it goes on."""
    left = [one.seat for one in seats if not one.resigned and one.seat != leaving]
    return end_by_people(left, {one.seat for one in seats if one.bot is not None})


def give_up(work: Work, match: Match, seat: SeatRow, now: datetime) -> None:
    """Marks the seat of a match in progress as resigned, and ends the match if nobody is left to play it with.

    Idempotent. The match must be locked.
    """
    if seat.resigned:
        return
    consent.end_request(match, seat.seat)
    store.record(work, match, [Resigned(seat.seat)], now)
    orders.end_orders(work, match, seat.seat)
    seat.resigned, seat.absent, seat.away_n = True, False, seat.away_n or match.version
    end = end_by_resigning(store.seats_of(work, match.id), seat.seat)
    if end is not None:
        store.end_by_table(work, match, end, now)
        return
    if match.status == "running":
        _make_due_now(work, match, [seat], now)
    _pause_if_left(work, match, now)
