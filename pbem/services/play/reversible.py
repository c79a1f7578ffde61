"""What a seat can take back: its latest decision, without asking or with the others' consent, or why it cannot.

    held       free, and no mail about what followed has gone out
    free       nobody has learned anything from it (see `pbem.kit.takeback`), and nobody has acted since
    consent    others have, and may agree
    asked      they have been asked
    no         luck has spoken, or another reason

All of it follows from what the seat knows: whether something can be taken back tells nothing that is hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from sqlalchemy import select
from sqlmodel import Session

from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Move, Seat
from pbem.kit.replay import AnyEntry, By, Replaced, TableEvent, effective, evolve_all, question_of
from pbem.kit.takeback import draws, is_free
from pbem.models.tables import AskRow, Match, OutboxRow, table
from pbem.services.log import store
from pbem.services.log.consent import CONSENT, needed_consent, open_request
from pbem.services.log.outbox import is_queued
from pbem.services.work import Reading

MOST = 200
"""The most take-backs of a match: so many a log may hold that is opened elsewhere."""

State = Literal["held", "free", "consent", "asked", "no"]
Reason = Literal["acted", "learned", "luck", "window", "nothing", "nobody", "asked_before", "rule", "most"]
"""acted, learned: others have acted since, or have learned something, so they have to agree. The others are why
nothing can be taken back: luck was drawn, it was an answer in a window, there is no move of the seat, nobody is there
who could agree, they have been asked before, the table takes back only what nobody has seen, or did so too often."""


@dataclass(frozen=True)
class Reversible:
    """What the seat can take back: what was played after entry `to`, that is its decision at the entry after it."""

    state: State
    to: int | None
    reason: Reason | None = None
    held_until: datetime | None = None
    """Until when no mail about it goes out; only if it is held."""
    needed: tuple[Seat, ...] = ()
    """The seats that have to agree."""
    agreed: tuple[Seat, ...] = ()


@dataclass(frozen=True)
class Decision:
    """A decision that counts: its first entry, and the events of it."""

    n: int
    by: By
    key: str
    events: tuple[Any, ...]


def read_reversible(session: Reading, match: Match, game: AnyGame, seat: Seat, now: datetime) -> Reversible:
    """Returns what the seat can take back of this match, which is running."""
    entries = effective(store.load_entries(session, match.id, game))
    stretch = _since_own(entries, seat)
    if not stretch:
        return Reversible("no", None, "nothing")
    first, to = stretch[0], stretch[0].n - 1
    if match.undone >= MOST:
        return Reversible("no", to, "most")
    moves, kinds = _answers(session, match, game, to)
    if any(one.n not in moves for one in stretch) or game.meta.asks[kinds[first.n]].window:
        return Reversible("no", to, "window")
    before = [one.event for one in entries if one.n <= to and not isinstance(one.event, TableEvent)]
    if _draws(game, before, stretch, moves):
        return Reversible("no", to, "luck")
    if any(one.by.seat != seat for one in stretch):
        return _by_consent(session, match, seat, to, "acted")
    seats = len(store.seats_of(session, match.id))
    if not is_free(game, before, seat, moves[first.n], first.events, seats):
        return _by_consent(session, match, seat, to, "learned")
    held_until = _held_until(session, match, to, seat, now)
    return Reversible("free" if held_until is None else "held", to, held_until=held_until)


def _since_own(entries: Sequence[AnyEntry], seat: Seat) -> list[Decision]:
    """Returns the decisions from the latest one that the seat's owner made by hand; empty without one."""
    played = [one for one in entries if one.key is not None and not isinstance(one.event, TableEvent)]
    made: list[Decision] = []
    for (key, by), group in groupby(played, key=lambda one: (one.key, one.by)):
        these = [*group]
        made.append(Decision(these[0].n, by, key or "", tuple(one.event for one in these)))
    at = next((at for at in reversed(range(len(made))) if made[at].by.seat == seat), None)
    if at is None:
        return []
    taken_over = (one.n for one in entries if isinstance(one.event, Replaced) and one.event.seat == seat)
    return made[at:] if max(taken_over, default=0) < made[at].n else []


def _answers(session: Session, match: Match, game: AnyGame, to: int) -> tuple[dict[int, Move], dict[int, str]]:
    """Returns by their first entries the moves after entry `to`, and the kinds of the questions that they answered."""
    t = table(AskRow)
    rows = session.execute(
        select(t.c.first_n, t.c.answer, t.c.kind).where(t.c.match_id == match.id, t.c.first_n > to)
    ).all()
    codec = codec_for(game)
    moves = {first: codec.move(answer.encode()) for first, answer, _ in rows if answer is not None}
    return moves, {first: kind for first, _, kind in rows}


def _draws(game: AnyGame, before: Sequence[Any], stretch: Sequence[Decision], moves: dict[int, Move]) -> bool:
    """Returns whether luck was drawn for one of these decisions."""
    state = evolve_all(game, None, before)
    for one in stretch:
        asked = {ask.key: ask.seat for ask in game.pending(state)}
        seat = one.by.answers_for
        if seat is None or asked.get(question_of(one.key)) is None or draws(game, state, seat, moves[one.n]):
            return True
        state = evolve_all(game, state, one.events)
    return False


# --- what others have to do with it ------------------------------------------------------------------------------


def _by_consent(session: Session, match: Match, seat: Seat, to: int, reason: Reason) -> Reversible:
    if match.takebacks != CONSENT:
        return Reversible("no", to, "rule")
    seats = store.seats_of(session, match.id)
    needed = needed_consent(seats, seat)
    request = open_request(match)
    if request is not None and (request.seat, request.to) == (seat, to):
        return Reversible("asked", to, reason, needed=needed, agreed=request.agreed)
    away = any(one.bot is None and one.absent for one in seats if one.seat != seat)
    if not needed and away:
        return Reversible("no", to, "nobody")
    if any(is_queued(session, request_mail(match, to, other)) for other in needed):
        return Reversible("no", to, "asked_before")
    return Reversible("consent", to, reason, needed=needed)


def request_mail(match: Match, to: int, reader: Seat) -> str:
    """Returns the unique key of the mail that asks this seat to agree. It is sent once: nobody is asked twice."""
    return f"takeback:{match.id}:{to}:{match.undone}:{reader}"


def _held_until(session: Session, match: Match, to: int, seat: Seat, now: datetime) -> datetime | None:
    """Returns until when no mail about what followed goes out; None if there is none, or if one may have left."""
    t, a = table(OutboxRow), table(AskRow)
    rows = session.execute(
        select(t.c.due_at, t.c.done_at, t.c.claimed_until, t.c.pushed_at)
        .join(a, (a.c.match_id == t.c.match_id) & (a.c.seat == t.c.seat) & (a.c.key == t.c.key))
        .where(t.c.match_id == match.id, t.c.kind == "turn", t.c.seat != seat, a.c.opened_n > to)
    ).all()
    if not rows or any(one.done_at or one.claimed_until or one.pushed_at for one in rows):
        return None
    until: datetime = min(one.due_at for one in rows)
    return until if until > now else None
