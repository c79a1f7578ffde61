"""The one mail a week: to whom it goes, and how to do without it.

It is due on Monday morning in its reader's zone, once an ISO week: the week is part of the row's unique key. It goes to
verified players with a season that is open or running, or a circle, unless they want none; all of a zone are queued by
one statement. What it says is read when it leaves, and there is none if there is nothing to say.
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, String, and_, cast, exists, literal, or_, select
from sqlmodel import Session, col

from pbem.features.circles.rows import belongs
from pbem.features.circles.scores import GameScores, is_told
from pbem.features.leagues.claims import WeeklyClaim
from pbem.features.leagues.news import ENTERED, INVITED, queue_found
from pbem.features.leagues.scores.standings import Division, divisions_of
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.players.players import player_at
from pbem.services.site import Site

MONDAY, FROM_HOUR, TO_HOUR = 0, 7, 19
"""When it is queued: a site that was down in these hours leaves the week out."""

_p, _o, _e, _s = table(Player), table(OutboxRow), table(Entrant), table(Season)
_plays = exists(
    select(_e.c.id)
    .join(_s, _s.c.id == _e.c.season_id)
    .where(_e.c.player_id == _p.c.id, _e.c.status.in_((ENTERED, INVITED)), _s.c.closed_at.is_(None))
)
_member_of_its_circle = belongs(_e.c.player_id, table(League).c.circle_id)
"""A player who has left the circle does not enter its seasons."""


def _wants(site: Site) -> ColumnElement[bool]:
    """Returns the condition that a player gets the mail."""
    own = or_(_plays, is_told(site, _p.c.id))
    return and_(_p.c.weekly, _p.c.verified_at.is_not(None), _p.c.address != "", own)


def queue_weeks(site: Site) -> int:
    """Queues the weekly mails that are due; returns their number. Running it twice queues none a second time."""
    now = site.now()
    if not _may_be_monday(now):
        return 0
    with site.reading() as session:
        zones = session.execute(select(_p.c.zone).where(_p.c.weekly).distinct()).scalars().all()
    weeks: dict[str, list[str]] = {}
    for zone in zones:
        here = now.astimezone(ZoneInfo(zone))
        if here.weekday() == MONDAY and FROM_HOUR <= here.hour < TO_HOUR:
            weeks.setdefault("{}-W{:02}".format(*here.isocalendar()), []).append(zone)
    return sum(_queue(site, week, found, now) for week, found in weeks.items())


def _may_be_monday(now: datetime) -> bool:
    return now.astimezone(ZoneInfo("Etc/GMT-14")).weekday() == MONDAY or now.weekday() == MONDAY or (
        now.astimezone(ZoneInfo("Etc/GMT+12")).weekday() == MONDAY
    )  # fmt: skip


def _queue(site: Site, week: str, zones: list[str], now: datetime) -> int:
    key, known = literal("week:").concat(cast(_p.c.id, String)).concat(f":{week}"), _o.alias("known")
    found = select(key, _p.c.id, literal(week)).where(_p.c.zone.in_(zones), _wants(site))
    with site.reading() as session:  # nothing to do, most of the time: no write lock
        missing = found.where(~exists(select(known.c.id).where(known.c.dedupe == key)))
        if session.execute(missing.limit(1)).first() is None:
            return 0
    with site.writing() as work:
        return queue_found(work, "week", found.order_by(_p.c.id), now)


@dataclass(frozen=True)
class SeasonNow:
    """How a player stands in a season, or that they are asked to enter it; `place` is None before it has begun."""

    season_id: str
    entrant_id: int
    league: str
    number: int
    asked: bool
    place: int | None
    of: int
    points: float | None
    played: int
    matches: int
    at: datetime
    """When it begins, or ends once it has begun."""


class Tables:
    """The standings that the weekly mails of one run have asked for: each is read once, for its first reader.

    A reader who is told them later in the same run, within seconds, is told the same.
    """

    def __init__(self) -> None:
        self._divisions: dict[tuple[str, str, int], Division] = {}
        self.circles: dict[str, tuple[GameScores, ...]] = {}

    def division(self, session: Session, season: Season, number: int) -> Division:
        """Returns the table of a division."""
        key = (season.id, season.status, number)
        if key not in self._divisions:
            (self._divisions[key],) = divisions_of(session, season, number)
        return self._divisions[key]


def seasons_of(session: Session, player_id: int, tables: Tables) -> list[SeasonNow]:
    """Returns the player's seasons that are open or running, those that end first before the others."""
    found = session.execute(
        select(Entrant, Season, League)
        .join(Season, col(Season.id) == col(Entrant.season_id))
        .join(League, col(League.id) == col(Season.league_id))
        .where(col(Entrant.player_id) == player_id, col(Season.closed_at).is_(None))
        .where(col(Entrant.status).in_((ENTERED, INVITED)))
        .where(or_(col(Season.status) != "open", col(League.circle_id).is_(None), _member_of_its_circle))
        .order_by(col(Season.ends_at), col(Season.id))
    ).all()
    return [
        _season(session, tables, *row)
        for row in found
        if row[0].status == ENTERED or (row[1].status == "open" and row[1].number > 1)
    ]


def _season(session: Session, tables: Tables, entrant: Entrant, season: Season, league: League) -> SeasonNow:
    asked = entrant.status == INVITED
    if entrant.division is None or asked:
        begins = season.starts_at
        return SeasonNow(season.id, entrant.id or 0, league.name, season.number, asked, None, 0, None, 0, 0, begins)
    division = tables.division(session, season, entrant.division)
    row = next(one for one in division.rows if one.entrant_id == entrant.id)
    return SeasonNow(
        season.id, row.entrant_id, league.name, season.number, False, row.place, len(division.rows), row.points,
        row.played, row.matches, season.ends_at,
    )  # fmt: skip


def read_weekly(site: Site, claim: WeeklyClaim) -> tuple[str, bool]:
    """Returns the language of the player of a “no weekly mail” link, and whether they get it. Raises Unauthorized."""
    with site.reading() as session:
        player = player_at(site, session, claim.player_id, claim.digest)
        return player.language, player.weekly


def set_weekly(site: Site, claim: WeeklyClaim, wanted: bool) -> None:
    """Turns the weekly mail off or on. Raises Unauthorized."""
    with site.writing() as work:
        player_at(site, work, claim.player_id, claim.digest).weekly = wanted
