"""How long the owners of seats took to answer: from their asks, or from the archives of matches that ended long ago."""

from datetime import timedelta
from typing import NamedTuple

import msgspec
from sqlalchemy import FromClause, and_, select
from sqlmodel import Session, col

from pbem.models.results import ArchiveRow
from pbem.models.tables import AskRow, SubstituteRow, table

_archives = table(ArchiveRow)
_read = msgspec.json.Decoder(dict[int, list[int]]).decode


class Wait(NamedTuple):
    """How long the owner of a seat took for a turn."""

    match_id: str
    seat: int
    took: timedelta


def waits_in_rows(session: Session, seats: FromClause) -> list[Wait]:
    """Returns the time for each turn of these seats, from the mail to the first answer.

    `seats` has the columns match_id, seat and player_id. Answers that somebody else gave from the seat before the
    player took it over do not count, nor those that an order gave in the moment of the question. When an answer in a
    silent window was given, nobody learns.
    """
    taken_over = and_(
        col(SubstituteRow.match_id) == col(AskRow.match_id),
        col(SubstituteRow.seat) == col(AskRow.seat),
        col(SubstituteRow.player_id) == seats.c.player_id,
        col(SubstituteRow.epoch).is_not(None),
        col(SubstituteRow.at) > col(AskRow.closed_at),
    )
    asked = select(
        col(AskRow.match_id), col(AskRow.seat), col(AskRow.opened_at), col(AskRow.mailed_at), col(AskRow.closed_at)
    )
    answered = (
        asked.join(seats, and_(seats.c.match_id == col(AskRow.match_id), seats.c.seat == col(AskRow.seat)))
        .where(col(AskRow.closed_by) == "seat", col(AskRow.key) == col(AskRow.origin), col(AskRow.floor_at).is_(None))
        .where(col(AskRow.closed_at) > col(AskRow.opened_at))
        .where(~select(col(SubstituteRow.id)).where(taken_over).exists())
    )
    rows = session.execute(answered.order_by(col(AskRow.match_id), col(AskRow.opened_n)))
    return [
        Wait(match_id, seat, max(closed - (mailed or opened), timedelta()))
        for match_id, seat, opened, mailed, closed in rows
        if closed is not None
    ]


def waits_in_archives(session: Session, seats: FromClause) -> list[Wait]:
    """Returns the same, to the second, for those of these seats whose match is archived."""
    archived = select(seats.c.match_id, seats.c.seat, _archives.c.waits)
    found = archived.join(_archives, _archives.c.match_id == seats.c.match_id)
    return [
        Wait(match_id, seat, timedelta(seconds=second))
        for match_id, seat, waits in session.execute(found)
        for second in _read(waits).get(seat, ())
    ]
