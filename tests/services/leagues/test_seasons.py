"""Seasons: they begin and end by themselves."""

from __future__ import annotations

import json

from pbem.services.leagues import seasons, standings
from pbem.services.who import STRANGER
from tests.services.leagues.stage import begin, end, enter_all, found_league, give_result, season_row, tables
from tests.table import THREE, House


def test_a_season_begins_and_ends_on_its_dates_and_announces_the_next(house: House) -> None:
    made = found_league(house, matches=2)
    enter_all(house, made.season_id, *THREE)
    assert seasons.sweep_seasons(house.site) == 0
    begin(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"
    played = tables(house, made.season_id)
    assert [one.round for one in played] == [1, 2]
    give_result(house, played[0].match_id, 1, 2, 3)
    end(house, made.season_id)
    assert season_row(house, made.season_id).status == "closed"
    (division,) = standings.read_standings(house.site, STRANGER, made.season_id)
    assert [(row.place, row.points, row.played, row.matches) for row in division.rows] == [
        (1, 1.5, 1, 2), (2, 1.0, 1, 2), (3, 0.5, 1, 2)
    ]  # fmt: skip
    winner = json.loads(played[0].seats)[0]
    assert division.rows[0].entrant_id == winner
