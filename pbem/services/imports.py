"""Logs that programs send: read as strictly as any, kept for a month, to be watched by whoever knows their address.

Nothing of a log becomes a match: it has no players, nobody is asked, nothing can be played on.
"""

import re
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlmodel import Session

from pbem.errors import N_, Forbidden, NotFound
from pbem.models.requests import ImportedLog
from pbem.models.tables import table
from pbem.rules import logfile
from pbem.rules.contract import LANGS
from pbem.rules.logfile import Log
from pbem.rules.notation import seat_letter
from pbem.services import idempotency, opened
from pbem.services.idempotency import Once
from pbem.services.players import locked
from pbem.services.site import Site

KEPT = timedelta(days=30)
SOME = 1000
_ID = re.compile("[0-9a-f]{24}")


@dataclass(frozen=True)
class Imported:
    """A log that is kept here, and until when."""

    id: str
    log: Log
    until: datetime


def keep(site: Site, player_id: int | None, document: bytes, once: Once | None = None) -> Imported:
    """Keeps the log in this document for who sends it, if he says who he is.

    Raises BadLog, KeyReused, Gone, and Unauthorized where he has gone.
    """
    log = opened.open_log(document)
    letters = [seat_letter(seat) for seat in range(log.seats)]
    for lang in LANGS:  # what cannot be told, or drawn to its end, must not be kept: nobody could watch it
        replay = opened.replay_log(log, lang, letters, letters, "")
        replay.picture(replay.steps[-1])
    now = site.now()
    with site.writing() as session:
        made = idempotency.earlier(session, once, now)
        if made is not None:
            try:
                return Imported(made, log, _row(session, made, now).until)
            except NotFound:
                raise idempotency.thrown_away() from None
        if player_id is not None:
            locked(session, player_id)
        row = ImportedLog(
            id=site.entropy(12).hex(), player_id=player_id, game=log.game.meta.slug,
            document=zlib.compress(logfile.write(log), 9), at=now, until=now + KEPT,
        )  # fmt: skip
        session.add(row)
        session.flush()
        idempotency.keep(session, once, row.id)
        return Imported(row.id, log, row.until)


def read(site: Site, log_id: str) -> bytes:
    """The log's canonical document. Raises NotFound."""
    with site.reading() as session:
        return zlib.decompress(_row(session, log_id, site.now()).document)


def open_kept(site: Site, log_id: str) -> Imported:
    """The log, to be watched. Raises NotFound, and BadLog where its game has other rules by now."""
    with site.reading() as session:
        row = _row(session, log_id, site.now())
        return Imported(row.id, opened.open_log(zlib.decompress(row.document)), row.until)


def delete_for(site: Site, player_id: int, log_id: str) -> None:
    """Throws the log away for the player who has sent it. Raises NotFound, Forbidden."""
    with site.writing() as session:
        row = _row(session, log_id, site.now())
        if row.player_id != player_id:
            raise Forbidden(N_("Only who has sent this log may throw it away."))
        session.delete(row)


def throw_away(site: Site, log_id: str) -> None:
    """Throws the log away, whoever has sent it: for the host. Raises NotFound."""
    with site.writing() as session:
        session.delete(_row(session, log_id, site.now()))


def forget_old(session: Session, now: datetime, most: int = SOME) -> int:
    """Throws away the logs whose time is over, so many at most; gives how many."""
    t = table(ImportedLog)
    old = select(t.c.id).where(t.c.until <= now).limit(most)
    return int(session.connection().execute(delete(t).where(t.c.id.in_(old))).rowcount)


def _row(session: Session, log_id: str, now: datetime) -> ImportedLog:
    """The log's row. Raises NotFound, also where its time is over and nobody has tidied up yet."""
    row = session.get(ImportedLog, log_id) if _ID.fullmatch(log_id) else None
    if row is None or row.until <= now:
        raise NotFound(N_("There is no such log. It may have been thrown away, or its month is over."))
    return row
