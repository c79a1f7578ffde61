"""How long the owners of seats took to answer: from their asks, or from the archives of matches that ended long ago."""

from datetime import timedelta

import msgspec
from sqlalchemy import FromClause, and_, select
from sqlmodel import Session, col

from pbem.models.archives import ArchiveRow
from pbem.models.tables import AskRow, SubstituteRow, table

_archives = table(ArchiveRow)
_read = msgspec.json.Decoder(dict[int, list[int]]).decode


def in_rows(session: Session, seats: FromClause) -> list[tuple[int, timedelta]]:
    """Returns the seat and the time for each turn of these seats, from the mail to the first answer.

    `seats` has the columns match_id, seat and player_id. Answers that somebody else gave from the seat before the
    player took it over do not count. When an answer in a silent window was given, nobody learns.
    """
    taken_over = and_(
        col(SubstituteRow.match_id) == col(AskRow.match_id),
        col(SubstituteRow.seat) == col(AskRow.seat),
        col(SubstituteRow.player_id) == seats.c.player_id,
        col(SubstituteRow.epoch).is_not(None),
        col(SubstituteRow.at) > col(AskRow.closed_at),
    )
    answered = (
        select(col(AskRow.seat), col(AskRow.opened_at), col(AskRow.mailed_at), col(AskRow.closed_at))
        .join(seats, and_(seats.c.match_id == col(AskRow.match_id), seats.c.seat == col(AskRow.seat)))
        .where(col(AskRow.closed_by) == "seat", col(AskRow.key) == col(AskRow.origin), col(AskRow.floor_at).is_(None))
        .where(~select(col(SubstituteRow.id)).where(taken_over).exists())
    )
    rows = session.execute(answered.order_by(col(AskRow.opened_n)))
    return [
        (seat, max(closed - (mailed or opened), timedelta()))
        for seat, opened, mailed, closed in rows
        if closed is not None
    ]


def in_archives(session: Session, seats: FromClause) -> list[timedelta]:
    """Returns the same, to the second, for those of these seats whose match is archived."""
    found = select(seats.c.seat, _archives.c.waits).join(_archives, _archives.c.match_id == seats.c.match_id)
    return [
        timedelta(seconds=second) for seat, waits in session.execute(found) for second in _read(waits).get(seat, ())
    ]
