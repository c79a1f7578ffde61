"""The rows of matches as this process has left them: a move that needs nothing else is played from them in one batch.

    find → decide → [lock and compare, write, commit]

What it depends on is compared in the batch, which fails as a whole if something differs: the match's `version`, and its
`touched`, which triggers of the database raise when somebody changes without a new version what all its moves depend on
(the match, who sits there and is present, their hours and holidays); and what is the mover's own: that their link is
good, the question open, and no vote, missed turn or order waits for it. That other players have orders, or have looked
at something, makes no difference here: how long an answer takes would tell it.

Rows are kept as objects that belong to no session and cannot be changed (`Row`): what would change one takes the lock.
Those of asks are the values they were opened with, so their times are out of date: whatever needs them is left to the
statements or takes the long way.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn, cast

from pbem.models.prepared import values_of
from pbem.models.tables import AskRow, table
from pbem.services.calendar.calendar import Holidays
from pbem.services.log.one_batch import OneBatch, Outrun
from pbem.services.log.store import Key
from pbem.services.log.table import LockedTable, table_of
from pbem.services.site import Cache, Work

_NO_ASK = dict.fromkeys(table(AskRow).c.keys())


class Row(SimpleNamespace):
    """A row with its columns as attributes. To set one raises Outrun."""

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise Outrun


class Kept(NamedTuple):
    """The rows of a match after its last entry."""

    match_id: str
    match: Mapping[str, Any]
    people: Sequence[tuple[Any, Any]]
    """Each seat in order, with its player."""
    holidays: Holidays
    asks: Mapping[Key, dict[str, Any]]
    ordered: frozenset[int]
    """The seats that are known to have given orders: their own moves take the lock at once."""


def find_kept_match_with_ask(rows: Cache[Kept], match_id: str, key: str, seat: int) -> Kept | None:
    """Returns what this process has kept of the match, if the seat's open ask with this key is there, or None."""
    found = rows.find(match_id)
    return found if found is not None and (key, seat) in found.asks and seat not in found.ordered else None


def table_and_ask_as_kept(work: OneBatch, kept: Kept, key: str, seat: int) -> tuple[LockedTable, Any]:
    """Returns the match as it was kept, and the seat's ask with this key. Raises Outrun if the seat was not present."""
    row: Any = Row(**kept.match)
    table = table_of(cast(Work, work), row)  # what else a Work has takes the lock
    table.kept, table.opened, table.orders[seat] = kept, dict(kept.asks), None
    table.keep_people(kept.people, kept.holidays)
    own = table.seats[seat]
    if own.absent or own.resigned or own.misses:
        raise Outrun
    return table, Row(**{**_NO_ASK, **kept.asks[key, seat]})


def keep_after_commit(rows: Cache[Kept], table: LockedTable) -> None:
    """Has the rows of the table kept after the commit, if its next move may be played from them.

    Not where something was taken back or a bank is charged: such moves depend on more rows.
    """
    match = table.match
    asks = {at: row for at, row in table.opened.items() if row["floor_at"] is None}
    if match.status != "running" or match.bank_s is not None or match.undone or match.undoing is not None or not asks:
        return
    before: Kept | None = table.kept
    people = before.people if before is not None else _rows_of_seats_and_players(table)
    values = vars(match) if before is not None else values_of(match)
    former = rows.find(match.id)
    known = former.ordered if former is not None else frozenset()
    ordered = (known - table.orders.keys()) | {seat for seat, row in table.orders.items() if row is not None}
    table.work.leaves = Kept(match.id, values, people, table.holidays, asks, ordered)


def _rows_of_seats_and_players(table: LockedTable) -> list[tuple[Any, Any]]:
    return [
        (Row(**values_of(seat)), Row(**values_of(player)) if player is not None else None)
        for seat, player in table.seats_with_players
    ]
