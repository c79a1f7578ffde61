"""Who is there, who may vote on a late seat, and how a vote stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow, SeatRow


@dataclass(frozen=True)
class Vote:
    """The others may let the clock play for who is late: who may, who is for it, and how many votes it takes."""

    voters: tuple[int, ...]
    cast: tuple[int, ...]
    needed: int


def is_active(seat: SeatRow) -> bool:
    """Whether a person sits here who plays himself."""
    return seat.bot is None and not seat.absent and not seat.resigned


def majority(voters: int) -> int:
    """How many votes are more than half; none are needed where nobody can vote.

    >>> [majority(n) for n in range(5)]
    [0, 1, 2, 2, 3]
    """
    return voters // 2 + 1 if voters else 0


def voters_of(seats: Sequence[SeatRow], asks: Sequence[AskRow], late: int, now: datetime | None = None) -> list[int]:
    """The people who are there and may vote on the late seat.

    Nobody who has let his own time pass: he would be waited for in vain. `asks` are the match's open questions; with
    `now` those count whose time is up by then, and not only those that are put to the vote already.
    """
    waited_for = {ask.seat for ask in asks if ask.vote_since is not None or _is_up(ask, now)}
    return [
        seat.seat
        for seat in seats
        if is_active(seat) and not seat.misses and seat.seat != late and seat.seat not in waited_for
    ]


def _is_up(ask: AskRow, now: datetime | None) -> bool:
    return now is not None and ask.acts_at is not None and ask.acts_at <= now


def votes_for(session: Session, ask: AskRow) -> set[int]:
    """The seats that have voted for letting the clock play."""
    cast = select(VoteRow.voter).where(*_about(ask))
    return set(session.exec(cast).all())


def _about(ask: AskRow) -> tuple[Any, ...]:
    return (col(VoteRow.match_id) == ask.match_id, col(VoteRow.key) == ask.origin, col(VoteRow.seat) == ask.seat)


def count(session: Session, ask: AskRow, seats: Sequence[SeatRow], asks: Sequence[AskRow]) -> Vote | None:
    """How the vote on this question stands; None while there is none."""
    if ask.vote_since is None:
        return None
    voters = voters_of(seats, asks, ask.seat)
    return Vote(tuple(voters), tuple(sorted(votes_for(session, ask) & {*voters})), majority(len(voters)))
