"""Finds news for webhooks by comparing each match's version with the webhook's cursor, the version it was told up to.

None of this slows down a move. The worker that advances a cursor by a conditional UPDATE also writes its deliveries, in
the same transaction, so this may run twice or in two places at once. The timing and number of calls depend only on the
version of a match, on the time of its entries, and on whom it asks, which everybody at the table may see. As long as
mails are held, so are news: a move can be taken back unnoticed. They wait whether the move can be taken back or not:
anyone who is told sooner would learn what the mover holds. Nothing waits at a match that has ended, at one where fewer
than two people play, or once the mover lets the mails go. If a move is taken back meanwhile, it is told with its
`Undone`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, case, func, insert, literal, or_, select, true, update
from sqlmodel import Session, SQLModel

from pbem.features.webhooks.subjects import subject_of_all_features, subject_of_features
from pbem.features.webhooks.tables import ABOUT, Delivery, Webhook, WebhookCursor
from pbem.models.prepared import Prepared
from pbem.models.tables import AskRow, EntryRow, Match, SeatRow, table
from pbem.services import statements
from pbem.services.log import deals
from pbem.services.log.outbox import dialect_name, insert_row_unless_key_exists
from pbem.services.log.store import UNDONE
from pbem.services.shards import ALL, Shard
from pbem.services.site import Reading, Site, Work

Call = dict[str, Any]
"""The columns of a delivery that say what it is about."""
SOME = 200
"""The maximum number of cursors of each sort, players' and the host's, that are advanced in one run."""

_h, _k, _d = table(Webhook), table(WebhookCursor), table(Delivery)
_m, _s, _a, _e = table(Match), table(SeatRow), table(AskRow), table(EntryRow)

ENDED = ("over", "cancelled")

_p = table(SeatRow).alias("people")

ended = _m.c.status.in_(ENDED)
_few = select(func.count()).where(_p.c.match_id == _m.c.id, _p.c.bot.is_(None)).correlate(_m).scalar_subquery() < 2
_let_go = (
    select(func.max(_a.c.last_n))
    .where(_a.c.match_id == _m.c.id, _a.c.told_at.is_not(None), _a.c.closed_by != UNDONE)
    .correlate(_m)
    .scalar_subquery()
)


_told = func.coalesce(_k.c.n, 0)
_first_held = (
    select(func.min(_e.c.n))
    .where(
        _e.c.match_id == _m.c.id, _e.c.n > _told, _e.c.n > func.coalesce(_let_go, 0),
        _e.c.at > bindparam("held_since", type_=_e.c.at.type),
    )
    .correlate(_m, _k)
    .scalar_subquery()
)  # fmt: skip
_tellable = case((or_(ended, _m.c.untimed, _few), _m.c.version), else_=func.coalesce(_first_held - 1, _m.c.version))
"""The version up to which a webhook may be told now, but for take-backs."""


@dataclass(frozen=True)
class News:
    """A match with news that a webhook has not been told yet."""

    hook: int
    player: int | None
    kinds: tuple[str, ...]
    preset: str
    match: str
    version: int
    """Up to where it may be told now."""
    ended: bool
    undone: int
    told: int | None
    told_end: bool


_sits = and_(_s.c.status == "accepted", _s.c.bot.is_(None))
_told_end = func.coalesce(_k.c.over, False)
_mark = and_(_k.c.webhook_id == _h.c.id, _k.c.match_id == _m.c.id)
_new = (
    _h.c.disabled_at.is_(None),
    or_(_h.c.match_id.is_(None), _h.c.match_id == _m.c.id),
    or_(
        # The first follows from the second, and costs nothing.
        and_(_m.c.version > _told, _tellable > _told),
        and_(ended, _told_end.is_not(true())),
    ),
)
_columns = (
    _h.c.id, _h.c.player_id, _h.c.kinds, _h.c.preset, _m.c.id, _tellable.label("version"), ended.label("ended"),
    _m.c.undone, _k.c.n, _told_end.label("told_end"),
)  # fmt: skip
_PLAYERS = (
    select(*_columns)
    .select_from(
        _h.join(_s, and_(_s.c.player_id == _h.c.player_id, _sits))
        .join(_m, _m.c.id == _s.c.match_id)
        .outerjoin(_k, _mark)
    )
    .where(*_new, _h.c[ABOUT].is_(None))
    .distinct()  # a player may have two seats
    .limit(SOME)
)
_HOSTS = (
    select(*_columns)
    .select_from(
        _h.join(_m, and_(_h.c.player_id.is_(None), _m.c.spectators, deals.condition_of_unsealed())).outerjoin(_k, _mark)
    )
    .where(*_new)
    .limit(SOME)
)
_ANY = Prepared(select(_h.c.id).where(_h.c.disabled_at.is_(None)).limit(1))


def has_active_webhooks(site: Site) -> bool:
    """Returns whether there is a webhook that is called: most sites have none."""
    with site.one_statement() as connection:
        return bool(_ANY.send(connection, {}).rows())


def queue_calls_for_new_events(site: Site, shard: Shard = ALL) -> int:
    """Queues calls for new events; returns the number of cursors advanced.

    The cursors of what features make webhooks about are advanced with the first shard.
    """
    mine = shard.match_conditions(_m.c.id)
    with site.reading() as session:
        since = {"held_since": site.now() - timedelta(seconds=site.config.mail_hold_s)}
        rows = [*session.execute(_PLAYERS.where(*mine), since), *session.execute(_HOSTS.where(*mine), since)]
        all_news = [News(row[0], row[1], tuple(row[2].split()), *row[3:]) for row in rows]
        for at, news in enumerate(all_news):
            if news.undone:  # a move may have been taken back while it was held, and that itself be held
                version = last_version_to_tell(session, news.match, news.told or 0, news.version)
                all_news[at] = replace(news, version=version)
    other = subject_of_features(site.config.features) if shard.number == 0 else None
    moved = other.sweep(site) if other is not None else 0
    for news in all_news:
        if news.version <= (news.told or 0) and not (news.ended and not news.told_end):
            continue
        key = {"webhook_id": news.hook, "match_id": news.match}
        found = None if news.told is None else {"n": news.told, "over": news.told_end}
        to = {"n": news.version, "over": news.ended}
        with site.writing() as work:
            moved += advance_cursor(work, WebhookCursor, key, found, to, partial(_calls_for_news, news), site.now())
    return moved


def advance_cursor(
    work: Work, cursor: type[SQLModel], key: Mapping[str, Any], found: Mapping[str, Any] | None, to: Mapping[str, Any],
    calls: Callable[[Session], Iterator[Call]], now: datetime,
) -> bool:  # fmt: skip
    """Advances a webhook's cursor and queues these calls, if it is still where it was found; returns True if it was.

    `key` is that of the cursor's row, with `webhook_id`; `found` (None: there was no row) and `to` are its other
    columns. The calls come after those already waiting; each is known by its `dedupe`.
    """
    hook = work.get(Webhook, key["webhook_id"], with_for_update=True)
    if hook is None or hook.disabled_at is not None:  # removed or disabled since it was read
        return False
    if found is None:
        moved = insert_row_unless_key_exists(work, cursor, {**key, **to})
    else:
        t = table(cursor)
        as_found = [t.c[name] == value for name, value in {**key, **found}.items()]
        moved = work.connection().execute(update(t).where(*as_found).values(to)).rowcount == 1
    common = {
        "webhook_id": hook.id, "seat": None, "key": None, "created_at": now,
        "due_at": max(now, hook.wait_until or now), "attempts": 0,
    }  # fmt: skip
    rows = [common | call for call in calls(work)] if moved else []
    if rows:
        work.connection().execute(statements.insert_unless_exists_statement(dialect_name(work), Delivery), rows)
    return moved


def start_cursors(session: Session, hook: Webhook) -> None:
    """Sets the cursors of all the webhook's matches to their current version, so that it only gets later events.

    The feature that a webhook is about sets them there. Runs in the caller's transaction.
    """
    if hook.about is not None:
        if (other := subject_of_all_features()) is not None:
            other.start_cursors(session, hook)
        return
    sat_at = select(_s.c.match_id).where(_s.c.player_id == hook.player_id, _sits)
    mine = [and_(_m.c.spectators, deals.condition_of_unsealed()) if hook.player_id is None else _m.c.id.in_(sat_at)]
    if hook.match_id is not None:
        mine.append(_m.c.id == hook.match_id)
    now = select(literal(hook.id), _m.c.id, _m.c.version, ended).where(*mine)
    session.flush()
    session.connection().execute(insert(_k).from_select(["webhook_id", "match_id", "n", "over"], now))


def _calls_for_news(news: News, session: Session) -> Iterator[Call]:
    told, about = news.told or 0, f"{news.hook}:{news.match}"
    this = {"match_id": news.match, "after_n": told, "n": news.version}
    if "moved" in news.kinds and news.version > told:
        yield this | {"kind": "moved", "dedupe": f"{about}:moved:{news.version}"}
    if "your_turn" in news.kinds and news.player is not None:
        for seat, key in session.connection().execute(_query_of_new_asks(news, told)).all():
            yield this | {"kind": "your_turn", "dedupe": f"{about}:asked:{seat}:{key}", "seat": seat, "key": key}
    if "over" in news.kinds and news.ended and not news.told_end:
        yield this | {"kind": "over", "dedupe": f"{about}:over"}


def _query_of_new_asks(news: News, told: int) -> Any:
    """Returns the query for new open asks to the webhook's player; for a chat, one ask for each stretch of theirs.

    A chat is read by the whole table, which must not learn who has answered in a silent window: it names all.
    """
    asked = (
        select(_a.c.seat, _a.c.key)
        .join(_s, and_(_s.c.match_id == _a.c.match_id, _s.c.seat == _a.c.seat))
        .where(
            _a.c.match_id == news.match, _a.c.closed_at.is_(None), _a.c.opened_n > told,
            _a.c.opened_n <= news.version, _s.c.player_id == news.player, _sits,
        )
        .order_by(_a.c.seat)
    )  # fmt: skip
    return asked.where(_a.c.sealed_at.is_(None) if news.preset == "standard" else _a.c.key == _a.c.origin)


def last_version_to_tell(session: Reading, match_id: str, told: int, version: int) -> int:
    """Returns the version up to which the match may be told, at most this one, so that no move goes without its end.

    A move that was taken back while it was held is told only together with the take-back.
    """
    taken_back = and_(_e.c.match_id == match_id, _e.c.n > told, _e.c.key.is_(None), _e.c.event.contains('"Undone"'))
    for n, event in session.execute(select(_e.c.n, _e.c.event).where(taken_back).order_by(_e.c.n.desc())):
        said = msgspec.json.decode(event)
        if said.get("type") == "Undone" and said["to"] < version < n:
            version = said["to"]
    return version
