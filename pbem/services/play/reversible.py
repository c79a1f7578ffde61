"""What a seat can take back: its latest decision, without asking or with the others' consent, or why it cannot.

    held       free, and no mail about what followed has gone out
    free       nobody has learned anything from it (see `pbem.kit.takeback`), and nobody has acted since
    consent    others have, and may agree
    asked      they have been asked
    no         luck has spoken, it has shown its mover something hidden, or another reason

All of it follows from what the seat knows: whether something can be taken back tells nothing that is hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Literal

from sqlmodel import col, select

from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Move, Seat
from pbem.kit.logs.logfile import MAX_TAKEBACKS
from pbem.kit.replay import AnyEntry, By, Replaced, TableEvent, effective, evolve_all, question_of
from pbem.kit.takeback import Answered, draws, is_free, shown_by
from pbem.models.tables import AskRow, Match
from pbem.services.log.consent import CONSENT, needed_consent, open_request
from pbem.services.log.outbox import queued_keys
from pbem.services.log.store import Table
from pbem.services.site import Cache, Site

State = Literal["held", "free", "consent", "asked", "no"]
Reason = Literal[
    "acted", "learned", "luck", "shown", "window", "nothing", "nobody", "asked_before", "open", "rule", "most"
]
"""acted, learned: others have acted since, or have learned something, so they have to agree. The others are why
nothing can be taken back: luck was drawn, something hidden was shown to the seat, it was an answer in a window, there
is no move of the seat, nobody is there who could agree, they have been asked before, somebody else asks already, the
table takes back only what nobody has seen, or did so too often."""


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


@dataclass(frozen=True)
class Latest:
    """What the log tells of the seat's latest decision, the one after entry `to`; None without one.

    `reason` is why the seat cannot take it back alone; None if it can. `shown_by` are the other seats that have shown
    it a secret of their own since.
    """

    to: int | None
    reason: Reason | None
    shown_by: frozenset[Seat] = frozenset()


def read_reversible(table: Table, seat: Seat, site: Site, cache: Cache[Latest] | None = None) -> Reversible:
    """Returns what the seat can take back of this match, which is running.

    `cache` has what the log tells at earlier calls; a transaction that writes must not pass it.
    """
    match = table.match
    key = (match.id, match.version, match.undone, seat)
    latest = cache.find(key) if cache is not None else None
    if latest is None:
        latest = _read_latest(table, seat)
        if cache is not None:
            cache.keep(key, latest)
    to, reason = latest.to, latest.reason
    if to is not None and (reason == "acted" or reason == "learned"):
        return _by_consent(table, seat, to, reason, latest.shown_by)
    if to is None or reason is not None:
        return Reversible("no", to, reason)
    held_until = _held_until(site, table, seat, to)
    return Reversible("free" if held_until is None else "held", to, held_until=held_until)


def _read_latest(table: Table, seat: Seat) -> Latest:
    match, game, entries = table.match, table.game, effective(table.entries)
    stretch = _since_own(entries, seat)
    if not stretch:
        return Latest(None, "nothing")
    first, to = stretch[0], stretch[0].n - 1
    if match.undone >= MAX_TAKEBACKS:
        return Latest(to, "most")
    rows = answers_after(table, to)
    if any(one.n not in rows for one in stretch):
        return Latest(to, "nothing")
    if game.meta.asks[rows[first.n].kind].window:
        return Latest(to, "window")
    codec = codec_for(game)
    moves = {n: codec.move(row.answer or "") for n, row in rows.items()}
    before = [one.event for one in entries if one.n <= to and not isinstance(one.event, TableEvent)]
    state = evolve_all(game, None, before)
    if _draws(game, state, stretch, moves):
        return Latest(to, "luck")
    shown = shown_by(game, before, [Answered(_seat_of(one), moves[one.n], one.events) for one in stretch], seat)
    if shown is None:
        return Latest(to, "shown")
    if any(one.by.seat != seat for one in stretch):
        return Latest(to, "acted", shown)
    seats = len(table.seats)
    return Latest(to, None if is_free(game, before, state, seat, moves[first.n], first.events, seats) else "learned")


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


def answers_after(table: Table, to: int) -> dict[int, AskRow]:
    """Returns the questions whose answers begin after entry `to`, by the first entry of the answer."""
    rows = select(AskRow).where(
        col(AskRow.match_id) == table.id, col(AskRow.first_n) > to, col(AskRow.answer).is_not(None)
    )
    return {row.first_n: row for row in table.session.exec(rows) if row.first_n is not None}


def _seat_of(decision: Decision) -> Seat:
    seat = decision.by.answers_for
    assert seat is not None, "a decision answers the question of a seat"
    return seat


def _draws(game: AnyGame, state: Any, stretch: Sequence[Decision], moves: dict[int, Move]) -> bool:
    """Returns whether luck was drawn for one of these decisions, the first of which was made in this state."""
    for one in stretch:
        asked = {ask.key: ask.seat for ask in game.pending(state)}
        if asked.get(question_of(one.key)) is None or draws(game, state, _seat_of(one), moves[one.n]):
            return True
        state = evolve_all(game, state, one.events)
    return False


# --- what others have to do with it ------------------------------------------------------------------------------


def _by_consent(table: Table, seat: Seat, to: int, reason: Reason, shown: frozenset[Seat]) -> Reversible:
    match, seats = table.match, table.seats
    needed = needed_consent(seats, seat)
    if not shown <= {*needed}:  # a bot cannot agree, nor can somebody who is away
        return Reversible("no", to, "shown")
    if match.takebacks != CONSENT:
        return Reversible("no", to, "rule")
    request = open_request(match)
    if request is not None and request.seat != seat:
        return Reversible("no", to, "open")
    if request is not None:
        return Reversible("asked", to, reason, needed=needed, agreed=request.agreed)
    away = any(one.bot is None and one.absent for one in seats if one.seat != seat)
    if not needed and away:
        return Reversible("no", to, "nobody")
    if queued_keys(table.session, [request_mail(match, to, other) for other in needed]):
        return Reversible("no", to, "asked_before")
    return Reversible("consent", to, reason, needed=needed)


def request_mail(match: Match, to: int, reader: Seat) -> str:
    """Returns the unique key of the mail that asks this seat to agree. It is sent once: nobody is asked twice."""
    return f"takeback:{match.id}:{to}:{match.undone}:{reader}"


def _held_until(site: Site, table: Table, seat: Seat, to: int) -> datetime | None:
    """Returns until when no mail about the answer after `to` goes out; None if that is past, or nobody is written to.

    Who is written to tells who has orders, so no mail is looked at: all are held as long.
    """
    hold_s = site.config.mail_hold_s
    if not hold_s or table.match.untimed or not any(one.bot is None for one in table.seats if one.seat != seat):
        return None
    answered = answers_after(table, to)[to + 1]
    if answered.closed_at is None or answered.told_at is not None:
        return None
    until = answered.closed_at + timedelta(seconds=hold_s)
    return until if until > site.now() else None
