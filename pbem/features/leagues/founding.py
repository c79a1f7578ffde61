"""Founds a league, changes the terms of its next season, opens seasons, and ends it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session, col

from pbem.errors import N_, Gone, TooMany
from pbem.features.leagues import lookups, news
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.features.leagues.terms import (
    SeasonTerms,
    check_and_complete_terms,
    check_start,
    game_of_league,
    terms_as_json,
    terms_of,
)
from pbem.models.tables import table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import require_game
from pbem.services.log import locks
from pbem.services.players.players import normalise_name
from pbem.services.site import Site, Work
from pbem.services.who import Owner

NAME_MOST = 60
DAY_S = 86_400
MOST = 20
"""How many leagues that have not ended one player may organise."""
_e, _s = table(Entrant), table(Season)


@dataclass(frozen=True)
class Founded:
    """A league, and its season that players may enter."""

    league_id: str
    season_id: str


def found_league(
    site: Site, who: int, name: str, game_slug: str, terms: Mapping[str, Any], starts_at: datetime, *,
    circle_id: str | None = None, listed: bool = False, once: IdempotencyKey | None = None,
) -> Founded:  # fmt: skip
    """Founds a league in this game with its first season, which players may enter from now on.

    `circle_id`: only members of this circle may enter; the organiser must be one. Raises Invalid, Forbidden for a
    guest, NotFound for a circle they do not belong to, and TooMany.
    """
    name, game = check_league_name(name), require_game(game_slug)
    checked, starts_at = check_and_complete_terms(site, game, terms), check_start(site, starts_at)
    with site.writing() as work:
        locks.lock_player(work, who)
        lookups.check_may_enter(work, circle_id and circle_id[:32], who)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            league_id, _, season_id = made.partition(".")
            return Founded(league_id, season_id)
        going = select(func.count()).where(col(League.owner_id) == who, col(League.ended_at).is_(None))
        if work.execute(going).scalar_one() >= MOST:
            raise TooMany(N_("You organise many leagues already. End one first."), retry_after=DAY_S)
        league = League(
            id=site.entropy(12).hex(), name=name, game=game.meta.slug, owner_id=who, circle_id=circle_id,
            listed=listed and circle_id is None, terms=terms_as_json(checked), created_at=site.now(),
        )  # fmt: skip
        work.put(league)
        season = add_following_season_with_entrants(site, work, league, None, starts_at)
        idempotency.store_answer(work, once, f"{league.id}.{season.id}")
        return Founded(league.id, season.id)


def change_league(
    site: Site, who: Owner, league_id: str, *, name: str | None = None, terms: Mapping[str, Any] | None = None,
    listed: bool | None = None,
) -> SeasonTerms:  # fmt: skip
    """Changes a league; returns the terms of its next season.

    New terms hold for the season that is open if only bots have entered it, else for the one after it: nobody's terms
    change after they entered. `terms` are all terms, what is left out has its default. Raises NotFound, Forbidden,
    Invalid, and Gone once the league has ended.
    """
    with site.writing() as work:
        league = lookups.lock_own_league(work, who, league_id)
        _check_league_not_ended(league)
        if name is not None:
            league.name = check_league_name(name)
        if listed is not None:
            league.listed = listed and league.circle_id is None
        if terms is not None:
            checked = check_and_complete_terms(site, game_of_league(league), terms)
            league.terms = terms_as_json(checked)
            if (found := lookups.season_not_closed(work, league.id)) is not None:
                season = lookups.lock_season(work, found.id)
                if season.status == "open" and not _has_people_of_status(work, season, news.INVITED, news.ENTERED):
                    season.terms, season.ends_at = league.terms, season.starts_at + checked.duration
        return terms_of(league)


def open_season(
    site: Site, who: Owner, league_id: str, starts_at: datetime, *, once: IdempotencyKey | None = None
) -> str:
    """Opens another season of a league that has none at present; returns its id.

    A player who was in the last one, or in the last that was closed, is asked whether they enter. Raises NotFound,
    Forbidden, Invalid, Gone.
    """
    starts_at = check_start(site, starts_at)
    with site.writing() as work:
        lookups.lock_players_of_seasons(work, _s.c.league_id == league_id)
        league = lookups.lock_own_league(work, who, league_id)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return made
        _check_league_not_ended(league)
        before = lookups.latest_season(work, league_id)
        if before is not None and before.closed_at is None:
            raise Gone(N_("The league’s season is not over yet."))
        season = add_following_season_with_entrants(site, work, league, before, starts_at)
        news.queue_mail_to_entrants(work, season.id, "callup", site.now())
        return idempotency.store_answer(work, once, season.id)


def add_following_season_with_entrants(
    site: Site, work: Work, league: League, before: Season | None, starts_at: datetime
) -> Season:
    """Adds the season after this one, or the first, on the league's terms, with those of the one before.

    People are invited to it. If that was called off, also those of the last one that was closed.
    """
    season = Season(
        id=site.entropy(12).hex(), league_id=league.id, number=before.number + 1 if before is not None else 1,
        terms=league.terms, status="open", starts_at=starts_at, ends_at=starts_at + terms_of(league).duration,
        due_at=starts_at, created_at=site.now(),
    )  # fmt: skip
    work.put(season)
    if before is None:
        return season
    news.carry_entrants_over(work, before.id, season.id, site.now())
    closed = lookups.latest_season(work, league.id, _s.c.status == "closed")
    if closed is not None and closed.id != before.id:
        news.carry_entrants_over(work, closed.id, season.id, site.now(), bots=False)
    return season


def open_following_season_if_repeated(site: Site, work: Work, season: Season) -> Season | None:
    """Opens the season after this one if its league repeats; returns it. Its terms say how long after it starts."""
    league = work.get_one(League, season.league_id)
    rest = terms_of(league).rest_days
    if league.ended_at is not None or league.owner_id is None or rest is None:
        return None
    ended = season.ends_at if season.status == "closed" else site.now()
    return add_following_season_with_entrants(site, work, league, season, max(ended, site.now()) + timedelta(days=rest))


def end_league(site: Site, who: Owner, league_id: str) -> None:
    """Ends a league: a season that has not begun is called off, one that runs goes on to its date.

    Raises NotFound, Forbidden. Ending it twice changes nothing.
    """
    with site.writing() as work:
        season = lookups.latest_season(work, league_id)
        if season is not None:
            lookups.lock_players_of_seasons(work, _s.c.id == season.id)
        league = lookups.lock_own_league(work, who, league_id)
        if league.ended_at is not None:
            return
        league.ended_at = site.now()
        season = lookups.season_not_closed(work, league.id)
        if season is not None and lookups.lock_season(work, season.id).status == "open":
            cancel_season(site, work, season)


def cancel_season(site: Site, work: Work, season: Season) -> None:
    """Calls off a locked season that has not begun, with a mail to everyone who has entered.

    If people had entered, and its league repeats, the next one is announced, and they are asked.
    """
    season.status, season.closed_at = "cancelled", site.now()
    work.flush()
    news.queue_mail_to_entrants(work, season.id, "calledoff", site.now())
    if not _has_people_of_status(work, season, news.ENTERED):
        return  # nobody is waiting for it: a league of which nobody knows any more asks nobody for ever
    following = open_following_season_if_repeated(site, work, season)
    if following is not None:
        news.queue_mail_to_entrants(work, following.id, "callup", site.now())


def _has_people_of_status(session: Session, season: Season, *statuses: str) -> bool:
    theirs = (_e.c.season_id == season.id, _e.c.player_id.is_not(None), _e.c.status.in_(statuses))
    return session.execute(select(_e.c.id).where(*theirs).limit(1)).first() is not None


def change_start_of_season(site: Site, who: Owner, season_id: str, starts_at: datetime) -> None:
    """Changes when an open season starts; it ends as much later or earlier.

    Raises as `lock_own_season`, Invalid, Gone.
    """
    starts_at = check_start(site, starts_at)
    with site.writing() as work:
        _, season = lookups.lock_own_season(work, who, season_id)
        lookups.check_season_open(season)
        season.starts_at = season.due_at = starts_at
        season.ends_at = starts_at + terms_of(season).duration


def check_league_name(name: str) -> str:
    """Returns the name of a league, normalised: words, no address. Raises Invalid."""
    return normalise_name(name, NAME_MOST)


def _check_league_not_ended(league: League) -> None:
    if league.ended_at is not None:
        raise Gone(N_("This league has ended."))
