"""Reads archived matches: what `store`, `proofs` and others return when the rows of a match are gone.

A match has all of its rows or an archive, never both. A reader that finds no rows looks here, in the same transaction;
so nobody need know beforehand which of both a match has.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlmodel import Session

from pbem.models.archives import ArchiveRow
from pbem.models.tables import AskRow, table
from pbem.services import statements
from pbem.services.log.packing import Question, Unpacked, unpack

_archives = table(ArchiveRow)


def find(session: Session, match_id: str) -> Unpacked | None:
    """Returns the archive of the match; None if it has none."""
    found = statements.ARCHIVE.ask(session, {"match": match_id}).rows()
    return unpack(*found[0]) if found else None


def find_many(session: Session, match_ids: Collection[str]) -> dict[str, Unpacked]:
    """Returns the archives of those of these matches that have one, in one query."""
    if not match_ids:
        return {}
    query = select(_archives.c.match_id, _archives.c.form, _archives.c.packed)
    found = session.execute(query.where(_archives.c.match_id.in_([*match_ids])))
    return {match_id: unpack(form, packed) for match_id, form, packed in found}


def asks_of(session: Session, match_id: str) -> list[AskRow]:
    """Returns the asks of an archived match in the order in which they were opened; none if it has no archive.

    They belong to no session. They have no deadlines any more, and are as old as the entries that opened and closed
    them.
    """
    archived = find(session, match_id)
    if archived is None:
        return []
    times = {line.n: line.at for line in archived.lines}
    return [_row(match_id, one, times) for one in archived.questions]


def _row(match_id: str, one: Question, times: dict[int, datetime]) -> AskRow:
    last = max(times)
    closed = times[one.first_n if one.first_n is not None else last]
    return AskRow(match_id=match_id, **one._asdict(), opened_at=times[one.opened_n], closed_at=closed)


def ask_of(session: Session, match_id: str, key: str, seat: int) -> AskRow | None:
    """Returns the ask with this key of an archived match, or None."""
    return next((ask for ask in asks_of(session, match_id) if (ask.key, ask.seat) == (key, seat)), None)
