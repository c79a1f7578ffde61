"""The days of a player's daily digest: when each is due, and which are past."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Row, String, cast, literal
from sqlmodel import Session

from pbem.models.tables import OutboxRow, Player
from pbem.services.log.outbox import insert_row_unless_key_exists

DAY = timedelta(days=1)


def digest_due_at(player: Player | Row[Any], day: date) -> datetime:
    """Returns when the player's digest of this day, in their time zone, is due.

    An hour skipped by a clock change counts as the moment of the change, a repeated hour as its first occurrence.
    """
    assert player.digest_hour is not None, "the player has a digest"
    return datetime.combine(day, time(player.digest_hour), ZoneInfo(player.zone)).astimezone(UTC)


def latest_digest_day(player: Player | Row[Any], now: datetime) -> date:
    """Returns the day, in the player's time zone, whose digest was due last."""
    day = now.astimezone(ZoneInfo(player.zone)).date()
    while digest_due_at(player, day) > now:
        day -= DAY
    return day


def digest_key(player_id: int, day: date) -> str:
    """Returns the outbox key of that day's digest, so that a day has at most one."""
    return f"digest:{player_id}:{day.isoformat()}"


def digest_key_expression(player_id: ColumnElement[int], day: date) -> ColumnElement[str]:
    """Returns that key for the player of each row."""
    return literal("digest:").concat(cast(player_id, String)).concat(f":{day.isoformat()}")


def skip_past_digest(session: Session, player: Player, now: datetime) -> None:
    """Closes the digest of the hour that has just passed, so that the first digest comes the next time it strikes."""
    if player.digest_hour is None:
        return
    day = latest_digest_day(player, now)
    row = {"dedupe": digest_key(player.id, day), "kind": "digest", "player_id": player.id, "key": day.isoformat()}
    done = {"created_at": now, "due_at": now, "attempts": 0, "done_at": now, "result": "stale"}
    insert_row_unless_key_exists(session, OutboxRow, {**row, **done})
