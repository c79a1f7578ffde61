"""Alarms that stand in the database: any process may raise or end one, and the one that did logs it.

The rows are among the moments of `Heartbeat`. Names of others there: `heartbeats.SWEEP` and `WEB`, `canary.SENT`,
`RETURNED` and `PASTED`, `judging.SEVERAL`, `storage.SECRET_MARK`, `database_time.MARK`, `talk.SWEPT`, `keeping.WALK`.

Mails whose picture cannot be drawn leave without it, so nobody else would tell the host:

1. A mail that left with its board in words for a fault, or without the cover, raises the alarm of its game.
2. If not even the board of a match that has just begun could be drawn, it ends within a minute of when that can be
   drawn: `end_picture_alarms_without_reason` tries.
3. Else certain positions cannot be drawn, or the cover of the game, of which the boards of others say nothing: it ends
   after a day without another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, delete, or_, select

from pbem.errors import Busy
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Scene
from pbem.kit.play import Table
from pbem.kit.texts import LANGS
from pbem.mail import compose
from pbem.models.clocks import NAME_MOST, Heartbeat
from pbem.models.tables import table
from pbem.render.pictures import error_kind_and_place
from pbem.services.log import outbox
from pbem.services.site import Site, Work

LATE, UNRENDERED, SPENT = "late mail", "unrendered", "site quota"
"""Mails wait too long, or cannot be rendered; the site's quota of mails is spent."""
UNSENT = "unsent"
"""A mail was given up for a fault that is not its reader's."""
UNDRAWN, _ALL, _SOME = "undrawn:", "all:", "some:"
"""How the names of those begin that concern pictures, and go on: no board of the game can be drawn, or some cannot;
then the game."""
QUIET = timedelta(days=1)
"""After this time without another, a mail that was given up and what could not be drawn are history."""

log = structlog.get_logger()
_t = table(Heartbeat)


def standing_alarms(connection: Connection) -> dict[str, datetime]:
    """Returns the alarms that stand, the oldest first, with the moments since when."""
    ours = or_(_t.c.name.in_((LATE, UNRENDERED, SPENT, UNSENT)), _t.c.name.startswith(UNDRAWN))
    return {row.name: row.at for row in connection.execute(select(_t.c.name, _t.c.at).where(ours).order_by(_t.c.at))}


def raise_alarm(site: Site, name: str, now: datetime) -> bool:
    """Raises the alarm; returns True if it was not raised before, here or by another process."""
    with site.writing() as work:
        return outbox.insert_row_unless_key_exists(work, Heartbeat, {"name": name, "at": now})


def raise_or_renew_alarm(site: Site, name: str, now: datetime) -> None:
    """Raises the alarm, or moves it to this moment if it stands."""
    with site.writing() as work:
        raise_or_renew_alarm_within(work, name, now)


def raise_or_renew_alarm_within(work: Work, name: str, now: datetime, others: Collection[str] = ()) -> None:
    """Does the same in an open transaction; ends those of `others` that stand, which it takes the place of."""
    work.connection().execute(delete(_t).where(_t.c.name.in_((name, *others)), _t.c.at <= now))
    outbox.insert_row_unless_key_exists(work, Heartbeat, {"name": name, "at": now})


def end_alarms(site: Site, names: Collection[str]) -> bool:
    """Ends these alarms; returns True if one of them stood and no other process ended it."""
    with site.writing() as work:
        return work.connection().execute(delete(_t).where(_t.c.name.in_(names))).rowcount > 0


@dataclass(frozen=True)
class Alarm:
    """Mails about a game leave without their picture, the last one `at` this moment. `game` is None if it is gone."""

    name: str
    game: AnyGame | None
    at: datetime

    @property
    def game_title(self) -> str:
        """The game's title in English."""
        return self.game.meta.title["en"] if self.game is not None else "a game that is gone"


def picture_alarms(connection: Connection) -> Sequence[Alarm]:
    """Returns the alarms that stand, the oldest first."""
    return _picture_alarms_among(standing_alarms(connection))


def _picture_alarms_among(standing: Mapping[str, datetime]) -> Sequence[Alarm]:
    games = {name: game for slug, game in all_games().items() for name in _names_of_picture_alarms(slug)}
    return [Alarm(name, games.get(name), at) for name, at in standing.items() if name.startswith(UNDRAWN)]


def raise_picture_alarm(site: Site, game: AnyGame, row: int, fault: str) -> None:
    """Logs that the mail of this row left without its picture, and raises the alarm of its game."""
    slug, now = game.meta.slug, site.now()
    log.error("mail.undrawn", row=row, game=slug, fault=fault)
    with site.reading() as session:
        standing = [
            one.name for one in picture_alarms(session.connection()) if one.name in _names_of_picture_alarms(slug)
        ]
    kind = (
        standing[0]
        if standing
        else _names_of_picture_alarms(slug)[0 if why_first_board_cannot_be_drawn(game, now) else 1]
    )
    try:
        with site.writing() as work:
            # What another process has written meanwhile is as good.
            raise_or_renew_alarm_within(work, kind, now, _names_of_picture_alarms(slug))
            work.count("undrawn", slug)
    except Busy:
        log.info("mail.undrawn_untold", row=row)  # the next one tells


def end_picture_alarms_without_reason(site: Site, standing: Mapping[str, datetime]) -> None:
    """Ends those of the standing alarms whose reason is gone. Safe to run twice or in two places."""
    now = site.now()
    for alarm in _picture_alarms_among(standing):
        over = (
            alarm.game is None
            or now - alarm.at > QUIET
            or (alarm.name.startswith(UNDRAWN + _ALL) and why_first_board_cannot_be_drawn(alarm.game, now) is None)
        )
        if over and end_alarms(site, (alarm.name,)):
            log.warning("mail.drawn", game=alarm.game.meta.slug if alarm.game is not None else "")


def why_first_board_cannot_be_drawn(game: AnyGame, now: datetime) -> str | None:
    """Returns why the board of a match that has just begun cannot be drawn for a mail; None if it can."""
    try:
        begun = Table(game, game.meta.seats[0], game.meta.options(), bytes(32))
        # With a name that no board has had: it must be drawn, not found in the cache. Names too many do no harm.
        names = (now.isoformat(), *"BCDEFGHIJ")
        compose.draw_board(game, game.draw(begun.folds[0], 0, LANGS[0], Scene()), names)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is returned
        return error_kind_and_place(error)
    return None


def _names_of_picture_alarms(slug: str) -> tuple[str, str]:
    return f"{UNDRAWN}{_ALL}{slug}"[:NAME_MOST], f"{UNDRAWN}{_SOME}{slug}"[:NAME_MOST]
