"""A league and people who enter it, for tests: Alice organises, the cast enters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlmodel import col, select

from pbem.features.leagues import founding
from pbem.features.leagues.entry import entering
from pbem.features.leagues.founding import Founded
from pbem.features.leagues.running import seasons
from pbem.features.leagues.tables import Entrant, Season, SeasonMatch
from pbem.models.results import Result
from pbem.models.tables import Match, Player
from pbem.services.players.players import find_or_add
from tests.table import House, address_of

DAY = timedelta(days=1)


def id_of_player(house: House, name: str) -> int:
    """Returns the id of the verified player of this name."""
    with house.site.writing() as work:
        found = find_or_add(work, address_of(name), "en", house.clock())
        found.verified_at = found.verified_at or house.clock()
        work.add(found)
        work.flush()
        assert found.id is not None
        return found.id


def found_league(house: House, who: str = "Alice", game: str = "hogen", **terms: Any) -> Founded:
    """Founds a league whose first season begins in a week."""
    return founding.found_league(
        house.site, id_of_player(house, who), "Autumn league", game, terms, house.clock() + 7 * DAY
    )


def enter_all(house: House, season_id: str, *names: str) -> list[int]:
    """Enters these players; returns the ids of their entrants."""
    return [entering.enter_player(house.site, id_of_player(house, name), season_id, name) for name in names]


def begin_season(house: House, season_id: str) -> None:
    """Moves the clock to the start of the season, and lets it begin."""
    house.clock.at = max(house.clock.at, season_row(house, season_id).starts_at)
    seasons.sweep_seasons(house.site)


def end_season(house: House, season_id: str) -> None:
    """Moves the clock to the end of the season, and lets it end."""
    house.clock.at = season_row(house, season_id).ends_at
    seasons.sweep_seasons(house.site)


def season_row(house: House, season_id: str) -> Season:
    """Returns the season's row."""
    with house.site.reading() as session:
        return session.get_one(Season, season_id)


def entrants_by_name(house: House, season_id: str) -> dict[str, Entrant]:
    """Returns the rows of its entrants, by name."""
    with house.site.reading() as session:
        rows = session.exec(select(Entrant).where(Entrant.season_id == season_id).order_by(col(Entrant.id))).all()
        return {row.name: row for row in rows}


def matches_of_season(house: House, season_id: str) -> list[SeasonMatch]:
    """Returns its matches."""
    with house.site.reading() as session:
        rows = select(SeasonMatch).where(SeasonMatch.season_id == season_id)
        return list(session.exec(rows.order_by(col(SeasonMatch.division), col(SeasonMatch.round))).all())


def give_result(house: House, match_id: str, *places: int, scores: tuple[int, ...] | None = None) -> None:
    """Ends the match with these places, in seat order, as if it had been played and tallied."""
    with house.site.writing() as work:
        match = work.get_one(Match, match_id)
        match.status, match.ended_at, match.tallied_at = "over", house.clock(), house.clock()
        work.add(match)
        row = work.get_one(SeasonMatch, match_id)
        row.tallied = True
        work.add(row)
        for seat, place in enumerate(places):
            score = scores[seat] if scores is not None else None
            work.add(
                Result(
                    match_id=match_id, seat=seat, game=match.game, place=place, score=score, ended_at=house.clock()
                )
            )  # fmt: skip


def address_of_player(house: House, player_id: int) -> str | None:
    """Returns the player's address."""
    with house.site.reading() as session:
        return session.get_one(Player, player_id).address
