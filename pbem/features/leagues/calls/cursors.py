"""Finds news of leagues for webhooks by comparing each season with the webhook's cursor: its results and its status.

As with matches, the worker that advances a cursor by a conditional UPDATE also writes its deliveries, in the same
transaction, so this may run twice or in two places at once. What a season's results tell is public once they have a
number: see `pbem.features.leagues.scores.feed`.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, insert, literal, or_, select, update
from sqlmodel import Session

from pbem.features.leagues.tables import League, Season, SeasonCursor, SeasonMatch
from pbem.features.webhooks.tables import ABOUT, Delivery, Webhook
from pbem.models.tables import table
from pbem.services import statements
from pbem.services.log.outbox import dialect, insert_once
from pbem.services.site import Site

SOME = 200
"""The maximum number of cursors that are advanced in one run, and of results by which one is advanced at a time."""
IN_BETWEEN = "starting"
"""A status that nobody is told of: the matches of the season are being made."""

_h, _k, _d = table(Webhook), table(SeasonCursor), table(Delivery)
_l, _s, _sm = table(League), table(Season), table(SeasonMatch)


class News(NamedTuple):
    """A season with news that a league's webhook has not been told yet."""

    hook: int
    kinds: str
    season: str
    results: int
    status: str
    told: int | None
    """How many results it was told; None: it was told nothing of the season."""
    told_status: str | None


_told = func.coalesce(_k.c.results, 0)
_NEWS = (
    select(_h.c.id, _h.c.kinds, _s.c.id, _s.c.results, _s.c.status, _k.c.results, _k.c.status)
    .select_from(
        _h.join(_l, and_(_l.c.id == _h.c[ABOUT], _l.c.owner_id == _h.c.player_id))
        .join(_s, _s.c.league_id == _l.c.id)
        .outerjoin(_k, and_(_k.c.webhook_id == _h.c.id, _k.c.season_id == _s.c.id))
    )
    .where(
        _h.c.disabled_at.is_(None),
        or_(
            _s.c.results > _told,
            and_(_s.c.status != IN_BETWEEN, or_(_k.c.status.is_(None), _k.c.status != _s.c.status)),
        ),
    )
    .order_by(_h.c.id, _s.c.number)
    .limit(SOME)
)


def sweep_seasons(site: Site) -> int:
    """Queues calls for news of seasons; returns the number of cursors advanced."""
    with site.one_statement() as connection:
        found = [News(*row) for row in connection.execute(_NEWS)]
    moved = 0
    for news in found:
        with site.writing() as work:
            hook = work.get(Webhook, news.hook, with_for_update=True)
            if hook is None or hook.disabled_at is not None:  # removed or disabled since it was read
                continue
            up_to = min(news.results, (news.told or 0) + SOME)
            status = news.status if up_to == news.results else news.told_status or IN_BETWEEN
            if _move_cursor(work, news, up_to, status):
                now = site.now()
                _queue(work, news, up_to, status, now, max(now, hook.wait_until or now))
                moved += 1
    return moved


def start_cursors(session: Session, hook: Webhook) -> None:
    """Sets the webhook's cursors in all seasons of its league to how they stand, so that it only gets later news."""
    session.flush()
    now = select(literal(hook.id), _s.c.id, _s.c.results, _s.c.status).where(_s.c.league_id == hook.about)
    columns = ["webhook_id", "season_id", "results", "status"]
    session.connection().execute(insert(_k).from_select(columns, now))


def _move_cursor(session: Session, news: News, results: int, status: str) -> bool:
    """Advances the cursor if it is still where it was found; returns True if it did."""
    this = {"webhook_id": news.hook, "season_id": news.season}
    if news.told is None:
        return insert_once(session, SeasonCursor, {**this, "results": results, "status": status})
    found = (
        _k.c.webhook_id == news.hook, _k.c.season_id == news.season,
        _k.c.results == news.told, _k.c.status == news.told_status,
    )  # fmt: skip
    moved = update(_k).where(*found).values(results=results, status=status)
    return session.connection().execute(moved).rowcount == 1


def _queue(session: Session, news: News, up_to: int, status: str, now: datetime, due: datetime) -> None:
    """Queues a call for each new result, and one for the status if it has changed, after those already waiting."""
    kinds, common = news.kinds.split(), {"webhook_id": news.hook, "created_at": now, "due_at": due, "attempts": 0}
    calls: list[dict[str, Any]] = []
    if "over" in kinds:
        calls += [
            {"dedupe": f"{news.hook}:{match_id}:over", "kind": "over", "match_id": match_id, "key": None, "n": number}
            for match_id, number in session.execute(_results(news, up_to))
        ]
    if "season" in kinds and status not in (news.told_status, IN_BETWEEN):
        key = f"{news.season}.{status}"
        dedupe = f"{news.hook}:season:{key}"
        calls.append({"dedupe": dedupe, "kind": "season", "match_id": None, "key": key, "n": 0})
    if calls:
        rows = [common | call | {"after_n": 0} for call in calls]
        session.connection().execute(statements.insertion(dialect(session), Delivery), rows)


def _results(news: News, up_to: int) -> Any:
    return (
        select(_sm.c.match_id, _sm.c.result_no)
        .where(_sm.c.season_id == news.season, _sm.c.result_no > (news.told or 0), _sm.c.result_no <= up_to)
        .order_by(_sm.c.result_no)
    )
