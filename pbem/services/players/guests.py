"""Guests: players without an address, who play against bots in one browser.

Nobody writes to a guest, so a seat of theirs has no link to mail: the cookie of their browser is its only key. Their
row says on which day that browser was here last. After VISITS without a visit it is claimed and erased, by
`pbem.services.privacy.retention`.
"""

from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlmodel import Session

from pbem.models.tables import Player, table
from pbem.services.players.players import Account
from pbem.services.site import Site
from pbem.services.tokens import PlayerClaim

VISITS = timedelta(days=14)
"""How long a guest is kept without a visit."""
NOTED_EVERY = timedelta(days=1)
"""A visit is noted only if the last one was noted this long ago."""


def add_guest(session: Session, language: str, zone: str, now: datetime) -> Player:
    """Returns a new guest, who is here now."""
    guest = Player(language=language, zone=zone, visited_at=now, created_at=now)
    session.add(guest)
    session.flush()
    return guest


def guest_id(player: Player | Account) -> int | None:
    """Returns the guest's id; None if the player has an address."""
    return player.id if player.address is None else None


def note_visit(site: Site, claim: PlayerClaim) -> None:
    """Notes that the guest's browser is here today. Does nothing for anybody else, or a second time in a day."""
    t, now = table(Player), site.now()
    here = (t.c.id == claim.player_id, t.c.epoch == claim.epoch, t.c.visited_at <= now - NOTED_EVERY)
    with site.writing() as work:
        work.execute(update(t).where(*here).values(visited_at=now))


def overdue_guests(site: Site, most: int) -> list[int]:
    """Returns the ids of up to `most` guests whose browser has not been here for VISITS."""
    t = table(Player)
    with site.reading() as session:
        old = select(t.c.id).where(t.c.visited_at <= site.now() - VISITS).order_by(t.c.id).limit(most)
        return list(session.execute(old).scalars())


def claim_overdue(site: Site, guest: int) -> bool:
    """Ends the guest's session if their browser has still not been here; returns True if they may be erased."""
    t = table(Player)
    gone = update(t).where(t.c.id == guest, t.c.visited_at <= site.now() - VISITS)
    with site.writing() as work:
        return work.connection().execute(gone.values(epoch=t.c.epoch + 1)).rowcount == 1
