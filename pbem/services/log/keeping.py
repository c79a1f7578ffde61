"""Keeps the folds that matches in play lack, from their whole logs.

Moves keep folds (`table`). A match lacks them if an older release has played it, if what they were made of was taken
back, or if its game has another fold version by now or cannot read them. Its pages and moves then read the whole
log. So

1. a transaction that has read it has a worker keep them at once: `Site.keep_folds`, a message that may be lost;
2. a sweep looks once at every running match, since such things come with a new release: a mark in the database says
   for which schema and fold versions that is done.

The log is read and folded without a lock. The rows are written under the match's lock, if nothing was taken back and
nobody has written any since. Moves that were played meanwhile change nothing: a row says up to which entry it holds.
"""

import hashlib
import time
from datetime import timedelta
from itertools import groupby

import structlog
from sqlalchemy import delete, func, select
from sqlmodel import col

from pbem.errors import Busy
from pbem.games import all_games, find_game
from pbem.kit.folds import KeptFolds
from pbem.models.clocks import Heartbeat
from pbem.models.schema.revisions import NEWEST_SCHEMA
from pbem.models.tables import FoldRow, Match, SeatRow, table
from pbem.services import statements
from pbem.services.log import folds, locks, store
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.log.store import Table
from pbem.services.site import Reading, Site

RUN_S = 5.0
"""The seconds after which a sweep begins no other match. Others are left to the next one, which is sent each minute."""
AT_ONCE = 200
WALK, MARKS_KEPT = "folds", timedelta(days=90)
"""How the names of marks begin, and how long those of other releases stay: until then one may run beside this."""

log = structlog.get_logger()


def keep_folds(site: Site, match_id: str) -> bool:
    """Keeps the folds that the match lacks; returns False if it lacks none, or if they are left to the next call.

    Raises NotFound, GameUnavailable, Busy.
    """
    with site.reading() as session:
        match, rows = store.get_match(session, match_id), _rows_of_folds(session, match_id)
        undone, made = match.undone, Table(session, match).folds_to_keep()
    if not made:
        return False
    with site.writing() as work:
        match = locks.lock_match(work, match_id)
        if match.undone != undone or match.ended_at is not None or _rows_of_folds(work, match_id) != rows:
            return False
        work.exec(delete(FoldRow).where(col(FoldRow.match_id) == match_id))
        for n, known in made:
            for one in folds.statements_to_keep(match_id, store.game_by_slug(match.game), n, known):
                one.statement.flush_and_send(work, one.values)
    return True


def _rows_of_folds(session: Reading, match_id: str) -> list[list[object]]:
    return statements.FOLDS.flush_and_send(session, {"match": match_id}).rows()


def sweep_folds(site: Site) -> int:
    """Keeps folds of running matches that lack them, for RUN_S at most; returns the number of matches.

    Goes on where this process has stopped, until one has looked at all of them; then it does nothing any more.
    """
    done, until = 0, time.monotonic() + RUN_S
    if site.looked_at.get(WALK, "") is not None:
        with site.reading() as session:
            if session.get(Heartbeat, _heartbeat_name_of_fold_walk()) is not None:
                site.looked_at[WALK] = None
    while (last := site.looked_at.get(WALK, "")) is not None:
        with site.reading() as session:
            last, lacking = _find_matches_lacking(session, last)
        for match_id in lacking:
            if site.stopping() or time.monotonic() > until:
                return done
            done += _keep_folds_or_log(site, match_id)
        if last is None:
            with site.writing() as work:
                t = table(Heartbeat)
                work.execute(delete(t).where(t.c.name.startswith(f"{WALK}:"), t.c.at < site.now() - MARKS_KEPT))
                insert_row_unless_key_exists(
                    work, Heartbeat, {"name": _heartbeat_name_of_fold_walk(), "at": site.now()}
                )
        site.looked_at[WALK] = last
    return done


def _heartbeat_name_of_fold_walk() -> str:
    """Returns the name of the moment of `Heartbeat` at which a walk for this schema and these games was through."""
    made_for = NEWEST_SCHEMA, sorted((slug, game.meta.fold) for slug, game in all_games().items())
    return f"{WALK}:{hashlib.sha256(repr(made_for).encode()).hexdigest()[:32]}"


def _keep_folds_or_log(site: Site, match_id: str) -> bool:
    try:
        return keep_folds(site, match_id)
    except Busy:
        log.info("folds.busy", match=match_id)  # who reads it tries again
    except Exception:
        log.exception("folds.failed", match=match_id)  # it holds up no other
    return False


def _find_matches_lacking(session: Reading, last: str) -> tuple[str | None, list[str]]:
    """Returns the id of the last one of the running matches after this one, AT_ONCE at most, and which lack folds.

    None in place of the id if there is none.
    """
    m, s, kept = table(Match).c, table(SeatRow).c, table(FoldRow)
    some = select(m.id, m.game, m.version).where(m.status == "running", m.id > last).order_by(m.id).limit(AT_ONCE)
    one = some.subquery().c
    seats = select(func.count()).where(s.match_id == one.id).scalar_subquery()
    asked = select(one.id, one.game, one.version, seats, kept.c.n, kept.c.body)
    asked = asked.join(kept, kept.c.match_id == one.id, isouter=True).order_by(one.id, kept.c.n)
    found, lacking = session.execute(asked).all(), list[str]()
    for (match_id, slug, version, sitting), rows in groupby(found, key=lambda row: tuple(row[:4])):
        if version >= folds.EVERY and (game := find_game(slug)) is not None:
            opened = [
                folds.unpack_kept_row_or_log(match_id, game, sitting, row[4:]) if row[4] is not None else None
                for row in rows
            ]
            usable = [each.n for each in opened if isinstance(each, KeptFolds)]
            if len(usable) < len(opened) or folds.is_other_row_missing(usable[0], version):
                lacking.append(match_id)
    return (found[-1][0] if found else None), lacking
