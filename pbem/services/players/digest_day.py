"""The days of a player's one mail a day: when each is due, and which are past."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.models.tables import OutboxRow, Player
from pbem.services.log.outbox import insert_once

DAY = timedelta(days=1)


def slot(player: Player, day: date) -> datetime:
    """When the player's digest of that day of his is due.

    An hour that the clocks leave out stands for the moment when they are put forward, one that comes twice for its
    first time.
    """
    assert player.digest_hour is not None, "the player has a digest"
    return datetime.combine(day, time(player.digest_hour), ZoneInfo(player.zone)).astimezone(UTC)


def latest_day(player: Player, now: datetime) -> date:
    """The player's day whose digest was due last."""
    day = now.astimezone(ZoneInfo(player.zone)).date()
    while slot(player, day) > now:
        day -= DAY
    return day


def dedupe_of(player_id: int, day: date) -> str:
    """The key of that day's row in the outbox, so that a day has one digest at most."""
    return f"digest:{player_id}:{day.isoformat()}"


def skip_past(session: Session, player: Player, now: datetime) -> None:
    """The hour that has just passed is not meant: the first digest comes when it strikes again."""
    if player.digest_hour is None or player.id is None:
        return
    day = latest_day(player, now)
    row = {"dedupe": dedupe_of(player.id, day), "kind": "digest", "player_id": player.id, "key": day.isoformat()}
    done = {"created_at": now, "due_at": now, "attempts": 0, "done_at": now, "result": "stale"}
    insert_once(session, OutboxRow, {**row, **done})
