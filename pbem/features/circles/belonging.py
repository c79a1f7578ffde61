"""Who belongs to a circle, for what else is its members' alone: conditions of SQL, over ids or columns."""

from typing import Any

from sqlalchemy import ColumnElement, Select, exists, select

from pbem.features.circles.rows import MEMBER
from pbem.features.circles.tables import CircleMember
from pbem.models.tables import table

_c = table(CircleMember)


def belongs(player_id: Any, circle_id: Any) -> ColumnElement[bool]:
    """Returns the condition that the player is a member of the circle."""
    return exists(
        select(_c.c.id).where(_c.c.circle_id == circle_id, _c.c.player_id == player_id, _c.c.status == MEMBER)
    )


def players_of(circle_id: str) -> Select[Any]:
    """Returns the query for the ids of the members' players."""
    return select(_c.c.player_id).where(_c.c.circle_id == circle_id, _c.c.status == MEMBER, _c.c.player_id.is_not(None))
