"""How far behind the service is, for metrics, the alarm and `pbem doctor`."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, case, false, func, not_, or_, select

from pbem.games import all_games, find_game, slow_bots
from pbem.models.tables import AskRow, Match, OutboxRow, Player, table
from pbem.services.calendar import heartbeats
from pbem.services.findings import Due, count_due, due_with_age_of_oldest
from pbem.services.log.archiving import AFTER
from pbem.services.play import timeouts
from pbem.services.play.stand_ins import BOT_PATIENCE

ARCHIVE_LATE = timedelta(days=1)
"""How long a match may wait to be archived before something must be wrong with it, or with the worker."""
TALLY_LATE_S = 3600
"""How long a match that is over may be without results before something must be wrong."""


def mails_due_by_kind(connection: Connection, now: datetime) -> dict[str, Due]:
    """Returns the mails that should have left by now, by kind. Reads as many rows as are due."""
    t = table(OutboxRow)
    late = select(t.c.kind, func.count(), func.min(t.c.due_at)).where(t.c.done_at.is_(None), t.c.due_at <= now)
    return {
        kind: due_with_age_of_oldest(count, oldest, now)
        for kind, count, oldest in connection.execute(late.group_by(t.c.kind))
    }


def combine_due_of_kinds(kinds: Mapping[str, Due]) -> Due:
    """Returns all kinds combined: their number, and the age of the oldest."""
    return Due(sum(due.count for due in kinds.values()), max((due.age_s for due in kinds.values()), default=0.0))


def count_mails_unrendered(connection: Connection, now: datetime) -> Due:
    """Returns how many mails cannot be rendered because of a bug, and the age of the first such failure."""
    t = table(OutboxRow)
    since = t.c.unrendered_since
    return count_due(connection, now, since, t.c.done_at.is_(None), since.is_not(None))


def count_mails_refused(connection: Connection, now: datetime) -> dict[str, int]:
    """Returns the day's mails deferred or refused for no fault of their address, by answer. Reads the whole outbox."""
    t = table(OutboxRow)
    given_up = t.c.result.in_(("rejected", "unsendable")) & (t.c.done_at > now - timedelta(days=1))
    waiting = t.c.done_at.is_(None) & t.c.answer.is_not(None) & (t.c.due_at <= now)
    found = select(t.c.answer, func.count()).where(given_up | waiting).group_by(t.c.answer)
    return {answer or "-": count for answer, count in connection.execute(found)}


def count_bouncing(connection: Connection) -> int:
    """Returns the number of players whose address bounces."""
    t = table(Player)
    return int(connection.execute(select(func.count()).where(t.c.bounced_at.is_not(None))).scalar_one())


def asks_due(connection: Connection, now: datetime) -> Due:
    """Returns the asks of running matches that the clock should have answered, and windows that should be closed.

    Also those at which nobody has looked whether an order answers, though the sweep has had its time. What the clock
    leaves to a bot that thinks is late only once that has had its time.
    """
    t = table(AskRow)
    thinks, until = t.c.bot.in_(slow_bots()), t.c.claimed_until
    left = and_(thinks, or_(t.c.acts_at > now - BOT_PATIENCE, until >= now))
    acts = and_(t.c.acts_at <= now, t.c.sealed_at.is_(None), not_(func.coalesce(left, false())))
    missed = t.c.follow_at <= now - timeouts.ORDER_PATIENCE
    since = func.coalesce(t.c.closes_at, case((and_(thinks, until.is_not(None)), until), else_=t.c.acts_at))
    return _overdue_asks(
        connection, now, case((missed, t.c.follow_at), else_=since), or_(acts, t.c.closes_at <= now, missed)
    )


def bot_asks_due(connection: Connection, now: datetime) -> Due:
    """Returns the asks to bots that no worker has tried yet; those that were tried may have to wait in a race.

    An ask that the clock has handed over to a bot is in `asks_due`, once the bot has had its time.
    """
    t = table(AskRow)
    return _overdue_asks(
        connection, now, t.c.opened_at, t.c.bot.is_not(None), t.c.sealed_at.is_(None), t.c.claimed_until.is_(None)
    )


def lapses_due(connection: Connection, now: datetime) -> Due:
    """Returns the matches that should have been cancelled: not confirmed, filled or resumed in time.

    Matches in progress or ended have no such date. Those whose game is unavailable stand still and are left out.
    """
    t = table(Match)
    return count_due(connection, now, t.c.lapses_at, t.c.lapses_at <= now, t.c.game.in_([*all_games()]))


def archives_due(connection: Connection, now: datetime) -> Due:
    """Returns the matches that should have been archived a day ago and were not, by when each could have been."""
    m = table(Match)
    late = (m.c.status == "over", m.c.archived_at.is_(None), m.c.ended_at <= now - AFTER - ARCHIVE_LATE)
    due = count_due(connection, now, m.c.ended_at, *late)
    return Due(due.count, max(0.0, due.age_s - AFTER.total_seconds()))


def tallies_due(connection: Connection, now: datetime) -> Due:
    """Returns the matches that are over and whose results are not written down yet, by when they ended."""
    m = table(Match)
    late = (m.c.status == "over", m.c.tallied_at.is_(None), m.c.ended_at <= now)
    return count_due(connection, now, m.c.ended_at, *late)


def ages_of_silent_heartbeats(connection: Connection, now: datetime) -> dict[str, float]:
    """Returns how long ago the heartbeats that have stopped, sweep or web, were last seen; no clock moves then."""
    return {name: (now - at).total_seconds() for name, at in heartbeats.silent_heartbeats(connection, now).items()}


def count_matches_held(connection: Connection) -> dict[str, int]:
    """Returns the number of matches that stand still because their game is unavailable, by its slug."""
    found: dict[str, int] = {}
    for (slug, _), count in live_counts_by_game_status(connection).items():
        if find_game(slug) is None:
            found[slug] = found.get(slug, 0) + count
    return found


def live_counts_by_game_status(connection: Connection) -> dict[tuple[str, str], int]:
    """Returns the number of matches that are not over, by game and status."""
    t = table(Match)
    live = t.c.status.in_(("unconfirmed", "inviting", "running", "paused"))
    rows = connection.execute(select(t.c.game, t.c.status, func.count()).where(live).group_by(t.c.game, t.c.status))
    return {(game, status): count for game, status, count in rows}


def _overdue_asks(connection: Connection, now: datetime, since: Any, *wanted: Any) -> Due:
    t, m = table(AskRow), table(Match)
    running = (t.c.match_id == m.c.id, m.c.status == "running", m.c.game.in_([*all_games()]))
    return count_due(connection, now, since, t.c.closed_at.is_(None), *running, *wanted)
