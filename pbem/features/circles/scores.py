"""The standings of a circle, by game: how often its members played there, won, and which places they had.

Only matches that were started in the circle count, from the results that are tallied when a match is over. What a
place is worth does not depend on the number of seats: it is the part of the others that one was ahead of, where level
counts half. So always first is 1, always last 0, and who is neither better nor worse than the others comes to 1/2.

The one mail a week tells how its reader stands, nothing while circles are off.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from typing import Annotated, Any

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, exists, false, func
from sqlmodel import Session, col, select

from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.rows import MEMBER, member_of
from pbem.features.circles.tables import Circle, CircleMatch, CircleMember, Occasion, StandingTable
from pbem.models.results import Result
from pbem.models.tables import table
from pbem.services.site import Site

Members = dict[int | None, CircleMember]
"""The rows of a circle by their players."""


class Meeting(Struct, frozen=True, rename={"member_id": "member"}):
    """How a member stands against another: the matches in which both sat, and who had the better place."""

    member_id: int
    name: str
    matches: int
    ahead: int
    level: int
    behind: int


class CircleScore(Struct, frozen=True, rename={"member_id": "member"}):
    """A member's matches of one game. `share` is the mean of what their places are worth.

    A place is worth the part of the other seats that one was ahead of, where level counts half: 1 is always first.
    """

    member_id: int
    name: str
    here: Annotated[bool, Meta(description="False if they have left the circle.")]
    matches: int
    wins: int
    share: float
    against: Annotated[tuple[Meeting, ...], Meta(description="In the order of the names.")] = ()


class GameScores(Struct, frozen=True):
    """The standings of one game, best first, and how many matches they rest on."""

    game: str
    matches: int
    scores: tuple[CircleScore, ...]


def read_scores(site: Site, claim: MemberClaim) -> tuple[GameScores, ...]:
    """Returns the standings of the circle for one of its members, by game. Raises Unauthorized."""
    with site.reading() as session:
        return scores_of(session, member_of(session, claim).circle_id)


def scores_of(session: Session, circle_id: str) -> tuple[GameScores, ...]:
    """Returns the standings of the circle, in two queries."""
    rows = session.exec(select(CircleMember).where(col(CircleMember.circle_id) == circle_id))
    members: Members = {row.player_id: row for row in rows if row.player_id is not None}
    found = (
        select(Result)
        .join(CircleMatch, col(CircleMatch.match_id) == col(Result.match_id))
        .where(col(CircleMatch.circle_id) == circle_id)
        .order_by(col(Result.game), col(Result.match_id), col(Result.seat))
    )
    games = groupby(session.exec(found), key=lambda result: result.game)
    return tuple(_game(game, list(results), members) for game, results in games)


def place_share(place: int, places: Sequence[int]) -> Fraction:
    """Returns what a place is worth among those of the other seats.

    >>> place_share(1, [2, 3]), place_share(2, [1, 2])
    (Fraction(1, 1), Fraction(1, 4))
    """
    points = sum(2 if place < other else 1 if place == other else 0 for other in places)
    return Fraction(points, 2 * len(places)) if places else Fraction(1, 2)


def _game(game: str, results: list[Result], members: Members) -> GameScores:
    shares, wins = defaultdict[int, list[Fraction]](list), defaultdict[int, int](int)
    met: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    matches = [list(seats) for _, seats in groupby(results, key=lambda result: result.match_id)]
    for seats in matches:
        for mine in seats:
            if mine.player_id is None or mine.player_id not in members:
                continue
            others = [other for other in seats if other.seat != mine.seat]
            shares[mine.player_id].append(place_share(mine.place, [other.place for other in others]))
            wins[mine.player_id] += mine.place == 1
            for other in others:
                if other.player_id in members and other.player_id is not None:
                    met[mine.player_id][other.player_id].append(other.place - mine.place)
    scores = [
        _score(members[one], shares[one], wins[one], ((members[them], gaps) for them, gaps in met[one].items()))
        for one in shares
    ]
    scores.sort(key=lambda score: (-score.share, -score.matches, score.name.casefold()))
    return GameScores(game, len(matches), tuple(scores))


def _score(
    row: CircleMember, shares: list[Fraction], wins: int, met: Iterable[tuple[CircleMember, list[int]]]
) -> CircleScore:  # fmt: skip
    against = [
        Meeting(
            _id(other), other.name, len(gaps), ahead=sum(gap > 0 for gap in gaps), level=gaps.count(0),
            behind=sum(gap < 0 for gap in gaps),
        )
        for other, gaps in met
    ]  # fmt: skip
    against.sort(key=lambda one: one.name.casefold())
    mean = float(sum(shares, Fraction(0)) / len(shares))
    return CircleScore(_id(row), row.name, row.status == MEMBER, len(shares), wins, mean, tuple(against))


def _id(row: CircleMember) -> int:
    assert row.id is not None, "a stored member has an id"
    return row.id


# --- the weekly mail ------------------------------------------------------------------------------------------

Known = dict[str, tuple[GameScores, ...]]
"""The standings that the mails of one run have asked for, by circle: each is read once, for its first reader."""
_c = table(CircleMember)


@dataclass(frozen=True)
class CircleNow:
    """How a player stands in a circle, in the game it plays most, and when a standing table of it meets next."""

    member_id: int
    epoch: int
    name: str
    game: str | None
    place: int | None
    of: int
    next_at: datetime | None


def _is_on(site: Site) -> bool:
    return "circles" in site.config.features


def is_told(site: Site, player_id: Any) -> ColumnElement[bool]:
    """Returns the condition that the player, an id or a column, belongs to a circle whose mails they get."""
    if not _is_on(site):
        return false()
    return exists(select(_c.c.id).where(_c.c.player_id == player_id, _c.c.status == MEMBER, _c.c.muted.is_(False)))


def circles_of(site: Site, session: Session, player_id: int, now: datetime, known: Known) -> list[CircleNow]:
    """Returns the player's circles of which there is something to tell, by name; none while circles are off."""
    if not _is_on(site):
        return []
    rows = session.execute(
        select(CircleMember, Circle)
        .join(Circle, col(Circle.id) == col(CircleMember.circle_id))
        .where(col(CircleMember.player_id) == player_id, col(CircleMember.status) == MEMBER)
        .where(col(CircleMember.muted).is_(False), col(Circle.dissolved_at).is_(None))
        .order_by(col(Circle.name), col(Circle.id))
    ).all()
    told = [_circle(session, known, member, circle, now) for member, circle in rows]
    return [one for one in told if one.place is not None or one.next_at is not None]


def _circle(session: Session, known: Known, member: CircleMember, circle: Circle, now: datetime) -> CircleNow:
    next_at = session.execute(
        select(func.min(col(Occasion.starts_at)))
        .join(StandingTable, col(StandingTable.id) == col(Occasion.standing_id))
        .where(col(StandingTable.circle_id) == circle.id, col(StandingTable.stopped_at).is_(None))
        .where(col(Occasion.done_at).is_(None), col(Occasion.starts_at) > now)
    ).scalar()
    if circle.id not in known:
        known[circle.id] = scores_of(session, circle.id)
    most = max(known[circle.id], key=lambda one: one.matches, default=None)
    shares = [one.share for one in most.scores] if most is not None else []
    own = next((one.share for one in most.scores if one.member_id == member.id), None) if most is not None else None
    place = 1 + sum(share > own for share in shares) if own is not None else None
    game = most.game if most is not None else None
    return CircleNow(member.id or 0, member.epoch, circle.name, game, place, len(shares), next_at)
