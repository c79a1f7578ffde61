"""Brings open asks in line with what the state asks, after a game was corrected under running matches.

The row of an ask is written when the log grows. If the current rules name an ask differently, or ask another seat, an
ask stays open that is no longer pending, and a player is asked who was never notified.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from pbem.games import all_games
from pbem.models.tables import Match, table
from pbem.services.log import proofs, store
from pbem.services.log.store import Table, open_and_closed_ask_keys
from pbem.services.log.table import lock_table
from pbem.services.site import Reading, Site

PLAYED = ("running", "paused")
_matches = table(Match).c


@dataclass(frozen=True)
class Difference:
    """How the open asks of one match differ from its state, as keys of asks."""

    match_id: str
    missing: tuple[str, ...]
    """Pending in the state, but never opened."""
    extra: tuple[str, ...]
    """Open, but not pending in the state."""
    answered: tuple[str, ...]
    """Pending in the state, although closed long ago; these cannot be repaired here."""
    over: bool
    """True if the match has ended according to its state."""


def differences_of_open_asks(session: Reading) -> Iterator[Difference]:
    """Yields a Difference for each match in play whose open asks do not match its state, if its game is installed."""
    for played in _tables_in_play(session):
        found = _difference_of_open_asks(played)
        now = session.execute(select(_matches.version).where(_matches.id == played.id)).scalar()
        if found is not None and now == played.match.version:  # otherwise somebody played between the reads
            yield found


def _tables_in_play(session: Reading) -> Iterator[Table]:
    played = select(_matches.id).where(_matches.status.in_(PLAYED), _matches.game.in_(tuple(all_games())))
    for match_id in session.execute(played.order_by(_matches.created_at)).scalars().all():
        yield Table(session, store.get_match(session, match_id))


def matches_with_broken_chain(session: Reading) -> Iterator[tuple[str, int]]:
    """Yields each match in play whose chain does not lead to its head, with the entry at which it breaks.

    This program never causes that: somebody has changed the database. It cannot be repaired, since mails may hold the
    heads as they were. Games that are not installed are left out.
    """
    for played in _tables_in_play(session):
        broken = proofs.first_broken_entry(session, played.match, played.entries[: played.match.version])
        if broken is not None:
            yield played.id, broken


def rebuild_asks(site: Site, match_id: str) -> Difference | None:
    """Opens and closes asks until they match the state; returns what differed, or None.

    A second call changes nothing. Raises NotFound, Busy.
    """
    with site.writing() as work:
        table = lock_table(work, match_id)
        difference = _difference_of_open_asks(table) if table.match.status in PLAYED else None
        if difference is None:
            return None
        there, closed = open_and_closed_ask_keys(work, match_id)
        pending = table.game.pending(table.state)
        table.set_asks(there, [ask for ask in pending if (ask.key, ask.seat) not in closed])
        if table.match.status == "paused":
            for ask in table.asks:
                ask.acts_at = None  # no clock acts in a paused match until somebody is back
        table.end_if_final()
        return difference


def _difference_of_open_asks(table: Table) -> Difference | None:
    there, closed = open_and_closed_ask_keys(table.session, table.id)
    asked = {(ask.key, ask.seat) for ask in table.game.pending(table.state)}
    missing, extra, answered = (
        tuple(key for key, _ in sorted(keys)) for keys in (asked - there - closed, there - asked, asked & closed)
    )
    over = table.game.outcome(table.state) is not None
    return Difference(table.id, missing, extra, answered, over) if missing or extra or answered or over else None
