"""The people at a table: who is active, who may vote on a late seat, and who must agree to take something back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Struct
from sqlmodel import Session, col, select

from pbem.answers import about
from pbem.kit.contract import Seat
from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow, Match, SeatRow


class Vote(Struct, frozen=True):
    """A vote on letting the clock move for a late seat: who may vote, who voted for it, and how many votes it needs."""

    voters: Annotated[tuple[int, ...], about("The seats that may vote.")]
    cast: Annotated[tuple[int, ...], about("The seats that are for it.")]
    needed: Annotated[int, about("How many votes let the clock move.")]


def is_active_person(seat: SeatRow) -> bool:
    """True if the seat is held by a person who is neither absent nor resigned."""
    return seat.bot is None and not seat.absent and not seat.resigned


def votes_needed_for_majority(voters: int) -> int:
    """Returns how many votes are more than half; 0 if nobody can vote.

    >>> [votes_needed_for_majority(n) for n in range(5)]
    [0, 1, 2, 2, 3]
    """
    return voters // 2 + 1 if voters else 0


def voters_on_late_seat(
    seats: Sequence[SeatRow], asks: Sequence[AskRow], late: int, now: datetime | None = None
) -> list[int]:
    """Returns the seats of the active people who may vote on the late seat.

    Players who let their own time run out are excluded, because waiting for them would be pointless. `asks` are the
    match's open asks. With `now`, asks whose time is up by then count as late, too, not only those already put to the
    vote.
    """
    late_too = {ask.seat for ask in asks if ask.vote_since is not None or (now and ask.acts_at and ask.acts_at <= now)}
    here = (seat.seat for seat in seats if is_active_person(seat) and not seat.misses)
    return [seat for seat in here if seat != late and seat not in late_too]


def seats_that_voted_on_late_ask(session: Session, ask: AskRow) -> set[int]:
    """Returns the seats that have voted for letting the clock move."""
    about = (col(VoteRow.match_id) == ask.match_id, col(VoteRow.key) == ask.origin, col(VoteRow.seat) == ask.seat)
    return set(session.exec(select(VoteRow.voter).where(*about)).all())


def current_vote_on_late_ask(session: Session, ask: AskRow, seats: Sequence[SeatRow], asks: Sequence[AskRow]) -> Vote:
    """Returns the current count of the vote to which this ask is put."""
    voters = voters_on_late_seat(seats, asks, ask.seat)
    return Vote(
        tuple(voters),
        tuple(sorted(seats_that_voted_on_late_ask(session, ask) & {*voters})),
        votes_needed_for_majority(len(voters)),
    )


CONSENT, FREE = "consent", "free"
"""What a table takes back: also what others have seen, if they agree; or only what nobody has."""


class Request(msgspec.Struct, frozen=True):
    """An open request to take back what was played after entry `to`; `agreed` are the seats that have agreed."""

    seat: Seat
    to: int
    agreed: tuple[Seat, ...] = ()


def find_takeback_request(match: Match) -> Request | None:
    """Returns the open request to take something back; None if there is none."""
    return msgspec.json.decode(match.undoing, type=Request) if match.undoing is not None else None


def seats_to_agree_to_takeback(seats: Sequence[SeatRow], asker: int) -> tuple[int, ...]:
    """Returns the seats that must agree: all people at the table but this one. Who is absent is not waited for."""
    return tuple(one.seat for one in seats if is_active_person(one) and one.seat != asker)


def drop_takeback_request_of_seat(match: Match, seat: int) -> None:
    """Ends the open request of this seat, whose owner leaves. The match must be locked."""
    request = find_takeback_request(match)
    if request is not None and request.seat == seat:
        match.undoing = None
