"""The rows of matches as this process has left them: a move that needs nothing else is played from them in one batch.

    find → decide → [lock and compare, write, commit]

What it depends on is compared in the batch, which fails as a whole if something differs: the match's `version`, and its
`touched`, which triggers of the database raise when somebody changes without a new version what all its moves depend on
(the match, who sits there and is present, their hours and holidays); and what is the mover's own: that their link is
good, the question open, and no vote, missed turn or order waits for it. That other players have orders, or have looked
at something, makes no difference here: how long an answer takes would tell it.

Rows are kept as plain values, and made objects of the session that uses them. Those of asks are the values they were
opened with, so their times are out of date: whatever needs them is left to the statements or takes the long way.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pbem.models.prepared import objects, objects_of_join, row_of, values_of
from pbem.models.tables import AskRow, Match, Player, SeatRow
from pbem.services.log.one_batch import OneBatch, Outrun
from pbem.services.log.store import Key
from pbem.services.log.table import LockedTable, table_of
from pbem.services.site import Cache


class Kept(NamedTuple):
    """The rows of a match after its last entry."""

    match_id: str
    match: Sequence[Any]
    people: Sequence[Sequence[Any]]
    """Of each seat in order, with its player."""
    holidays: Sequence[Sequence[Any]]
    """As `statements.HOLIDAYS` returns them."""
    asks: Mapping[Key, dict[str, Any]]
    ordered: frozenset[int]
    """The seats that are known to have given orders: their own moves take the lock at once."""


def find(rows: Cache[Kept], match_id: str, key: str, seat: int) -> Kept | None:
    """Returns what this process has kept of the match, if the seat's open ask with this key is there, or None."""
    found = rows.find(match_id)
    return found if found is not None and (key, seat) in found.asks and seat not in found.ordered else None


def open_asked(work: OneBatch, kept: Kept, key: str, seat: int) -> tuple[LockedTable, AskRow]:
    """Returns the match as it was kept, and the seat's ask with this key. Raises Outrun if the seat was not present."""
    table = table_of(work, objects(work, Match, [kept.match])[0])
    table.kept, table.opened, table.orders[seat] = kept, dict(kept.asks), None
    table.keep_people(objects_of_join(work, (SeatRow, Player), kept.people), kept.holidays)
    own = table.seats[seat]
    if own.absent or own.resigned or own.misses:
        raise Outrun
    return table, objects(work, AskRow, [row_of(AskRow, kept.asks[key, seat])])[0]


def keep(table: LockedTable) -> None:
    """Has the rows of the table kept after the commit, if its next move may be played from them.

    Not where something was taken back or a bank is charged: such moves depend on more rows. SQLite has no round trips.
    """
    if table.work.site.engine.dialect.name == "sqlite":
        return
    match = table.match
    asks = {at: row for at, row in table.opened.items() if row["floor_at"] is None}
    if match.status != "running" or match.bank_s is not None or match.undone or match.undoing is not None or not asks:
        return
    before: Kept | None = table.kept
    people, holidays = (before.people, before.holidays) if before is not None else _around(table)
    former: Kept | None = table.work.site.kept.find(match.id)
    known = former.ordered if former is not None else frozenset()
    ordered = (known - table.orders.keys()) | {seat for seat, row in table.orders.items() if row is not None}
    table.work.leaves = Kept(match.id, values_of(match), people, holidays, asks, ordered)


def _around(table: LockedTable) -> tuple[list[list[Any]], list[Any]]:
    nobody = row_of(Player, {})
    people = [
        [*values_of(seat), *(values_of(player) if player is not None else nobody)] for seat, player in table.people
    ]
    return people, [(seat, *days) for seat, spans in table.holidays.items() for days in spans]
