"""A cup that Alice organises and pairs herself: a season of matches for two that runs, and its results."""

from __future__ import annotations

from typing import Any

from pbem.features.leagues.founding import Founded
from pbem.features.leagues.running import bulk
from pbem.features.leagues.running.bulk import NewTable
from pbem.features.leagues.scores import feed
from pbem.services.play import presence
from pbem.services.results import tallying
from tests.features.leagues.stage import enter_all, found_league, id_of_player
from tests.table import FOUR, House, claim_of

CUP: dict[str, Any] = {"pairing": "organiser", "matches": 3, "days": 30, "rest_days": None}


def open_cup(house: House, **terms: Any) -> tuple[Founded, list[int]]:
    """Returns a cup that four have entered, and the ids of their entrants."""
    made = found_league(house, game="allegeance", **CUP | terms)
    return made, enter_all(house, made.season_id, *FOUR)


def running_cup(house: House, **terms: Any) -> tuple[Founded, list[int]]:
    """Returns a cup that has begun without matches, and the ids of its four entrants."""
    made, entered = open_cup(house, **terms)
    bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    return made, entered


def pair_matches(house: House, season_id: str, *tables: tuple[int, ...], **more: Any) -> list[str]:
    """Has Alice make these matches; returns their ids."""
    wanted = [NewTable(seats) for seats in tables]
    return [
        one.id
        for one in bulk.create_and_start_tables(house.site, id_of_player(house, "Alice"), season_id, wanted, **more)
    ]


def finish_match(house: House, match_id: str, loser: int = 1) -> None:
    """Ends a match for two: one of them resigns."""
    presence.resign(house.site, claim_of(house.site, match_id, loser))


def tally_and_publish(house: House) -> int:
    """Tallies what is over, and makes the results public; returns how many are new."""
    tallying.tally_matches(house.site)
    return feed.publish_results(house.site)


def page_of_results(house: House, season_id: str, after: int = 0, most: int = feed.PAGE) -> feed.Results:
    """Returns a page of the feed."""
    with house.site.reading() as session:
        return feed.read_page_of_results(session, season_id, after, most)
