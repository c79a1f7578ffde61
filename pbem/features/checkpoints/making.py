"""Makes the checkpoint of a day: reads which logs grew, keeps their leaves, and signs what they come to.

1. One checkpoint a day (UTC), with the heads as they are when they are read, soon after midnight. A day on which no
   process ran has none; the next one has all that has changed.
2. It is made in batches, each in a transaction of its own that moves the row's cursor by a conditional UPDATE. So a run
   may be interrupted, and may run twice or in two places: of two that took the same batch, one changes nothing.
3. A batch keeps at most `CHUNK` matches in memory. Matches are found by index: those being played, then those that have
   ended since the last checkpoint began.
"""

from datetime import date, datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Select, or_, select, tuple_, update
from sqlmodel import Session

from pbem.features.checkpoints import days, notes
from pbem.features.checkpoints.days import CHUNK, Checkpoint, Day
from pbem.features.checkpoints.notes import Note, read_note
from pbem.features.checkpoints.published import days_up_to_checkpoint
from pbem.features.checkpoints.tables import CheckpointRow, LeavesRow, PlaceRow
from pbem.models.prepared import insert_function_of_dialect
from pbem.models.tables import Match, table
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site

STAGES = ("running", "paused", "ended")
NONE_LEFT = "none"
MARGIN = timedelta(hours=1)
"""How long a transaction that ended a match may have taken to commit, and then some."""

log = structlog.get_logger()
_checkpoints, _matches, _places = table(CheckpointRow), table(Match), table(PlaceRow)


def make_checkpoint_of_today(site: Site) -> int:
    """Makes the checkpoint of today, and ends one that was interrupted; returns the number of leaves it has added."""
    added = 0
    while not site.stopping():
        with site.reading() as session:
            last = session.execute(select(_checkpoints).order_by(_checkpoints.c.number.desc()).limit(1)).one_or_none()
        if last is not None and last.note is None:
            added += _add_batch_of_leaves(site, last) if last.stage != NONE_LEFT else _sign_day(site, last)
        elif last is None or last.begun_at.date() < site.now().date():
            _begin_checkpoint(site, last)
        else:
            break
    return added


def _begin_checkpoint(site: Site, former: Any | None) -> None:
    """Begins the checkpoint after the former one. Days only grow: after a clock was ahead they go on from there."""
    now, number = site.now(), 1 if former is None else former.number + 1
    day = now.date() if former is None else max(now.date(), former.day + timedelta(days=1))
    row = {"day": day, "number": number, "begun_at": now, "stage": STAGES[0], "after": "", "size": 0}
    with site.writing() as work:
        insert_row_unless_key_exists(work, CheckpointRow, row)


def _add_batch_of_leaves(site: Site, row: Any) -> int:
    """Adds the next leaves; returns their number, 0 if another process has added them meanwhile."""
    with site.reading() as session:
        found, stage, after = _next_batch_of_matches(session, row)
    t = _checkpoints
    claim = update(t).where(t.c.day == row.day, t.c.stage == row.stage, t.c.after == row.after, t.c.note.is_(None))
    with site.writing() as work:
        moved = claim.values(stage=stage, after=after, size=row.size + len(found))
        if work.connection().execute(moved).rowcount != 1:
            return 0
        if found:
            leaves = [days.leaf_hash_of_match(match.commitment, match.version, match.head) for match in found]
            chunk = {"chunk": row.size // CHUNK, "root": days.root_of_leaves(leaves), "leaves": b"".join(leaves)}
            work.connection().execute(table(LeavesRow).insert(), {"day": row.day, **chunk})
            places = [
                {"match_id": match.id, "day": row.day, "leaf": row.size + index, "n": match.version}
                for index, match in enumerate(found)
            ]
            # In place of where the matches stood before.
            insertion = insert_function_of_dialect(work.connection().dialect.name)(_places)
            newer = {name: insertion.excluded[name] for name in ("day", "leaf", "n")}
            noted = insertion.on_conflict_do_update(index_elements=["match_id"], set_=newer)
            work.connection().execute(noted, places)
    return len(found)


def _next_batch_of_matches(session: Session, row: Any) -> tuple[list[Any], str, str]:
    """Returns the matches of the next batch, and where the one after it begins.

    Only the last batch of a day is not full. A match that has changed its stage meanwhile is taken once.
    """
    found: dict[str, Any] = {}
    stage, after = row.stage, row.after
    since = session.execute(select(_checkpoints.c.begun_at).where(_checkpoints.c.number == row.number - 1)).scalar()
    while stage != NONE_LEFT and len(found) < CHUNK:
        wanted = CHUNK - len(found)
        query = query_of_grown_matches(row.day, stage, after, since).limit(wanted)
        read = session.execute(query).all()
        for match in read:
            found.setdefault(match.id, match)
        if len(read) < wanted:
            stage, after = (*STAGES, NONE_LEFT)[STAGES.index(stage) + 1], ""
        else:
            after = read[-1].id
            if stage == STAGES[-1]:
                after = f"{read[-1].ended_at.isoformat()} {after}"
    return [*found.values()], stage, after


def query_of_grown_matches(day: date, stage: str, after: str, since: datetime | None) -> Select[Any]:
    """Returns the query for the matches of a stage whose logs have grown, and which are not in this day's checkpoint.

    They are in the order of an index, from the one after `after`. Of those that have ended it is those since the last
    checkpoint began, at `since`; all of them where there was none.
    """
    m, p = _matches, _places
    grown = or_(p.c.match_id.is_(None), (p.c.n < m.c.version) & (p.c.day < day))
    query = select(m.c.id, m.c.commitment, m.c.version, m.c.head, m.c.ended_at)
    query = query.select_from(m.join(p, p.c.match_id == m.c.id, isouter=True)).where(m.c.head.is_not(None), grown)
    if stage != STAGES[-1]:
        return query.where(m.c.status == stage, m.c.id > after).order_by(m.c.id)
    query = query.order_by(m.c.ended_at, m.c.id)
    if after:
        at, _, match_id = after.partition(" ")
        return query.where(tuple_(m.c.ended_at, m.c.id) > tuple_(datetime.fromisoformat(at), match_id))
    return query.where(m.c.ended_at.is_not(None) if since is None else m.c.ended_at >= since - MARGIN)


def _sign_day(site: Site, row: Any) -> int:
    """Signs the day, unless another process has; adds no leaf."""
    with site.reading() as session:
        former = days_up_to_checkpoint(session, row.number - 1)
        chunks = select(table(LeavesRow).c.root).where(table(LeavesRow).c.day == row.day).order_by("chunk")
        root = days.root_of_leaves(session.execute(chunks).scalars())
        before = session.execute(select(_checkpoints.c.note).where(_checkpoints.c.number == row.number - 1)).scalar()
    day = Day(row.day, row.size, root)
    previous = days.hash_of_checkpoint_text(read_note(before).text) if before else None
    text = Checkpoint(
        notes.site_name_in_notes(site.config), row.number, days.root_of_days([*former, day]), day, previous
    ).text
    note = Note(text).with_signatures(notes.signer_of_own_checkpoints(site.config).signature_of(text, 0))
    t = _checkpoints
    signed = update(t).where(t.c.day == row.day, t.c.note.is_(None)).values(root=root, note=str(note))
    with site.writing() as work:
        if work.connection().execute(signed).rowcount == 1:
            log.info("checkpoint.made", day=row.day.isoformat(), number=row.number, matches=row.size)
    return 0
