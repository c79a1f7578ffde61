"""The one mail a week: to whom it goes, and how to do without it.

It is due on Monday morning in its reader's zone, once an ISO week: the week is part of the row's unique key. It goes to
verified players with a season that is open or running, or a circle, unless they want none; all of a zone are queued by
one statement. What it says is read when it leaves, and there is none if there is nothing to say.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, String, cast, exists, literal, select

from pbem.features.circles.circle_letters import query_of_players_with_circle_mails
from pbem.features.leagues.claims import WeeklyClaim
from pbem.features.leagues.news import ENTERED, INVITED, queue_mails_for_query
from pbem.features.leagues.tables import Entrant, Season
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.players.players import player_at_address
from pbem.services.site import Site

MONDAY, FROM_HOUR, TO_HOUR = 0, 7, 19
"""When it is queued: a site that was down in these hours leaves the week out."""

_p, _o, _e, _s = table(Player), table(OutboxRow), table(Entrant), table(Season)


def queue_weekly_mails(site: Site) -> int:
    """Queues the weekly mails that are due; returns their number. Running it twice queues none a second time."""
    now = site.now()
    if all(now.astimezone(ZoneInfo(zone)).weekday() != MONDAY for zone in ("Etc/GMT-14", "Etc/GMT", "Etc/GMT+12")):
        return 0  # it is Monday nowhere
    with site.reading() as session:
        zones = (
            session.execute(select(_p.c.zone).where(*_conditions_to_get_weekly_mail(site)).distinct()).scalars().all()
        )
    weeks: dict[str, list[str]] = {}
    for zone in zones:
        here = now.astimezone(ZoneInfo(zone))
        if here.weekday() == MONDAY and FROM_HOUR <= here.hour < TO_HOUR:
            weeks.setdefault("{}-W{:02}".format(*here.isocalendar()), []).append(zone)
    return sum(_queue_mails_for_zones(site, week, found, now) for week, found in weeks.items())


def _conditions_to_get_weekly_mail(site: Site) -> tuple[ColumnElement[bool], ...]:
    """Returns the conditions of who gets the mail: found by seasons and circles, not among all players."""
    open_to = _e.c.status.in_((ENTERED, INVITED)), _e.c.player_id.is_not(None), _s.c.closed_at.is_(None)
    plays = select(_e.c.player_id).join(_s, _s.c.id == _e.c.season_id).where(*open_to)
    return (
        _p.c.id.in_(plays.union(query_of_players_with_circle_mails(site))),
        _p.c.weekly,
        _p.c.verified_at.is_not(None),
        _p.c.address != "",
    )


def _queue_mails_for_zones(site: Site, week: str, zones: list[str], now: datetime) -> int:
    key, known = literal("week:").concat(cast(_p.c.id, String)).concat(f":{week}"), _o.alias("known")
    found = select(key, _p.c.id, literal(week)).where(_p.c.zone.in_(zones), *_conditions_to_get_weekly_mail(site))
    with site.reading() as session:  # nothing to do, most of the time: no write lock
        missing = found.where(~exists(select(known.c.id).where(known.c.dedupe == key)))
        if session.execute(missing.limit(1)).first() is None:
            return 0
    with site.writing() as work:
        return queue_mails_for_query(work, "week", found.order_by(_p.c.id), now)


def read_language_and_weekly_setting(site: Site, claim: WeeklyClaim) -> tuple[str, bool]:
    """Returns the language of the player of a “no weekly mail” link, and whether they get it. Raises Unauthorized."""
    with site.reading() as session:
        player = player_at_address(site, session, claim.player_id, claim.digest)
        return player.language, player.weekly


def set_weekly_setting(site: Site, claim: WeeklyClaim, wanted: bool) -> None:
    """Turns the weekly mail off or on. Raises Unauthorized."""
    with site.writing() as work:
        player_at_address(site, work, claim.player_id, claim.digest).weekly = wanted
