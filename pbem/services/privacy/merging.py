"""Moves what a guest has to the player who has proven the address that the guest named.

The other way round nothing moves: typing an address changes nothing, and never reveals whether somebody plays with it.
"""

from sqlalchemy import update

from pbem.models.tables import Player, table
from pbem.services.log import locks, store
from pbem.services.privacy.erasure import MATCHES, empty_row, matches_of, references_to
from pbem.services.work import Work

MOVED, NONE = "moved", "a guest has none"
FATES = {
    "seats.player_id": MATCHES,
    "matches.organiser_id": MATCHES,
    "outbox.player_id": MOVED,
    "imported_logs.player_id": MOVED,
    "address_changes.player_id": MOVED,
    "substitutes.player_id": NONE,
    "substitutes.former_id": NONE,
    "vacations.player_id": NONE,
    "personal_tokens.player_id": NONE,
    "webhooks.player_id": NONE,
}
"""What happens to every column that points to a guest when they turn out to be a known player."""


def merge(work: Work, guest: Player, known: Player) -> None:
    """Moves everything of the guest to the known player, and empties the guest's row.

    The guest's session and the tokens of their seats end. Both players must be locked; the guest's matches are locked
    here.
    """
    assert guest.id is not None, "a stored player has an id"
    locks.lock_rows_of(work, [guest.id])
    for match in locks.lock_matches(work, matches_of(work, guest.id)).values():
        match.organiser_id = known.id if match.organiser_id == guest.id else match.organiser_id
        work.add(match)
        for seat in store.seats_of(work, match.id):
            if seat.player_id == guest.id:
                seat.player_id, seat.epoch = known.id, seat.epoch + 1
                work.add(seat)
    work.flush()
    for column in references_to(table(Player)):
        if FATES[f"{column.table.name}.{column.name}"] == MOVED:
            moved = update(column.table).where(column == guest.id)
            work.execute(moved.values({column.name: known.id}))
    empty_row(guest)
    work.add(guest)
    work.flush()
