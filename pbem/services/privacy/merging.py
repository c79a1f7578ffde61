"""Moves what a guest has to a player: one who has proven the address that the guest named, or who signs in beside them.

The other way round nothing moves: typing an address changes nothing, and never reveals whether somebody plays with it.
"""

from datetime import datetime

from sqlalchemy import update

from pbem.errors import Unauthorized
from pbem.models.changes import AddressChange
from pbem.models.tables import Player, table
from pbem.services.log import locks, store
from pbem.services.privacy.erasure import empty_row, matches_of
from pbem.services.privacy.fates import fates_of_players
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayerClaim


def take_along(site: Site, claim: PlayerClaim, player: PlayerClaim) -> None:
    """Moves everything of the guest whose session this is to the player who signs in on their browser.

    Does nothing if the guest has ended, or is that player by now. Raises Unauthorized if the player has been erased.
    """
    with site.writing() as work:
        try:
            guest = locks.lock_player(work, claim.player_id, or_guest=True)
        except Unauthorized:
            return
        if guest.address is None and guest.epoch == claim.epoch:
            merge(work, guest, locks.lock_player(work, player.player_id), site.now())


def merge(work: Work, guest: Player, known: Player, now: datetime) -> None:
    """Moves everything of the guest to the known player, and empties the guest's row.

    The guest's session, the tokens of their seats, and their request for an address end. Both players must be locked;
    the guest's matches are locked here.
    """
    assert guest.id is not None, "a stored player has an id"
    locks.lock_rows_of(work, [guest.id])
    for match in locks.lock_matches(work, matches_of(work, guest.id)).values():
        match.organiser_id = known.id if match.organiser_id == guest.id else match.organiser_id
        for seat in store.seats_of(work, match.id):
            if seat.player_id == guest.id:
                seat.player_id, seat.epoch = known.id, seat.epoch + 1
    work.flush()
    # Left open, its mailbox could later take over the known player.
    asks = table(AddressChange)
    ended = update(asks).where(asks.c.player_id == guest.id, asks.c.done_at.is_(None))
    work.execute(ended.values(done_at=now, result="withdrawn"))
    for column, fate in fates_of_players():
        if fate.merged == "moved":
            moved = update(column.table).where(column == guest.id)
            work.execute(moved.values({column.name: known.id}))
    empty_row(guest)
