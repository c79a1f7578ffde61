"""The sweep over seasons: each goes from open over starting and running to closed by its `due_at`.

1. A season whose `due_at` has passed is claimed by a conditional UPDATE that puts it off by a lease: of two workers one
   has it, and after a crash it is due again when the lease ends.
2. open: entrants get their divisions, or the season is called off if there are too few.
3. starting: its matches are made in slices, as long as this process may go on; then it runs until its date.
4. running: matches that share a deal are called off in slices, then it is closed. A match that has just ended may have
   to be tallied first: then it is due again a minute later, for an hour at most.

Each step looks at the season again under its lock, so a step that is done twice changes nothing.

A season is closed with what there is: unfinished matches count by the rule stated before its start. Those that share a
deal are called off first, and so is every such match of a duplicate season: whatever its standings told would tell
about cards that somebody still plays. Then all deals open at once. The others go on as ordinary matches, and nobody
waits for them. Results are read in a few statements and written in one transaction, however many play.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import bindparam, select, true, update
from sqlalchemy.exc import SQLAlchemyError

from pbem.errors import Busy, GameUnavailable
from pbem.features.leagues import founding, lookups, news
from pbem.features.leagues.running import starting
from pbem.features.leagues.scores import standings
from pbem.features.leagues.scores.ranking import Line, next_divisions_by_rank
from pbem.features.leagues.tables import Entrant, Season, SeasonMatch
from pbem.features.leagues.terms import SeasonTerms, terms_of
from pbem.kit.codec import encode
from pbem.kit.replay import CancelReason
from pbem.models.tables import Match, table
from pbem.services.clock import outages
from pbem.services.log import store
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from pbem.services.site import Site
from pbem.services.who import HOST, Owner

AT_ONCE = 100
"""How many seasons one run looks at."""
LEASE = timedelta(minutes=10)
"""How long a worker has a season for itself."""
GAME_WAIT = timedelta(minutes=10)
"""How long a season waits whose game is unavailable."""
PATIENCE = timedelta(hours=1)
"""After so long, a match whose result has not been written counts as one that is not over."""
TALLY_WAIT = timedelta(minutes=1)
"""How long a season that is to be closed waits for matches that have just ended to be tallied."""
SLICE = 20
"""How many matches are called off or looked at before this process may stop, and its claim is renewed."""
REASON: CancelReason = "season"
CALLED_OFF = encode({"reason": REASON}).decode()
"""The outcome of a match that was called off because its season ended."""
Scores = dict[str, tuple[int, ...] | None]

_e, _s, _m, _sm = table(Entrant), table(Season), table(Match), table(SeasonMatch)
_OVER = ("over", "cancelled")
_SET_PLACE = (
    update(_e)
    .where(_e.c.id == bindparam("entrant"))
    .values(points=bindparam("got"), place=bindparam("placed"), moves_to=bindparam("moves"))
)
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
            take = update(_s).where(*same).values(due_at=site.now() + LEASE)
            claimed = work.connection().execute(take).rowcount
        if claimed:
            try:
                _start_or_close_season(site, season_id, status, due_at)
            except GameUnavailable:
                _put_off_next_step(site, season_id, GAME_WAIT)
                continue
            done += 1
    return done


def _start_or_close_season(site: Site, season_id: str, status: str, due_at: datetime) -> None:
    if status == "open":
        if not _divide_entrants_or_cancel(site, season_id):
            return
        status = "starting"
    if status == "starting":
        _start_season(site, season_id)
    else:
        with site.reading() as session:
            first = lookups.season_of(session, season_id).ends_at == due_at
        if not close_season(site, HOST, season_id, first=first):
            _put_off_next_step(site, season_id, timedelta() if site.stopping() else TALLY_WAIT)


def _divide_entrants_or_cancel(site: Site, season_id: str) -> bool:
    """Gives the entrants their divisions, or calls the season off; returns whether matches are to be made."""
    with site.writing() as work:
        lookups.lock_players_of_seasons(work, _s.c.league_id == lookups.season_of(work, season_id).league_id)
        season = lookups.lock_season(work, season_id)
        if season.status != "open":
            return False
        if season.starts_at > site.now():  # its organiser has put it off since it was claimed
            season.due_at = season.starts_at
            return False
        league = lookups.league_of(work, season.league_id)
        playing = starting.fill_up_and_divide_entrants(site, work, league, season)
        log.info("season.begins", season=season_id, entrants=playing)
        if not playing:
            founding.cancel_season(site, work, season)
            return False
        season.status = "starting"
        work.add(season)
    return True


def _start_season(site: Site, season_id: str) -> None:
    if not starting.create_missing_matches(site, season_id, starting.all_pairings_of_season(site, season_id)):
        _put_off_next_step(site, season_id, timedelta())
        return
    with site.writing() as work:
        lookups.lock_players_of_seasons(work, _s.c.id == season_id)
        season = lookups.lock_season(work, season_id)
        if season.status == "starting":
            starting.let_season_run_and_mail_entrants(site, work, season)


def _put_off_next_step(site: Site, season_id: str, wait: timedelta) -> None:
    with site.writing() as work:
        season = lookups.lock_season(work, season_id)
        if season.closed_at is None:
            season.due_at = site.now() + wait


# --- closing --------------------------------------------------------------------------------------------------


def end_season_early(site: Site, who: Owner, season_id: str) -> None:
    """Ends a running season before its date, for its organiser: the next sweep closes it.

    Raises NotFound, Forbidden, Gone.
    """
    with site.writing() as work:
        _, season = lookups.lock_own_season(work, who, season_id)
        lookups.check_season_running(season)
        season.ends_at = season.due_at = site.now()


def close_season(site: Site, who: Owner, season_id: str, *, first: bool) -> bool:
    """Closes the season if its date has come; returns False if it has to be looked at again in `TALLY_WAIT`.

    Matches that share a deal are called off before (`cancel_matches_of_shared_deals`). Ended ones are waited for until
    they are tallied, always if this is the `first` look, for `PATIENCE` at most. Host only. Raises GameUnavailable:
    what its matches count, and whether they go on, is known when the game is back.
    """
    assert who is HOST, "only the site's own sweep closes seasons"
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        store.game_by_slug(lookups.league_of(session, season.league_id).game)
        terms, patient = terms_of(season), first or site.now() < season.ends_at + PATIENCE

    def goes_on() -> bool:
        return not site.stopping() and _renew_claim(site, season_id)

    if not cancel_matches_of_shared_deals(site, season_id, terms, goes_on) and (patient or site.stopping()):
        return False
    untold = select(_sm.c.match_id).join(_m, _m.c.id == _sm.c.match_id).limit(1)
    untold = untold.where(_sm.c.season_id == season_id, _m.c.status == "over", _m.c.tallied_at.is_(None))
    with site.reading() as session:
        if patient and session.execute(untold).first() is not None:
            return False
        people, played = (
            standings.entrants_by_id(session, season_id),
            standings.matches_and_results_of_season(session, season_id),
        )
    tables = standings.tables_that_count([one for one in played if one.public])
    left = [one for one in played if one.match_id not in tables]
    asked = [one.match_id for one in left if one.public] if terms.unfinished == "standing" else []
    scores = scores_as_they_stand(site, asked, goes_on)
    if scores is None:
        return False
    for one in left:
        if (counted := standings.table_as_it_stands(one, terms.unfinished, scores)) is not None:
            tables[one.match_id] = counted
    _store_standings_and_close(
        site, season_id, standings.standings_of(terms, people, played, tables, final=True), terms
    )
    return True


def _renew_claim(site: Site, season_id: str) -> bool:
    """Renews this worker's claim of the season; returns False if it is closed already."""
    kept = update(_s).where(_s.c.id == season_id, _s.c.closed_at.is_(None)).values(due_at=site.now() + LEASE)
    with site.writing() as work:
        return work.connection().execute(kept).rowcount == 1


def _store_standings_and_close(
    site: Site, season_id: str, lines: Mapping[int, Sequence[Line]], terms: SeasonTerms
) -> None:
    rows = []
    for division, ranked in lines.items():
        goes_to = next_divisions_by_rank(division, len(lines), len(ranked), terms.promoted, terms.relegated)
        rows += [
            {"entrant": line.entrant, "got": float(line.points), "placed": line.place, "moves": to}
            for line, to in zip(ranked, goes_to, strict=True)
        ]
    with site.writing() as work:
        lookups.lock_players_of_seasons(work, _s.c.league_id == lookups.season_of(work, season_id).league_id)
        season = lookups.lock_season(work, season_id)
        if season.status != "running":
            return  # somebody has been faster
        if rows:
            work.connection().execute(_SET_PLACE, rows)
        season.status, season.closed_at = "closed", site.now()
        work.flush()
        founding.open_following_season_if_repeated(site, work, season)
        news.queue_mail_to_entrants(work, season_id, "finish", site.now())


# --- matches that are not over --------------------------------------------------------------------------------


def cancel_matches_of_shared_deals(site: Site, season_id: str, terms: SeasonTerms, goes_on: Callable[[], bool]) -> bool:
    """Calls off the matches whose deal others share, all of a duplicate season; False if some are left for later.

    `goes_on` is asked before each slice. One that cannot be called off is logged and holds up no other.
    """
    which = true() if terms.duplicate else _m.c.deal_id.is_not(None)
    with site.reading() as session:
        found = (
            select(_sm.c.match_id)
            .join(_m, _m.c.id == _sm.c.match_id)
            .where(_sm.c.season_id == season_id, _m.c.status.not_in(_OVER), which)
            .order_by(_sm.c.match_id)
        )
        ids = session.execute(found).scalars().all()
    done = True
    for some in _slices_of_ids(ids):
        if not goes_on():
            return False
        for match_id in some:
            done &= _call_off_match(site, match_id)
    return done


def _call_off_match(site: Site, match_id: str) -> bool:
    try:
        with site.writing() as work:
            locked = lock_table(work, match_id)
            if locked.match.status not in _OVER:
                outages.apply_outages_to_locked_match(locked)
                call_off(locked, REASON)
    except Busy:
        log.info("season.busy", match=match_id)  # somebody is moving: the next sweep tries again
        return False
    except Exception:
        log.exception("season.not_called_off", match=match_id)
        return False
    return True


def scores_as_they_stand(site: Site, ids: Sequence[str], goes_on: Callable[[], bool]) -> Scores | None:
    """Returns the public scores of these matches at this moment, or when the season called them off, by match.

    None in it: the game keeps none, or the match cannot be read, which is logged. Returns None if this process must
    stop before the last one.
    """
    made: Scores = {}
    for some in _slices_of_ids(ids):
        if not goes_on():
            return None
        with site.reading() as session:
            for match_id in some:
                try:
                    match = store.get_match(session, match_id)
                    game = store.game_by_slug(match.game)
                    stands = match.status in ("running", "paused") or match.outcome == CALLED_OFF
                    made[match_id] = game.scores(store.Table(session, match).state) if stands else None
                except SQLAlchemyError:
                    raise  # no fault of the match: the season is closed at the next try
                except Exception:
                    log.exception("season.no_scores", match=match_id)  # it counts as a draw
                    made[match_id] = None
    return made


def _slices_of_ids(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + SLICE] for first in range(0, len(ids), SLICE))
