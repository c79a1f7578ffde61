"""Leagues and seasons as their viewers see them: Alice organises, Bob and Carol play, strangers look."""

from __future__ import annotations

from functools import partial

import pytest

from pbem.features.leagues import founding, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.reading import LeagueWithSeasons
from pbem.features.leagues.tables import Season
from pbem.models.tables import SeatRow
from pbem.services.lobby.match_request import Invitee
from pbem.services.who import STRANGER
from tests.features.leagues.admission import circle_season, leave_circle
from tests.features.leagues.cups import finish_match, pair_matches, running_cup
from tests.features.leagues.stage import begin_season, end_season, enter_all, found_league, id_of_player, season_row
from tests.harness.sent import count_statements
from tests.table import House, address_of


def ids_of_leagues(leagues: tuple[LeagueWithSeasons, ...] | list[LeagueWithSeasons]) -> list[str]:
    """The ids of the leagues, in order."""
    return [league.id for league in leagues]


def test_a_season_shows_its_number_of_players_and_the_viewers_own_status(house: House) -> None:
    made = found_league(house)
    alice, bob, carol = (id_of_player(house, name) for name in ("Alice", "Bob", "Carol"))
    enter_all(house, made.season_id, "Bob", "Carol")
    entering.withdraw_player(house.site, carol, made.season_id)
    for who, status in ((STRANGER, None), (alice, None), (bob, "entered"), (carol, "withdrawn")):
        league = reading.read_league(house.site, who, made.league_id)
        (season,) = league.seasons
        assert (season.number, season.entered, season.own_status, league.mine) == (1, 1, status, who == alice)
        _, alone = reading.read_league_and_season(house.site, who, made.season_id)
        assert (alone.entered, alone.own_status, alone.divisions) == (1, status, 0)


def test_the_league_lists_show_current_and_past_seasons(house: House) -> None:
    alice, bob = id_of_player(house, "Alice"), id_of_player(house, "Bob")
    played, unlisted, ended, listed = (found_league(house, matches=1) for _ in range(4))
    for one in (ended, listed):
        founding.change_league(house.site, alice, one.league_id, listed=True)
    enter_all(house, played.season_id, "Bob", "Carol", "Dave")
    begin_season(house, played.season_id)
    founding.end_league(house.site, alice, ended.league_id)
    going_on, every = partial(reading.list_current_leagues, house.site), partial(reading.list_all_leagues, house.site)
    assert set(ids_of_leagues(going_on(STRANGER))) == {listed.league_id}
    assert set(ids_of_leagues(every(STRANGER)[0])) == {listed.league_id, ended.league_id}
    assert set(ids_of_leagues(going_on(bob))) == {listed.league_id, played.league_id}
    assert set(ids_of_leagues(every(bob)[0])) == {listed.league_id, ended.league_id, played.league_id}
    mine = ids_of_leagues(going_on(alice))
    assert set(mine) == {one.league_id for one in (played, unlisted, ended, listed)}
    assert mine[-1] == ended.league_id, "what goes on comes first"


@pytest.mark.long
def test_listing_many_leagues_takes_as_many_statements_as_listing_few(house: House) -> None:
    bob = id_of_player(house, "Bob")
    lists = [partial(one, house.site, bob) for one in (reading.list_current_leagues, reading.list_all_leagues)]
    first = found_league(house, matches=1)
    enter_all(house, first.season_id, "Bob", "Carol", "Dave")
    before = [count_statements(house.site.engine, one) for one in lists]
    begin_season(house, first.season_id)
    end_season(house, first.season_id)
    for _ in range(2):
        enter_all(house, found_league(house).season_id, "Bob")
    assert [len(league.seasons) for league in reading.list_current_leagues(house.site, bob)] == [1, 1, 1], "the newest"
    assert [len(league.seasons) for league in reading.list_all_leagues(house.site, bob)[0]] == [1, 1, 2]
    assert [count_statements(house.site.engine, one) for one in lists] == before


@pytest.mark.long
def test_a_season_lists_each_deal_once_in_its_first_round(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    pair_matches(house, made.season_id, (alice, bob))
    pair_matches(house, made.season_id, (alice, bob), (carol, dave), same_deal=True)
    shared = reading.read_shared_deals(house.site, STRANGER, made.season_id)
    assert [(one.division, one.round, one.tables) for one in shared] == [(1, 1, 2)]
    _, season = reading.read_league_and_season(house.site, STRANGER, made.season_id)
    assert season.matches == 3
    assert season_row(house, made.season_id).status == season.status == "running"


@pytest.mark.long
def test_leaving_a_circle_before_its_season_hides_the_season_from_lists(house: House) -> None:
    made, circle_id = circle_season(house)
    bob = id_of_player(house, "Bob")
    assert [one.id for one in reading.list_current_leagues(house.site, bob)] == [made.league_id]
    leave_circle(house, circle_id, "Bob")
    assert reading.list_current_leagues(house.site, bob) == ()
    assert reading.list_all_leagues(house.site, bob) == ([], None)


def test_an_invitation_is_listed_as_ones_own_only_from_season_two_on(house: House) -> None:
    made, bob = found_league(house), id_of_player(house, "Bob")
    entering.invite_to_season(
        house.site, id_of_player(house, "Alice"), made.season_id, [Invitee("Bob", address_of("Bob"))], "en"
    )
    assert reading.read_own_current_seasons(house.site, bob) == ()
    with house.site.writing() as work:
        work.get_one(Season, made.season_id).number = 2
    assert [(one.number, one.begun, one.asked) for one in reading.read_own_current_seasons(house.site, bob)] == [
        (2, False, True)
    ]


def test_a_seasons_view_lists_the_viewers_own_matches_in_full(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    first, second, _ = pair_matches(house, made.season_id, (dave, alice), (alice, bob), (bob, carol))
    with house.site.writing() as work:
        work.get_one(SeatRow, (first, 1)).epoch = 7
    finish_match(house, first, loser=0)
    own = reading.read_own_matches(house.site, id_of_player(house, "Alice"), made.season_id)
    assert {one.match_id: one for one in own} == {
        first: reading.OwnMatch(first, 1, 1, ("Dave",), "over", 7),
        second: reading.OwnMatch(second, 2, 0, ("Bob",), "running", 0),
    }
    assert [one.round for one in own] == [1, 2]
    assert reading.read_own_matches(house.site, id_of_player(house, "Charlie"), made.season_id) == ()
