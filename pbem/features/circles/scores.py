"""The standings of a circle, by game: how often its members played there, won, and which places they had.

Only matches that were started in the circle count, from the results that are tallied when a match is over. What a
place is worth does not depend on the number of seats: it is the part of the others that one was ahead of, where level
counts half. So always first is 1, always last 0, and who is neither better nor worse than the others comes to 1/2.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Annotated

from msgspec import Struct
from sqlmodel import Session, col, select

from pbem.answers import about
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.rows import MEMBER, membership_of_claim
from pbem.features.circles.tables import CircleMatch, CircleMember
from pbem.models.results import Result
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
    here: Annotated[bool, about("False if they have left the circle.")]
    matches: int
    wins: int
    share: float
    against: Annotated[tuple[Meeting, ...], about("In the order of the names.")] = ()


class GameScores(Struct, frozen=True):
    """The standings of one game, best first, and how many matches they rest on."""

    game: str
    matches: int
    scores: tuple[CircleScore, ...]


def read_scores(site: Site, claim: MemberClaim) -> tuple[GameScores, ...]:
    """Returns the standings of the circle for one of its members, by game. Raises Unauthorized."""
    with site.reading() as session:
        return scores_of_circle(session, membership_of_claim(session, claim).circle_id)


def scores_of_circle(session: Session, circle_id: str) -> tuple[GameScores, ...]:
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
    return tuple(_scores_of_game(game, list(results), members) for game, results in games)


def worth_of_place(place: int, places: Sequence[int]) -> Fraction:
    """Returns what a place is worth among those of the other seats.

    >>> worth_of_place(1, [2, 3]), worth_of_place(2, [1, 2])
    (Fraction(1, 1), Fraction(1, 4))
    """
    points = sum(2 if place < other else 1 if place == other else 0 for other in places)
    return Fraction(points, 2 * len(places)) if places else Fraction(1, 2)


def _scores_of_game(game: str, results: list[Result], members: Members) -> GameScores:
    shares, wins = defaultdict[int | None, list[Fraction]](list), defaultdict[int | None, int](int)
    met: dict[int | None, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    matches = [list(seats) for _, seats in groupby(results, key=lambda result: result.match_id)]
    for seats in matches:
        for mine in seats:
            if mine.player_id not in members:
                continue
            others = [other for other in seats if other.seat != mine.seat]
            shares[mine.player_id].append(worth_of_place(mine.place, [other.place for other in others]))
            wins[mine.player_id] += mine.place == 1
            for other in others:
                if other.player_id in members:
                    met[mine.player_id][other.player_id].append(other.place - mine.place)
    scores = [
        _score_of_member(
            members[one], shares[one], wins[one], ((members[them], gaps) for them, gaps in met[one].items())
        )
        for one in shares
    ]
    scores.sort(key=lambda score: (-score.share, -score.matches, score.name.casefold()))
    return GameScores(game, len(matches), tuple(scores))


def _score_of_member(
    row: CircleMember, shares: list[Fraction], wins: int, met: Iterable[tuple[CircleMember, list[int]]]
) -> CircleScore:  # fmt: skip
    against = [
        Meeting(
            other.id, other.name, len(gaps), ahead=sum(gap > 0 for gap in gaps), level=gaps.count(0),
            behind=sum(gap < 0 for gap in gaps),
        )
        for other, gaps in met
    ]  # fmt: skip
    against.sort(key=lambda one: one.name.casefold())
    mean = float(sum(shares, Fraction(0)) / len(shares))
    return CircleScore(row.id, row.name, row.status == MEMBER, len(shares), wins, mean, tuple(against))
