"""Closes a season on its date, with what there is: unfinished matches count by the rule stated before its start.

Those that share a deal are called off first; the others go on as ordinary matches, and nobody waits for them. Results
are read in a few statements and written in one transaction, however many play.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Select, bindparam, select, update

from pbem.features.leagues import founding, lookups, news
from pbem.features.leagues.rules.standings import Line, moves
from pbem.features.leagues.running import cutoff
from pbem.features.leagues.scores.standings import (
    entrants_of,
    matches_of,
    standings_of,
    table_as_it_stands,
    tables_of,
)
from pbem.features.leagues.tables import Entrant, Season, SeasonMatch
from pbem.features.leagues.terms import SeasonTerms, terms_of
from pbem.models.tables import Match, table
from pbem.services.log import store
from pbem.services.site import Site, Work
from pbem.services.who import HOST, Owner

LEASE = timedelta(minutes=10)
"""How long a worker has a season for itself."""
PATIENCE = timedelta(hours=1)
"""After so long, a match whose result has not been written counts as one that is not over."""
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


def close_season(site: Site, who: Owner, season_id: str, *, first: bool = False) -> bool:
    """Closes the season if its date has come; returns False if it has to be looked at again in `TALLY_WAIT`.

    Matches that share a deal are called off before (see `cutoff`). Ended ones are waited for until they are
    tallied, always if this is the `first` look, for `PATIENCE` at most. Host only. Raises GameUnavailable: what its
    matches count, and whether they go on, is known when the game is back.
    """
    assert who is HOST, "only the site's own sweep closes seasons"
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        store.game_by_slug(lookups.league_of(session, season.league_id).game)
        terms, patient = terms_of(season), first or site.now() < season.ends_at + PATIENCE

    def goes_on() -> bool:
        return not site.stopping() and _keep(site, season_id)

    if not cutoff.call_off_shared(site, season_id, terms, goes_on) and (patient or site.stopping()):
        return False
    with site.reading() as session:
        if patient and session.execute(_untallied(season_id)).first() is not None:
            return False
        people, played = entrants_of(session, season_id), matches_of(session, season_id)
    tables = tables_of([one for one in played if one.public])
    left = [one for one in played if one.match_id not in tables]
    asked = [one.match_id for one in left if one.public] if terms.unfinished == "standing" else []
    scores = cutoff.scores_as_they_stand(site, asked, goes_on)
    if scores is None:
        return False
    for one in left:
        if (counted := table_as_it_stands(one, terms.unfinished, scores)) is not None:
            tables[one.match_id] = counted
    _close(site, season_id, standings_of(terms, people, played, tables, final=True), terms)
    return True


def _untallied(season_id: str) -> Select[tuple[str]]:
    """Returns the statement that finds a match of the season that is over and has no result yet."""
    return (
        select(_sm.c.match_id)
        .join(_m, _m.c.id == _sm.c.match_id)
        .where(_sm.c.season_id == season_id, _m.c.status == "over", _m.c.tallied_at.is_(None))
        .limit(1)
    )


def _keep(site: Site, season_id: str) -> bool:
    """Renews this worker's claim of the season; returns False if it is closed already."""
    kept = update(_s).where(_s.c.id == season_id, _s.c.closed_at.is_(None)).values(due_at=site.now() + LEASE)
    with site.writing() as work:
        return work.connection().execute(kept).rowcount == 1


def _close(site: Site, season_id: str, lines: Mapping[int, Sequence[Line]], terms: SeasonTerms) -> None:
    with site.writing() as work:
        lookups.hold_everybody(work, lookups.season_of(work, season_id).league_id)
        season = lookups.lock_season(work, season_id)
        if season.status != "running":
            return  # somebody has been faster
        _store(work, season, lines, terms, site.now())
        founding.announce_next(site, work, season)
        news.tell_entered(work, season_id, "finish", site.now())


def _store(work: Work, season: Season, lines: Mapping[int, Sequence[Line]], terms: SeasonTerms, now: datetime) -> None:
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
    work.flush()
