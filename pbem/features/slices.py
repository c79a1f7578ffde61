"""Long work on a row of a table, done in slices by any number of workers.

A slice is claimed with a lease (`leases`): whatever has waited longest comes first, so several grow in turn. It is
worked out outside any transaction, and stored if the row is still as it was found: of two workers with the same row one
stores its slice, and after a crash the next one goes on where the row ends.

The table has the columns `turn_at` (since when the row waits), `claimed_until`, `attempts` (claims since the last slice
that was stored), `created_at` and `done_at`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Column, Row, Table, update

from pbem.errors import Busy, GameUnavailable
from pbem.features.leases import Leases
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.site import Site

TRIES = 3
"""How often a row is claimed without any slice before it is given up: its worker has died each time."""
FAILED = "failed"
"""The result of a row that is given up."""


@dataclass(frozen=True)
class Slice:
    """How much a worker has made, and the columns to store; with a `result`, the row is done.

    `values` is None for a row that is done without anything to show.
    """

    made: int = 0
    values: Mapping[str, Any] | None = None
    result: str | None = None

    def __post_init__(self) -> None:
        # It would empty a row that is not done.
        assert self.values is not None or self.result is not None, "a slice without columns ends its row"


class Slices:
    """The rows of a table that are worked on in slices.

    `key`: its primary key; `read`: the columns that a claim returns; `grows`: those that change with each slice;
    `empty`: the values of a row that is done without anything to show; `counter`: what counts the rows that are done,
    by the columns `labels` and the result; `report` logs why a row failed.
    """

    def __init__(
        self, rows: Table, key: str, read: Sequence[Column[Any]], grows: Sequence[str], lease: timedelta, *,
        empty: Mapping[str, Any], counter: str, labels: Sequence[str], report: Callable[[Row[Any], Exception], None],
    ) -> None:  # fmt: skip
        self._t, self._key = rows, rows.c[key]
        self._grows = (key, "created_at", *grows)
        self._empty, self._counter, self._labels, self._report = empty, counter, labels, report
        self.leases = Leases(self._key, rows.c.turn_at, lease, *read)

    def work_on_next_row(self, site: Site, make: Callable[[Site, Row[Any]], Slice]) -> int:
        """Has `make` work for a moment on the row that has waited longest; returns how much it has made.

        Safe to run twice at once. Raises Busy.
        """
        row = self.leases.claim_row_longest_due(site) if self.leases.has_row_due(site) else None
        if row is None:
            return 0
        try:
            piece = self._make_slice(site, row, make)
            stored = self._store_slice(site, row, piece)
        except Busy:
            self._release_claim(site, row)
            raise
        except GameUnavailable:
            self._release_claim(site, row, timedelta(seconds=GAME_RETRY_S))
            return 0
        if not site.stopping() and self.leases.has_row_due(site):
            site.wake()
        return piece.made if stored else 0

    def _make_slice(self, site: Site, row: Row[Any], make: Callable[[Site, Row[Any]], Slice]) -> Slice:
        if row.attempts > TRIES:
            return Slice(result=FAILED)
        try:
            return make(site, row)
        except (Busy, GameUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours: it would fail again
            self._report(row, error)
            return Slice(result=FAILED)

    def _store_slice(self, site: Site, row: Row[Any], piece: Slice) -> bool:
        """Stores the slice and ends the claim, unless another worker has been faster; returns whether it has."""
        values: dict[str, Any] = {"claimed_until": None}
        values |= self._empty if piece.values is None else {**piece.values, "attempts": 0, "turn_at": site.now()}
        if piece.result is not None:
            values |= {"done_at": site.now(), "result": piece.result}
        as_found = [self._t.c[name] == getattr(row, name) for name in self._grows]
        with site.writing() as work:
            changed = update(self._t).where(*as_found, self._t.c.done_at.is_(None)).values(values)
            stored = bool(work.connection().execute(changed).rowcount)
            if stored and piece.result is not None:
                work.count(self._counter, *(getattr(row, name) for name in self._labels), piece.result)
        return stored

    def _release_claim(self, site: Site, row: Row[Any], wait: timedelta | None = None) -> None:
        """Ends the claim of a worker that is alive but could not work: no crash, and the others have their turn.

        With `wait`, the row is not due for so long.
        """
        until = site.now() + wait if wait is not None else None
        ours = (
            self._key == getattr(row, self._key.name), self._t.c.done_at.is_(None),
            self._t.c.claimed_until == row.claimed_until,
        )  # fmt: skip
        values = {"claimed_until": until, "attempts": row.attempts - 1, "turn_at": until or site.now()}
        with site.writing() as work:
            work.connection().execute(update(self._t).where(*ours).values(**values))
