"""The names with which a match began, as far as other players have taken seats over since (`Match.first_names`)."""

import json
from collections.abc import Sequence

from sqlalchemy import select

from pbem.models.tables import SubstituteRow, table
from pbem.services.work import Reading, Work


def kept_with(stored: str | None, seat: int, name: str) -> str:
    """Returns what to store when somebody takes this seat over from a player of this name: who began stays."""
    return json.dumps({str(seat): name} | json.loads(stored or "{}"))


def kept_without(stored: str | None, seat: int) -> str | None:
    """Returns what to store once the player who began on this seat is erased."""
    names = {known: name for known, name in json.loads(stored or "{}").items() if known != str(seat)}
    return json.dumps(names) if names else None


def at_start(stored: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """Returns the names at the start, in seat order; `names` are those of today."""
    first = json.loads(stored or "{}")
    return tuple(first.get(str(seat), name) for seat, name in enumerate(names))


def seats_left(session: Reading | Work, player_id: int) -> list[tuple[str, int]]:
    """Returns match and seat of all seats that others have taken over from the player."""
    t = table(SubstituteRow)
    left = session.execute(select(t.c.match_id, t.c.seat).where(t.c.former_id == player_id))
    return [(row.match_id, row.seat) for row in left]
