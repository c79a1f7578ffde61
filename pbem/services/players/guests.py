"""Guests: players without an address, who play against bots in one browser.

Nobody writes to a guest, so a seat of theirs has no link to mail: the cookie of their browser is its only key. Their
row says when that browser was first here on the last day of a visit. After VISITS without a visit, counted from the
end of that day, it is claimed and erased, by `pbem.services.privacy.retention`.
"""

from datetime import datetime, timedelta

from sqlalchemy import select, update

from pbem.models.tables import Player, SeatRow, table
from pbem.services.log import locks, store
from pbem.services.players.players import Account
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayerClaim

VISITS = timedelta(days=14)
"""How long a guest is kept without a visit."""
KEPT = VISITS + timedelta(days=1)
"""How long after a noted visit a guest is kept, and their cookie: later visits on its day are not noted."""


def add_guest(work: Work, language: str, zone: str, now: datetime) -> Player:
    """Returns a new guest, who is here now."""
    return work.put(Player(language=language, zone=zone, visited_at=now, created_at=now))


def guest_id(player: Player | Account) -> int | None:
    """Returns the guest's id; None if the player has an address."""
    return player.id if player.address is None else None


def note_visit(site: Site, claim: PlayerClaim) -> None:
    """Notes that the guest's browser is here today. Does nothing for anybody else, or a second time on a day."""
    t, now = table(Player), site.now()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    here = (t.c.id == claim.player_id, t.c.epoch == claim.epoch, t.c.visited_at < today)
    with site.writing() as work:
        work.execute(update(t).where(*here).values(visited_at=now))


def ids_of_guests_long_away(site: Site, most: int, after: int = 0) -> list[int]:
    """Returns the ids above `after`, in order, of up to `most` guests whose browser has not been here for VISITS."""
    t = table(Player)
    with site.reading() as session:
        old = select(t.c.id).where(t.c.visited_at <= site.now() - KEPT, t.c.id > after).order_by(t.c.id).limit(most)
        return list(session.execute(old).scalars())


def end_session_of_overdue_guest(site: Site, guest: int) -> bool:
    """Ends the guest's session and the tokens of their seats if their browser has still not been here.

    Returns True if they may be erased. Raises Busy if a match of theirs is in use.
    """
    t, s = table(Player), table(SeatRow)
    gone = update(t).where(t.c.id == guest, t.c.visited_at <= site.now() - KEPT)
    with site.writing() as work:
        if work.connection().execute(gone.values(epoch=t.c.epoch + 1)).rowcount == 0:
            return False
        sits = work.execute(select(s.c.match_id).where(s.c.player_id == guest)).scalars()
        for match_id in locks.lock_matches(work, sits):
            for seat in store.seats_of(work, match_id):
                if seat.player_id == guest:
                    seat.epoch += 1
        return True
