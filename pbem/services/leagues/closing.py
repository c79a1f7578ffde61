"""Closes a season on its date, with what there is: unfinished matches count by the rule stated before its start.

They go on as ordinary matches; nobody waits for them. Everything is read in a few statements and written in one
transaction, however many play.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, update

from pbem.kit.leagues.standings import Line, moves
from pbem.models.leagues import Entrant, League, Season, SeasonMatch
from pbem.models.tables import Match, table
from pbem.services.leagues import founding, lookups, news
from pbem.services.leagues.standings import (
    Played,
    entrants_of,
    matches_of,
    standings_of,
    table_as_it_stands,
    tables_of,
)
from pbem.services.leagues.terms import Terms, terms_of
from pbem.services.log import store
from pbem.services.site import Site
from pbem.services.who import HOST, Owner
from pbem.services.work import Work

TALLY_WAIT = timedelta(minutes=1)
"""How long a season that is to be closed waits for matches that have just ended to be tallied."""

_e, _s, _m, _sm = table(Entrant), table(Season), table(Match), table(SeasonMatch)
_SET_PLACE = (
    update(_e)
    .where(_e.c.id == bindparam("entrant"))
    .values(points=bindparam("got"), place=bindparam("placed"), moves_to=bindparam("moves"))
)


def close_now(site: Site, who: Owner, season_id: str) -> None:
    """Closes a running season before its date, on behalf of its organiser. Raises NotFound, Forbidden, Gone."""
    with site.writing() as work:
        _, season = lookups.own_season(work, who, season_id)
        lookups.check_running(season)
        season.ends_at = season.due_at = site.now()
        work.add(season)


def close_season(site: Site, who: Owner, season_id: str) -> bool:
    """Closes the season if its date has come; returns False if ended matches have yet to be tallied. Host only."""
    assert who is HOST, "only the site's own sweep closes seasons"
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        untallied = (
            select(_sm.c.match_id)
            .join(_m, _m.c.id == _sm.c.match_id)
            .where(_sm.c.season_id == season_id, _m.c.status == "over", _m.c.tallied_at.is_(None))
            .limit(1)
        )
        if session.execute(untallied).first() is not None:
            return False
        terms, people, played = terms_of(season), entrants_of(session, season_id), matches_of(session, season_id)
    unfinished = [one for one in played if one.places is None]
    scores = _scores(site, unfinished) if terms.unfinished == "standing" else {}
    tables = tables_of(played)
    for one in unfinished:
        if (counted := table_as_it_stands(one, terms.unfinished, scores)) is not None:
            tables[one.match_id] = counted
    lines = standings_of(terms, people, played, tables, final=True)
    with site.writing() as work:
        lookups.hold_entrants(work, season_id)
        season = lookups.lock_season(work, season_id)
        if season.status != "running":
            return True  # somebody has been faster
        _store(work, season, lines, terms, site.now())
        _announce_next(site, work, season)
        news.tell_entered(work, season_id, "finish", site.now())
    return True


def _scores(site: Site, unfinished: Sequence[Played]) -> dict[str, tuple[int, ...] | None]:
    """Returns the public scores of these matches as they stand, by match; None where the game keeps none."""
    made: dict[str, tuple[int, ...] | None] = {}
    for one in unfinished:
        with site.reading() as session:
            match = store.get_match(session, one.match_id)
            game = store.game_of(match)
            running = match.status in ("running", "paused")
            made[one.match_id] = game.scores(store.load_state(session, match, game)) if running else None
    return made


def _store(work: Work, season: Season, lines: Mapping[int, Sequence[Line]], terms: Terms, now: datetime) -> None:
    rows = []
    for division, ranked in lines.items():
        goes_to = moves(division, len(lines), len(ranked), terms.promoted, terms.relegated)
        rows += [
            {"entrant": line.entrant, "got": float(line.points), "placed": line.place, "moves": to}
            for line, to in zip(ranked, goes_to, strict=True)
        ]
    if rows:
        work.connection().execute(_SET_PLACE, rows)
    season.status, season.closed_at = "closed", now
    work.add(season)
    work.flush()


def _announce_next(site: Site, work: Work, season: Season) -> None:
    """Opens the next season of a league that goes on; its terms say how long after this one it starts."""
    league = work.get_one(League, season.league_id)
    rest = terms_of(league).rest_days
    if league.ended_at is not None or league.owner_id is None or rest is None:
        return
    starts_at = max(season.ends_at, site.now()) + timedelta(days=rest)
    following = founding.add_season(site, work, league, season.number + 1, starts_at)
    news.carry_over(work, season.id, following.id, site.now())
