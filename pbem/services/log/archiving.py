"""Archives matches that ended a week ago: their log and asks become one row of a few kilobytes, and their rows go.

1. The matches of a share are found by index, those that ended first before the others, some at a time. A run ends after
   some seconds, and the next one goes on: a worker has other things to do.
2. Each is archived in a transaction of its own. A conditional UPDATE claims it: of two runs, in whatever processes, one
   changes nothing.
3. What was packed is unpacked and compared with the rows before these are deleted. A match that cannot be archived
   keeps its rows, is logged, and holds up no other. Each run tries it again; `backlog.archives_due` counts it.

An archive is never turned into rows again: nothing is written to the log of a match that is over. It names seats, no
players, so erasing a player changes no archive.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import and_, delete, select, tuple_, update
from sqlmodel import Session, col

from pbem.errors import Busy
from pbem.kit.codec import encode
from pbem.models.clocks import VoteRow
from pbem.models.results import ArchiveRow
from pbem.models.tables import AskRow, EntryRow, FoldRow, Match, OrderRow, SeatRow, Snapshot, table
from pbem.services.log import proofs, waits
from pbem.services.log.archive import FORM, Question, Stored, pack_archive
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site, Work

AFTER = timedelta(days=7)
"""How long a match that is over keeps its rows: mails and replies about its end, and features, still look at them."""
RUN_S = 20.0
"""The seconds after which a run begins no other match. Others are left to the next one, which is sent each minute."""
AT_ONCE = 100

log = structlog.get_logger()
_matches, _entries, _asks = table(Match), table(EntryRow), table(AskRow)
_orders = table(OrderRow)


def archive_matches(site: Site, shard: Shard = ALL) -> int:
    """Archives the share's matches that ended a week ago, for RUN_S at most; returns their number."""
    done, until = 0, time.monotonic() + RUN_S
    for match_id in _matches_to_archive(site, shard):
        if site.stopping() or time.monotonic() > until:
            break
        done += _archive_match(site, match_id)
    if done:
        log.info("archive.done", matches=done)
    return done


def _matches_to_archive(site: Site, shard: Shard) -> Iterator[str]:
    """Yields the share's matches that may be archived, those that ended first before the others."""
    m, last = _matches.c, (datetime.min.replace(tzinfo=UTC), "")
    while True:
        wanted = select(m.ended_at, m.id).where(
            *_conditions_to_archive(site.now()), tuple_(m.ended_at, m.id) > tuple_(*last)
        )
        with site.reading() as session:
            found = session.execute(
                wanted.where(*shard.match_conditions(m.id)).order_by(m.ended_at, m.id).limit(AT_ONCE)
            ).all()
        if not found:
            return
        yield from (match_id for _, match_id in found)
        last = found[-1]


def _conditions_to_archive(now: datetime) -> tuple[Any, ...]:
    return _matches.c.status == "over", _matches.c.archived_at.is_(None), _matches.c.ended_at <= now - AFTER


def _archive_match(site: Site, match_id: str) -> bool:
    """Archives the match unless another run has; returns True if it is done."""
    try:
        with site.writing() as work:
            now = site.now()
            claim = (
                update(_matches).where(_matches.c.id == match_id, *_conditions_to_archive(now)).values(archived_at=now)
            )
            if work.connection().execute(claim).rowcount != 1:
                return False
            _move_to_archive(work, work.get_one(Match, match_id))
    except Busy:
        log.info("archive.busy", match=match_id)  # the next run tries again
        return False
    except Exception as error:
        if match_id in site.unarchived:
            log.warning("archive.failed", match=match_id, error=type(error).__name__)
        else:
            site.unarchived.add(match_id)
            log.exception("archive.failed", match=match_id)
        return False
    return True


def _move_to_archive(work: Work, match: Match) -> None:
    """Writes the archive of the match, which this transaction has claimed, and deletes its rows."""
    e, columns = _entries.c, [_asks.c[name] for name in Question._fields]
    logged = select(e.n, e.at, e.by, e.key, e.event, e.sealed, e.head).where(e.match_id == match.id).order_by(e.n)
    entries = [
        Stored(n, at, by, key, event, proofs.seals_in_row(sealed), head)
        for n, at, by, key, event, sealed, head in work.execute(logged)
    ]
    asks = [Question(*row) for row in work.execute(select(*columns).where(_asks.c.match_id == match.id))]
    if [one.n for one in entries] != [*range(1, match.version + 1)]:
        raise ValueError("entries are missing, or too many")
    packed = pack_archive(entries, asks, proofs.keys_of(match).seals, proofs.head_before_first_entry(match))
    row = {"match_id": match.id, "form": FORM, "waits": _answer_times_as_json(work, match), "packed": packed}
    work.connection().execute(table(ArchiveRow).insert(), row)
    for model in (EntryRow, AskRow, VoteRow, FoldRow, Snapshot):
        work.connection().execute(delete(table(model)).where(table(model).c.match_id == match.id))
    told = and_(_orders.c.match_id == match.id, _orders.c.news == "")  # others still tell their owner something
    work.connection().execute(delete(_orders).where(told))


def _answer_times_as_json(session: Session, match: Match) -> str:
    seats = select(col(SeatRow.match_id), col(SeatRow.seat), col(SeatRow.player_id))
    by_seat = defaultdict[str, list[int]](list)
    for one in waits.waits_in_rows(session, seats.where(col(SeatRow.match_id) == match.id).subquery()):
        by_seat[str(one.seat)].append(int(one.took.total_seconds()))
    return encode(by_seat).decode()
