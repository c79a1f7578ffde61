"""Deletes what is past its retention period, every ten minutes. docs/privacy.md lists the periods.

1. A run deletes all of it, in batches per kind, each in its own transaction; of a kind of which there is very much, or
   when it is asked to stop, it leaves the rest to the next one.
2. It may run twice or in two places; the second run finds less to delete.
3. The newest row of a table stays whatever its age: SQLite would reuse its id, and ids occur in links and in the
   Message-IDs of mails.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Select, Table, and_, delete, exists, func, null, or_, select, tuple_, update
from sqlmodel import Session, SQLModel

from pbem.errors import Busy
from pbem.models import tables
from pbem.models.accounts import AddressChange
from pbem.models.clocks import Heartbeat
from pbem.models.tables import table
from pbem.services.access import access_tokens, idempotency
from pbem.services.hooks import all_personal
from pbem.services.log import archiving, locks
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.players import guests, quotas
from pbem.services.players.players import name_of_unnamed_seat
from pbem.services.privacy import erasure
from pbem.services.privacy.fates import references_in_database
from pbem.services.site import Site
from pbem.services.statements import ForgetOld
from pbem.services.views import talk

AT_ONCE, BATCHES = 500, 200
"""How many rows of a kind go in a transaction, and in how many of them at most in a run: then the others have a turn,
even where a package's sweep says again and again that there was something."""
CHANGES = timedelta(days=30)
MAILS = timedelta(days=180)
TALK = talk.KEPT
STRANGERS = timedelta(days=30)
"""How long an invited stranger who never came is kept, and a typed address after the last mail to it; then the address
is deleted, and their seats are renamed."""
ENDED = ("over", "cancelled")
WALK, STRETCHES = 5_000, 20
"""How many ended matches are looked at together for rows of theirs in one table, and how often one after the other."""
_marks = table(Heartbeat)

log = structlog.get_logger()


def delete_old_rows(site: Site) -> int:
    """Deletes what is past its retention period; returns the number of rows deleted or anonymised.

    Raises the first error of a sweep once all others have been done.
    """
    total, failed = 0, list[Exception]()
    for what, forget in all_sweeps().items():
        if site.stopping():
            break
        removed = 0
        try:
            for _ in range(BATCHES):
                with site.writing() as work:
                    count = forget(work, site.now(), AT_ONCE)
                removed += count
                if count == 0 or site.stopping():
                    break
            else:
                log.warning("tidy.unfinished", what=what)
        except Exception as problem:
            # The others do not wait for it; it is raised in the end.
            log.error("tidy.failed", what=what, exc_info=None if isinstance(problem, Busy) else problem)
            failed.append(problem)
            continue
        if removed:
            log.info("tidy.removed", what=what, rows=removed)
        total += removed
    total += _erase_old_guests(site)
    if failed:
        raise failed[0]
    return total


def _erase_old_guests(site: Site) -> int:
    """Erases guests whose browser was not here for two weeks; returns the number erased.

    A guest who cannot be erased now is left to the next run, and holds up nobody else.
    """
    erased, last = 0, 0
    while not site.stopping() and (found := guests.ids_of_guests_long_away(site, AT_ONCE, last)):
        for last in found:
            if site.stopping():
                break
            try:
                # Claimed first, so that one who comes back at this moment is either kept or told that nothing is left.
                if guests.end_session_of_overdue_guest(site, last):
                    erasure.erase_player(site, last)
                    erased += 1
            except Exception as problem:
                trace = None if isinstance(problem, Busy) else problem
                log.error("tidy.guest_kept", player=last, problem=type(problem).__name__, exc_info=trace)
    if erased:
        log.info("tidy.removed", what="guests", rows=erased)
    return erased


def sweep_of_old_rows_but_newest(model: type[SQLModel], old: Callable[[Any, datetime], Sequence[Any]]) -> ForgetOld:
    """Returns the sweep that deletes the oldest rows that meet these conditions at a moment, never the newest row."""
    t = table(model)

    def forget(session: Session, now: datetime, most: int) -> int:
        found = session.execute(_query_of_oldest_rows(t, most, *old(t.c, now))).scalars().all()
        return int(session.connection().execute(delete(t).where(t.c.id.in_(found), *old(t.c, now))).rowcount)

    return forget


def sweep_of_ended_matches(model: type[SQLModel], age: timedelta = TALK) -> ForgetOld:
    """Returns the sweep that deletes a table's rows about matches that ended so long ago.

    It looks at the next WALK of them, by their ends, and once nothing is left there notes how far it has come: a look
    at all would take the longer the more matches there are. A run passes STRETCHES times as many, 14 million a day.
    What is written later takes it back there; see `talk`. It does not pass the newest row of the table, which goes once
    there is a newer one.
    """
    t, m = table(model), table(tables.Match)
    key, mark = [*t.primary_key.columns], talk.name_of_sweep_mark(model)
    kept: list[Any] = []
    newest_end: Any = null()
    if "id" in t.c:
        newest = select(func.max(t.c.id)).scalar_subquery()
        kept = [t.c.id < newest]
        newest_end = select(m.c.ended_at).join(t, t.c.match_id == m.c.id).where(t.c.id == newest).scalar_subquery()

    def forget(session: Session, now: datetime, most: int) -> int:
        noted = since = session.execute(select(_marks.c.at).where(_marks.c.name == mark)).scalar()
        for _ in range(STRETCHES):
            long_ago = [m.c.status.in_(ENDED), m.c.ended_at <= now - age]
            long_ago += [m.c.ended_at >= since] if since is not None else []
            ended = select(m.c.id, m.c.ended_at).where(*long_ago).order_by(m.c.ended_at, m.c.id).limit(WALK).subquery()
            old = select(t.c.match_id, *key).join(ended, ended.c.id == t.c.match_id).where(*kept).order_by(*key)
            if found := session.execute(old.limit(most)).all():
                locks.lock_matches(session, (match_id for match_id, *_ in found))
                session.execute(delete(t).where(tuple_(*key).in_([(*one,) for _, *one in found])))
                break
            last, stop = session.execute(select(func.max(ended.c.ended_at), newest_end)).one()
            if last is None or (last := min(last, stop or last)) == since:
                break
            since = last
        if noted is None and since is not None:
            insert_row_unless_key_exists(session, Heartbeat, {"name": mark, "at": since})
        elif since != noted:  # unless it has been taken back meanwhile
            session.execute(update(_marks).where(_marks.c.name == mark, _marks.c.at == noted).values(at=since))
        return len(found)

    return forget


def _anonymise_untaken_seats(session: Session, now: datetime, most: int) -> int:
    """Anonymises seats of ended matches that nobody took."""
    t = table(tables.SeatRow)
    named = and_(t.c.player_id.is_not(None), t.c.status.in_(("invited", "declined")))
    old = (
        select(t.c.match_id, t.c.seat)
        .where(named, _condition_of_ended_before(t.c.match_id, now - STRANGERS))
        .limit(most)
    )
    found = session.execute(old).all()
    locks.lock_matches(session, (match_id for match_id, _ in found))
    for match_id, seat in found:
        values = {"player_id": None, "name": name_of_unnamed_seat(seat), "epoch": t.c.epoch + 1, "word": None}
        session.execute(update(t).where(t.c.match_id == match_id, t.c.seat == seat, named).values(values))
    return len(found)


def _remove_unverified_organisers(session: Session, now: datetime, most: int) -> int:
    """Removes organisers who never verified their address from ended matches."""
    t, p = table(tables.Match), table(tables.Player)
    unknown = exists(select(p.c.id).where(p.c.id == t.c.organiser_id, p.c.verified_at.is_(None)))
    old = select(t.c.id).where(unknown, t.c.status.in_(ENDED), t.c.ended_at <= now - STRANGERS).limit(most)
    found = [*locks.lock_matches(session, session.execute(old).scalars())]
    session.execute(update(t).where(t.c.id.in_(found), unknown).values(organiser_id=None))
    return len(found)


def _delete_unverified_players(session: Session, now: datetime, most: int) -> int:
    """Deletes players who never verified their address, and emptied rows of erased ones, if nothing refers to them.

    Anyone who types the address again is sent another link, which must work as long as the first one did: so the last
    mail counts. One that was not sent, as to somebody who wants none, keeps nothing.
    """
    t, mails = table(tables.Player), table(tables.OutboxRow)
    pointing = [column for name, column in references_in_database(session.connection(), t) if name != mails.name]
    unknown = t.c.verified_at.is_(None), t.c.created_at <= now - STRANGERS
    free = [~exists(select(column).where(column == t.c.id)) for column in pointing]
    recent = or_(mails.c.done_at.is_(None), and_(mails.c.result == "sent", mails.c.done_at > now - STRANGERS))
    mailed = exists(select(mails.c.id).where(mails.c.player_id == t.c.id, recent))
    gone = (*unknown, *free, ~mailed)
    old = session.execute(_query_of_oldest_rows(t, most, *gone)).scalars()
    found = (
        session.execute(select(t.c.id).where(t.c.id.in_(locks.lock_players_for_erasure(session, old)), *gone))
        .scalars()
        .all()
    )
    if not found:
        return 0
    session.execute(update(mails).where(mails.c.player_id.in_(found)).values(player_id=None))
    session.execute(delete(t).where(t.c.id.in_(found)))
    return len(found)


FORGET_OLD: Mapping[str, ForgetOld] = {
    "changes": sweep_of_old_rows_but_newest(AddressChange, lambda c, now: [c.at <= now - CHANGES]),
    # Those about matches in progress stay: they keep mails from being sent twice. The first condition follows from the
    # second, and has an index.
    "mails": sweep_of_old_rows_but_newest(
        tables.OutboxRow,
        lambda c, now: [
            c.created_at <= now - MAILS, c.done_at <= now - MAILS, _condition_of_ended_before(c.match_id,
            now) | c.match_id.is_(None),
        ],
    ),
    "messages": sweep_of_ended_matches(tables.MessageRow),
    "notes": sweep_of_ended_matches(tables.NoteRow),
    "orders": sweep_of_ended_matches(tables.OrderRow),
    # Where an older release archives beside this one, it leaves them.
    "folds": sweep_of_ended_matches(tables.FoldRow, archiving.AFTER + timedelta(days=1)),
    # Offers of seats that were not accepted.
    "offers": sweep_of_old_rows_but_newest(
        tables.SubstituteRow, lambda c, now: [c.epoch.is_(None), _condition_of_ended_before(c.match_id,
        now - STRANGERS)]
    ),
    "keys": idempotency.forget_old,
    "tokens": access_tokens.forget_old,
}  # fmt: skip
FORGET_LAST: Mapping[str, ForgetOld] = {
    "quotas": quotas.forget_old,
    "seats": _anonymise_untaken_seats,
    "organisers": _remove_unverified_organisers,
    "strangers": _delete_unverified_players,
}
"""What comes after the sweeps of features: players go whom nothing refers to any more."""


def all_sweeps() -> dict[str, ForgetOld]:
    """Returns all that a run deletes, by name and in order, with what features delete, be they on or off."""
    of_features = {name: forget for one in all_personal() for name, forget in one.forget_old.items()}
    return {**FORGET_OLD, **of_features, **FORGET_LAST}


def _condition_of_ended_before(match_id: Any, before: datetime) -> Any:
    """Returns the SQL condition that the match with this id had ended by then."""
    t = table(tables.Match)
    return exists(select(t.c.id).where(t.c.id == match_id, t.c.status.in_(ENDED), t.c.ended_at <= before))


def _query_of_oldest_rows(t: Table, most: int, *conditions: Any) -> Select[Any]:
    """Returns the query for the ids of up to `most` oldest rows that meet the conditions; never the newest row."""
    newest = select(func.max(t.c.id)).scalar_subquery()
    return select(t.c.id).where(*conditions, t.c.id < newest).order_by(t.c.id).limit(most)
