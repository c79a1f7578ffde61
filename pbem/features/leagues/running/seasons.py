"""The sweep over seasons: each goes from open over starting and running to closed by its `due_at`.

1. A season whose `due_at` has passed is claimed by a conditional UPDATE that puts it off by a lease: of two workers one
   has it, and after a crash it is due again when the lease ends.
2. open: entrants get their divisions, or the season is called off if there are too few.
3. starting: its matches are made in slices, as long as this process may go on; then it runs until its date.
4. running: matches that share a deal are called off in slices, then it is closed. A match that has just ended may have
   to be tallied first: then it is due again a minute later, for an hour at most.

Each step looks at the season again under its lock, so a step that is done twice changes nothing.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import select, update

from pbem.errors import GameUnavailable
from pbem.features.leagues import founding, lookups
from pbem.features.leagues.running import closing, starting
from pbem.features.leagues.tables import Season
from pbem.models.tables import table
from pbem.services.site import Site
from pbem.services.who import HOST

AT_ONCE = 100
"""How many seasons one run looks at."""
GAME_WAIT = timedelta(minutes=10)
"""How long a season waits whose game is unavailable."""

_s = table(Season)
log = structlog.get_logger()


def sweep_seasons(site: Site) -> int:
    """Does what is due for seasons; returns the number of steps done. Safe to run twice or in two places at once."""
    done = 0
    now = site.now()
    with site.reading() as session:
        due = session.execute(
            select(_s.c.id, _s.c.status, _s.c.due_at)
            .where(_s.c.closed_at.is_(None), _s.c.due_at <= now)
            .order_by(_s.c.due_at, _s.c.id)
            .limit(AT_ONCE)
        ).all()
    for season_id, status, due_at in due:
        if site.stopping():
            break
        with site.writing() as work:
            same = (_s.c.id == season_id, _s.c.status == status, _s.c.due_at == due_at, _s.c.closed_at.is_(None))
            take = update(_s).where(*same).values(due_at=site.now() + closing.LEASE)
            claimed = work.connection().execute(take).rowcount
        if claimed:
            try:
                _advance(site, season_id, status, due_at)
            except GameUnavailable:
                _put_off(site, season_id, GAME_WAIT)
                continue
            done += 1
    return done


def _advance(site: Site, season_id: str, status: str, due_at: datetime) -> None:
    if status == "open":
        if not _begin(site, season_id):
            return
        status = "starting"
    if status == "starting":
        _start(site, season_id)
    elif not closing.close_season(site, HOST, season_id, first=_ends_at(site, season_id) == due_at):
        _put_off(site, season_id, timedelta() if site.stopping() else closing.TALLY_WAIT)


def _ends_at(site: Site, season_id: str) -> datetime:
    with site.reading() as session:
        return lookups.season_of(session, season_id).ends_at


def _begin(site: Site, season_id: str) -> bool:
    """Gives the entrants their divisions, or calls the season off; returns whether matches are to be made."""
    with site.writing() as work:
        lookups.hold_everybody(work, lookups.season_of(work, season_id).league_id)
        season = lookups.lock_season(work, season_id)
        if season.status != "open":
            return False
        if season.starts_at > site.now():  # its organiser has put it off since it was claimed
            season.due_at = season.starts_at
            return False
        league = lookups.league_of(work, season.league_id)
        playing = starting.place_entrants(site, work, league, season)
        log.info("season.begins", season=season_id, entrants=playing)
        if not playing:
            founding.cancel(site, work, season)
            return False
        season.status = "starting"
        work.add(season)
    return True


def _start(site: Site, season_id: str) -> None:
    if not starting.make_matches(site, season_id, starting.pairings_of(site, season_id)):
        _put_off(site, season_id, timedelta())
        return
    with site.writing() as work:
        lookups.hold_entrants(work, season_id)
        season = lookups.lock_season(work, season_id)
        if season.status == "starting":
            starting.begin_running(site, work, season)


def _put_off(site: Site, season_id: str, wait: timedelta) -> None:
    with site.writing() as work:
        season = lookups.lock_season(work, season_id)
        if season.closed_at is None:
            season.due_at = site.now() + wait
