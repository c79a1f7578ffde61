"""Brings open asks in line with what the state asks, after a game was corrected under running matches.

The row of an ask is written when the log grows. If the current rules name an ask differently, or ask another seat, an
ask stays open that is no longer pending, and a player is asked who was never notified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.replay import By
from pbem.models.prepared import pipeline
from pbem.models.tables import Match, table
from pbem.services.log import ask_projection, locks, proofs, store
from pbem.services.log.ask_projection import statements_between, stored_asks
from pbem.services.site import Reading, Site

PLAYED = ("running", "paused")


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


def differences(session: Reading) -> Iterator[Difference]:
    """Yields a Difference for each match in play whose open asks do not match its state, if its game is installed."""
    t = table(Match)
    played = select(t.c.id).where(t.c.status.in_(PLAYED), t.c.game.in_(tuple(all_games()))).order_by(t.c.created_at)
    for match_id in session.execute(played).scalars().all():
        match = store.get_match(session, match_id)
        game = store.game_of(match)
        found = _difference(session, match, game, store.load_state(session, match, game))
        now = session.execute(select(t.c.version).where(t.c.id == match_id)).scalar()
        if found is not None and now == match.version:  # otherwise somebody played between the reads
            yield found


def broken_chains(session: Reading) -> Iterator[tuple[str, int]]:
    """Yields each match in play whose chain does not lead to its head, with the entry at which it breaks.

    No use of this program does that: somebody has changed the database. It cannot be set right, since mails may hold
    the heads as they were. Games that are not installed are left out.
    """
    t = table(Match)
    played = select(t.c.id).where(t.c.status.in_(PLAYED), t.c.game.in_(tuple(all_games()))).order_by(t.c.created_at)
    for match_id in session.execute(played).scalars().all():
        match = store.get_match(session, match_id)
        entries = store.load_entries(session, match_id, store.game_of(match))
        broken = proofs.broken_link(session, match, entries[: match.version])
        if broken is not None:
            yield match_id, broken


def rebuild(site: Site, match_id: str) -> Difference | None:
    """Opens and closes asks until they match the state; returns what differed, or None. A second call changes nothing.

    Raises NotFound, Busy.
    """
    with site.writing() as work:
        match, now = locks.lock_match(work, match_id), site.now()
        game = store.game_of(match)
        state = store.load_state(work, match, game)
        difference = _difference(work, match, game, state) if match.status in PLAYED else None
        if difference is None:
            return None
        kept, step = stored_asks(work, match_id), ask_projection.Step((), By(table=True))
        after = [ask for ask in game.pending(state) if (ask.key, ask.seat) not in kept.closed]
        written = statements_between(work, match, game, kept.open, after, step, now, site.config.mail_hold_s)
        with pipeline(work) as connection:
            for one in written:
                one.statement.send(connection, one.values)
        if match.status == "paused":
            for ask in store.open_asks(work, match_id):
                ask.acts_at = None  # no clock acts in a paused match until somebody is back
        store.project_end(work, match, game, state, now)
        return difference


def _difference(session: Session, match: Match, game: AnyGame, state: Any) -> Difference | None:
    kept, asked = stored_asks(session, match.id), {(ask.key, ask.seat) for ask in game.pending(state)}
    missing, extra, answered = (
        tuple(key for key, _ in sorted(keys))
        for keys in (asked - kept.open - kept.closed, kept.open - asked, asked & kept.closed)
    )
    over = game.outcome(state) is not None
    return Difference(match.id, missing, extra, answered, over) if missing or extra or answered or over else None
