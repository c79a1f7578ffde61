"""What a player says of his own time: holidays with a yearly allowance, weekends, quiet hours.

A change moves the deadlines of what he is asked at the moment, in one transaction: what was left of the time is left
under the new calendar, and each match's log says by how much its deadline moved. So a holiday that is taken back
takes its time back, too.
"""

from datetime import date, timedelta

from sqlmodel import Session, col, select

from pbem.errors import N_, Invalid, NotFound
from pbem.models.tables import AskRow, Match, Player, SeatRow, Vacation
from pbem.rules.replay import Extended
from pbem.services import days, store, timing
from pbem.services.ballot import there
from pbem.services.calendar import Calendar
from pbem.services.site import Site

ALLOWANCE = 30
"""Days of holiday in a calendar year."""
AHEAD = timedelta(days=366)
DAY = timedelta(days=1)


def announce(site: Site, player_id: int, first: date, last: date) -> None:
    """The player's clock stands still from the first day to the last. Raises Invalid."""
    now = site.now()
    with site.writing() as session:
        player = _locked(session, player_id)
        before = days.of_player(session, player)
        today = before.day_of(now)
        if not today <= first <= last or last > today + AHEAD:
            raise Invalid(N_("A holiday begins today or later, ends after that, and within a year."))
        if any(first <= other_last and other_first <= last for other_first, other_last in before.holidays):
            raise Invalid(N_("This overlaps with another holiday of yours."))
        for year in {first.year, last.year}:
            if sum(_days_in(year, *pair) for pair in (*before.holidays, (first, last))) > ALLOWANCE:
                raise Invalid(N_("There are %(days)s days of holiday in a year."), {"days": ALLOWANCE})
        session.add(Vacation(player_id=player_id, first=first, last=last))
        session.flush()
        _move(site, session, player, before)


def _days_in(year: int, first: date, last: date) -> int:
    """How many of these days lie in the year."""
    return max((min(last, date(year, 12, 31)) - max(first, date(year, 1, 1))).days + 1, 0)


def take_back(site: Site, player_id: int, first: date) -> None:
    """Ends the holiday that begins that day: all of it, or what is left of it from today on. Raises NotFound."""
    with site.writing() as session:
        player = _locked(session, player_id)
        before = days.of_player(session, player)
        today = before.day_of(site.now())
        found = select(Vacation).where(col(Vacation.player_id) == player_id, col(Vacation.first) == first)
        vacation = session.exec(found).first()
        if vacation is None or vacation.last < today:
            raise NotFound(N_("There is no such holiday."))
        if vacation.first < today:
            vacation.last = today - DAY
            session.add(vacation)
        else:
            session.delete(vacation)
        session.flush()
        _move(site, session, player, before)


def set_hours(site: Site, player_id: int, weekends_off: bool, quiet: tuple[int, int] | None) -> None:
    """Sets whether the player's clock stands still at weekends, and between which hours no deadline falls."""
    with site.writing() as session:
        player = _locked(session, player_id)
        before = days.of_player(session, player)
        player.weekends_off = weekends_off
        player.quiet_from, player.quiet_to = quiet or (None, None)
        session.add(player)
        session.flush()
        _move(site, session, player, before)


def checked_quiet(first: str, last: str) -> tuple[int, int] | None:
    """The quiet hours that a form names, None for none. Raises Invalid."""
    if not first and not last:
        return None
    if not all(word.isascii() and word.isdigit() and len(word) < 3 and int(word) < 24 for word in (first, last)):
        raise Invalid(N_("Quiet hours have a beginning and an end, between 0 and 23."))
    return (int(first), int(last)) if int(first) != int(last) else None


def _locked(session: Session, player_id: int) -> Player:
    """The player, locked: of two changes at once the second sees the first."""
    return session.get_one(Player, player_id, with_for_update=True, populate_existing=True)


def _move(site: Site, session: Session, player: Player, before: Calendar) -> None:
    """Moves the deadlines of what the player is asked; the matches are locked in an order that everybody keeps."""
    after, now = days.of_player(session, player), site.now()
    asked = select(AskRow.match_id).where(
        col(AskRow.closed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == player.id,
        col(Match.id) == col(AskRow.match_id),
        col(Match.status) == "running",
    )
    for match_id in sorted(session.exec(asked.distinct())):
        match = store.lock_match(session, match_id)
        mine = [s.seat for s in store.seats_of(session, match_id) if s.player_id == player.id and there(s)]
        for ask in store.open_asks(session, match_id):
            if ask.seat in mine and match.status == "running":
                deadline = ask.deadline
                timing.set_time(ask, timing.moved(ask, now, before, after))
                session.add(ask)
                seconds = round((ask.deadline - deadline).total_seconds())
                store.record(session, match, [Extended(seconds, ask.seat)] if seconds else [], now)
