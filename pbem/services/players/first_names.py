"""The names with which a match began, as far as other players have taken seats over since (`Match.first_names`)."""

import json
from collections.abc import Sequence

from sqlalchemy import Row, select

from pbem.models.tables import SubstituteRow, table
from pbem.services.site import Reading, Work


def names_after_takeover(stored: str | None, seat: int, name: str) -> str:
    """Returns what to store when somebody takes this seat over from a player of this name: who began stays."""
    return json.dumps({str(seat): name} | json.loads(stored or "{}"))


def names_after_erasure(stored: str | None, seat: int) -> str | None:
    """Returns what to store once the player who began on this seat is erased."""
    names = {known: name for known, name in json.loads(stored or "{}").items() if known != str(seat)}
    return json.dumps(names) if names else None


def names_at_start(stored: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """Returns the names at the start, in seat order; `names` are those of today."""
    first = json.loads(stored or "{}")
    return tuple(first.get(str(seat), name) for seat, name in enumerate(names))


def seats_taken_over_from(session: Reading | Work, player_id: int) -> Sequence[Row[tuple[str, int, bool]]]:
    """Returns all seats that others have taken over from the player, in lock order: `match_id`, `seat`, `began`.

    `began` is True if the player had the seat from the start of the match: its first name is theirs.
    """
    t, earlier = table(SubstituteRow), table(SubstituteRow).alias()
    # Each take-over raises the seat's epoch.
    before = (earlier.c.match_id == t.c.match_id, earlier.c.seat == t.c.seat, earlier.c.epoch < t.c.epoch)
    began = ~select(earlier.c.id).where(*before).exists()
    left = select(t.c.match_id, t.c.seat, began.label("began")).where(t.c.former_id == player_id)
    return session.execute(left.order_by(t.c.match_id, t.c.seat)).all()
