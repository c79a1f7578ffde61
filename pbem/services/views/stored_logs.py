"""Logs from elsewhere: read as strictly as any, kept for a while, to be watched by whoever knows their address.

One that is opened on a page is kept for a day, one that a program sends for a month.

Nothing of a log becomes a match: it has no players, nobody is asked, nothing can be played on.
"""

import re
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, func, or_, select, true
from sqlmodel import Session

from pbem.config import Config
from pbem.errors import N_, Forbidden, NotFound, TooMany
from pbem.kit.contract import LANGS
from pbem.kit.logs import log_errors, logfile
from pbem.kit.logs.logfile import Log
from pbem.kit.notation import seat_letter
from pbem.models.requests import ImportedLog
from pbem.models.tables import table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import Once
from pbem.services.log.locks import lock_player
from pbem.services.site import Site
from pbem.services.views import log_replay
from pbem.services.who import STRANGER, Caller

SENT = timedelta(days=30)
OPENED = timedelta(days=1)
SOME = 1000
HOUR = timedelta(hours=1)
PER_HOUR = 300
"""So many logs are taken in an hour from all senders together."""
PLAYERS = 10
"""So many players may fill the room for logs, and no fewer."""
FULL_S = 3600
"""Whoever finds no room is told to come again after so many seconds."""
_ID = re.compile("[0-9a-f]{24}")


@dataclass(frozen=True)
class StoredLog:
    """A log that is kept here, and until when."""

    id: str
    log: Log
    until: datetime


def keep(site: Site, who: Caller, document: bytes, *, lasts: timedelta = SENT, once: Once | None = None) -> StoredLog:
    """Keeps the log in this document for the player who sends it, or for nobody.

    Raises BadLog, KeyReused, Gone, TooMany, and Unauthorized where they have gone.
    """
    log = log_replay.open_log(document)
    canonical = logfile.write(log)
    if len(canonical) > logfile.MAX_BYTES:  # what was left out is written there, and it has to open again
        raise logfile.BadLog(log_errors.BYTES, most=logfile.MAX_BYTES, has=len(canonical))
    letters = [seat_letter(seat) for seat in range(log.seats)]
    for lang in LANGS:  # what cannot be told, or drawn to its end, must not be kept: nobody could watch it
        replay = log_replay.replay_log(log, lang, letters, letters, "")
        replay.picture(replay.steps[-1])
    packed = zlib.compress(canonical, 9)
    now = site.now()
    with site.writing() as session:
        player_id = None if who is STRANGER else who
        if player_id is not None:
            lock_player(session, player_id)
        made = idempotency.replayed(session, once, now)
        if made is not None:
            try:
                return StoredLog(made, log, _row(session, made, now).until)
            except NotFound:
                raise idempotency.no_longer_there() from None
        _check_room(session, site.config, player_id, len(packed), now)
        row = ImportedLog(
            id=site.entropy(12).hex(), player_id=player_id, game=log.game.meta.slug, document=packed, size=len(packed),
            at=now, until=now + lasts,
        )  # fmt: skip
        session.add(row)
        session.flush()
        idempotency.remember(session, once, row.id)
        return StoredLog(row.id, log, row.until)


def _check_room(session: Session, config: Config, player_id: int | None, more: int, now: datetime) -> None:
    """Returns if another log of so many bytes may be kept. Strangers have half of everything, so that some is left; one
    player has a tenth of the bytes (PLAYERS).

    What is sent at the very same moment is not seen: the caps may be passed by that much. Raises TooMany.
    """
    t, stranger = table(ImportedLog), player_id is None
    theirs = t.c.player_id.is_(None) if stranger else true()
    share = 2 if stranger else 1
    size = session.execute(select(func.coalesce(func.sum(t.c.size), 0)).where(theirs)).scalar_one()
    if size + more > config.logs_mb * 1_000_000 // share:
        message = N_("There is no space for more logs at the moment. Each is kept for a day or a month.")
        raise TooMany(message, retry_after=FULL_S)
    if not stranger:
        own = select(func.coalesce(func.sum(t.c.size), 0)).where(t.c.player_id == player_id)
        if session.execute(own).scalar_one() + more > config.logs_mb * 1_000_000 // PLAYERS:
            message = N_("Your logs use all the space that one player has here. Delete one to send another.")
            raise TooMany(message, retry_after=FULL_S)
    if not config.capped:
        return
    # By `until`, which has an index: `at` stands behind the document in its row. Only at the end of a log's life can
    # its `until` be that of a newer one.
    lately = [and_(t.c.until > now + lasts - HOUR, t.c.until <= now + lasts) for lasts in (SENT, OPENED)]
    count = select(func.count()).select_from(t).where(theirs, or_(*lately), t.c.at > now - HOUR)
    if session.execute(count).scalar_one() >= PER_HOUR // share:
        raise TooMany(N_("Too many logs were sent here within the hour. Please wait."), retry_after=FULL_S)


def read(site: Site, log_id: str) -> bytes:
    """The log's canonical document. Raises NotFound."""
    with site.reading() as session:
        return zlib.decompress(_row(session, log_id, site.now()).document)


def open_kept(site: Site, log_id: str) -> StoredLog:
    """The log, to be watched. Raises NotFound, and BadLog where its game has other rules by now."""
    with site.reading() as session:
        row = _row(session, log_id, site.now())
        return StoredLog(row.id, log_replay.open_log(zlib.decompress(row.document)), row.until)


def delete_for(site: Site, player_id: int, log_id: str) -> None:
    """Throws the log away for the player who has sent it. Raises NotFound, Forbidden."""
    with site.writing() as session:
        row = _row(session, log_id, site.now())
        if row.player_id != player_id:
            raise Forbidden(N_("Only the sender of this log may delete it."))
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
        raise NotFound(N_("There is no such log. It may have been deleted, or its time is over."))
    return row
