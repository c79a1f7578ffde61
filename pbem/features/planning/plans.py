"""The planning board of a seat: lines that its owner thinks out on their own fold, and keeps from turn to turn.

A line is kept as what was said, and the position at which it was. When it is read it is walked again; what has come
true since is taken off, and a line of which something else has come is gone. Nothing here is ever played: a line
becomes orders when its owner says so, by the same checks as any orders. Nobody else learns of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import delete

from pbem.errors import N_, Invalid, Stale
from pbem.features.lines import orders_from_line, plies_to_come
from pbem.features.planning.tables import PlanRow
from pbem.kit.codec import encode
from pbem.kit.plans import MOST_PLIES, Impossible, Walk, line_from_plies
from pbem.kit.replay import Undone, entries_not_taken_back, fold_for_viewer
from pbem.models.tables import SeatRow, table
from pbem.services.access import seat_links
from pbem.services.log import store
from pbem.services.log.store import Table
from pbem.services.play import moves, ordering, orders
from pbem.services.play.ordering import Ordered
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim

MOST_LINES = 32
"""The most lines that a seat keeps."""
IMPOSSIBLE = N_("This line cannot be played any more. Please think again.")
NO_ORDER = N_("There is no answer of yours in this line that comes after something else: it cannot be an order.")
MOVED_ON = N_("The match has moved on since you planned this line. Look at what has happened, and save it again.")

Said = tuple[str, ...]


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A line as it is stored: the version of the match at which it was said, and its plies in short."""

    version: int
    said: Said


_t = table(PlanRow)
_decoder = msgspec.json.Decoder(tuple[Kept, ...])


@dataclass(frozen=True)
class Board:
    """A planning board: the version at which it was read, the line at hand, and those kept.

    `line` begins at version `at`. `left` is what is left of it at `version`; None if something else has happened, or if
    it begins there. `lines_left` begin at `version`, too.
    """

    version: int
    at: int
    line: Walk
    left: Walk | None
    lines: tuple[Walk, ...]


def read_board(site: Site, claim: SeatClaim, at: int | None, said: Sequence[str]) -> Board:
    """Returns the seat's board with this line, which began at version `at`; None stands for the match's last entry.

    Changes nothing. Raises Invalid if the line is impossible, Unauthorized, NotFound, Gone if the match is not running.
    """
    with site.reading() as session:
        seat = seat_links.seat_of_link(session, claim, claim.purpose)
        table = Table(session, store.get_match(session, seat.match_id))
        moves.require_in_play(table.match.status)
        log = _Log(table, claim.seat)
        begun = log.head if at is None else at
        line = log.walk_line(begun, said)
        if line is None:
            raise Invalid(IMPOSSIBLE)
        left = log.rest_of_line(Kept(begun, line.in_short)) if begun < log.head else None
        return Board(table.match.version, begun, line, left, log.lines_left())


def keep_line(site: Site, claim: SeatClaim, version: int, said: Sequence[str]) -> None:
    """Keeps a line that began at that version, without what has happened since.

    One that is kept already stays as it is. Raises Invalid if the line is impossible or empty, or if there
    are too many, Gone, Unauthorized, NotFound.
    """
    with site.writing() as work:
        log = _lock_log(work, claim)
        line = log.rest_of_line(Kept(version, tuple(said)))
        if line is None or not line.plies:
            raise Invalid(IMPOSSIBLE)
        there = [one.in_short for one in log.lines_left()]
        if line.in_short in there:
            return
        if len(there) == MOST_LINES:
            raise Invalid(N_("A board holds at most %(most)s lines: forget one first."), {"most": MOST_LINES})
        _store_lines(work, log, [*there, line.in_short])


def forget_line(site: Site, claim: SeatClaim, version: int, said: Sequence[str]) -> None:
    """Forgets a kept line, as it was read at that version. One that is gone already stays gone.

    Raises Unauthorized, NotFound, Gone.
    """
    with site.writing() as work:
        log = _lock_log(work, claim)
        line = log.rest_of_line(Kept(version, tuple(said)))
        gone = line.in_short if line is not None else None
        _store_lines(work, log, [one.in_short for one in log.lines_left() if one.in_short != gone])


def save_line_as_orders(site: Site, claim: SeatClaim, version: int, said: Sequence[str], via: str) -> Ordered:
    """Saves the answers in a line as orders, each after all that comes before it.

    Raises Stale if the match has moved on since that version, Invalid if the line is impossible or has no such answer,
    Illegal with the rule, Gone, Unauthorized, NotFound.
    """
    board = read_board(site, claim, version, said)
    if board.version != version:
        raise Stale(MOVED_ON, extra={"version": board.version})
    lines = orders_from_line(board.line.plies, claim.seat)
    if not lines:
        raise Invalid(NO_ORDER)
    return ordering.add_lines_before_other_orders(site, claim, version, lines, via)


def clear_seat(work: Work, seat: SeatRow) -> None:
    """Deletes the lines of the seat: who takes it over does not read them."""
    work.execute(delete(_t).where(_t.c.match_id == seat.match_id, _t.c.seat == seat.seat))


class _Log:
    """A match's entries, as far as one seat's plans need them. `head` is the number of the last one."""

    def __init__(self, table: Table, seat: int) -> None:
        self.table, self.game, self.entries, self.seat = table, table.game, table.entries, seat
        self.head = self.entries[-1].n if self.entries else 0
        self._folds: dict[int, Any] = {}

    def walk_line(self, version: int, said: Sequence[str]) -> Walk | None:
        """Returns the line from that version on; None if it is impossible, or the version does not exist (any more)."""
        if not 0 < version <= self.head or len(said) > MOST_PLIES:
            return None
        if any(isinstance(one.event, Undone) and one.event.to < version for one in self.entries[version:]):
            return None
        if version not in self._folds:
            self._folds[version] = fold_for_viewer(self.game, self.entries[:version], self.seat)
        try:
            return line_from_plies(self.game, self._folds[version], self.seat, said)
        except Impossible:
            return None

    def rest_of_line(self, kept: Kept) -> Walk | None:
        """Returns what is left of a line at the head; None if it is impossible, or something else has happened."""
        line = self.walk_line(kept.version, kept.said)
        if line is None:
            return None
        left = plies_to_come(
            line.plies, orders.events_since(entries_not_taken_back(self.entries), self.seat, kept.version)
        )
        return None if left is None else self.walk_line(self.head, tuple(ply.said for ply in left))

    def lines_left(self) -> tuple[Walk, ...]:
        """Returns what is left of the kept lines, each once: one that has come true, or cannot any more, is gone."""
        row = self.table.session.get(PlanRow, (self.table.id, self.seat))
        found = (self.rest_of_line(kept) for kept in _decoder.decode(row.body)) if row is not None else ()
        return tuple({line.in_short: line for line in found if line is not None and line.plies}.values())


def _lock_log(work: Work, claim: SeatClaim) -> _Log:
    table, _ = seat_links.lock_seat(work, claim)
    moves.require_in_play(table.match.status)
    return _Log(table, claim.seat)


def _store_lines(work: Work, log: _Log, lines: Sequence[Said]) -> None:
    row = work.get(PlanRow, (log.table.id, log.seat))
    if not lines:
        if row is not None:
            work.delete(row)
        return
    row = row or PlanRow(match_id=log.table.id, seat=log.seat, body="")
    row.body = encode([Kept(log.head, said) for said in lines]).decode()
    work.add(row)
