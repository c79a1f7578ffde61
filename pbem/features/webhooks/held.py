"""How far webhooks may be told about a match: as long as mails are held, a move can be taken back unnoticed.

News of a running match wait as long as its mails do, whether the move can be taken back or not: whoever is told sooner
would learn what the mover holds. Nothing waits at a match that has ended, at one where fewer than two people play, or
once the mover lets the mails go. If a move is taken back meanwhile, it is told together with its `Undone`.
"""

from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import FromClause, and_, bindparam, case, func, or_, select

from pbem.models.tables import AskRow, EntryRow, Match, SeatRow, table
from pbem.services.log.ask_projection import UNDONE
from pbem.services.site import Reading

ENDED = ("over", "cancelled")

_m, _e, _a = table(Match), table(EntryRow), table(AskRow)
_p = table(SeatRow).alias("people")

ended = _m.c.status.in_(ENDED)
_few = select(func.count()).where(_p.c.match_id == _m.c.id, _p.c.bot.is_(None)).correlate(_m).scalar_subquery() < 2
_let_go = (
    select(func.max(_a.c.last_n))
    .where(_a.c.match_id == _m.c.id, _a.c.told_at.is_not(None), _a.c.closed_by != UNDONE)
    .correlate(_m)
    .scalar_subquery()
)


def held_since(now: datetime, hold_s: int) -> dict[str, datetime]:
    """Returns the parameter of `tellable`: news of the last `hold_s` seconds wait."""
    return {"held_since": now - timedelta(seconds=hold_s)}


def tellable(cursors: FromClause) -> Any:
    """Returns the version up to which a webhook with this cursor may be told now, but for take-backs: an expression."""
    told = func.coalesce(cursors.c.n, 0)
    first_held = (
        select(func.min(_e.c.n))
        .where(
            _e.c.match_id == _m.c.id, _e.c.n > told, _e.c.n > func.coalesce(_let_go, 0),
            _e.c.at > bindparam("held_since", type_=_e.c.at.type),
        )
        .correlate(_m, cursors)
        .scalar_subquery()
    )  # fmt: skip
    return case((or_(ended, _m.c.untimed, _few), _m.c.version), else_=func.coalesce(first_held - 1, _m.c.version))


def before_undone(session: Reading, match_id: str, told: int, version: int) -> int:
    """Returns the version up to which the match may be told, at most this one, so that no move goes without its end.

    A move that was taken back while it was held is told only together with that.
    """
    taken_back = and_(_e.c.match_id == match_id, _e.c.n > told, _e.c.key.is_(None), _e.c.event.contains('"Undone"'))
    for n, event in session.execute(select(_e.c.n, _e.c.event).where(taken_back).order_by(_e.c.n.desc())):
        said = msgspec.json.decode(event)
        if said.get("type") == "Undone" and said["to"] < version < n:
            version = said["to"]
    return version
