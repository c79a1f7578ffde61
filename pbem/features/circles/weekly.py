"""What the one mail a week says of a player's circles; nothing while circles are off."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, exists, false, func, select
from sqlmodel import Session, col

from pbem.features.circles.rows import MEMBER
from pbem.features.circles.scores import GameScores, scores_of
from pbem.features.circles.tables import Circle, CircleMember, Occasion, StandingTable
from pbem.models.tables import table
from pbem.services.site import Site

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
