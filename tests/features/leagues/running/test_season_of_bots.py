"""A season of bots and people who never answer, under a clock that is moved by hand; and what closing one costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import season as benchmark
from pbem.features.leagues import founding
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import seasons
from pbem.features.leagues.scores import standings
from pbem.models.tables import Match
from pbem.services.play import bots, timeouts
from pbem.services.results import tallying
from pbem.services.who import STRANGER
from tests.features.leagues.stage import DAY, id_of_player, matches_of_season, season_row
from tests.services.letterbox import kinds_of_mails
from tests.table import House, address_of, open_house

STEP_H = 12


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A house with SQLite."""
    yield from open_house(sqlite_url, tmp_path)


def live_on(house: House) -> None:
    """Lets everything happen that workers do, as the beat would have it."""
    house.drain()
    while bots.play_quick_bots(house.site):
        pass
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    tallying.tally_matches(house.site)
    seasons.sweep_seasons(house.site)


@pytest.mark.long
@pytest.mark.parametrize(
    ("robots", "sleepers"), [(8, 3), pytest.param(64, 16, marks=[pytest.mark.long, pytest.mark.timeout(3000)])]
)
def test_a_season_of_bots_and_absent_players_ends_on_its_date(
    house: House, robots: int, sleepers: int
) -> None:  # fmt: skip
    alice = id_of_player(house, "Alice")
    terms = {"matches": 2, "seats": 3, "days": 7, "turn_s": 86_400, "division_size": 8}
    made = founding.found_league(house.site, alice, "Sleepers", "hogen", terms, house.clock() + DAY)
    entering.enter_bots(house.site, alice, made.season_id, "greedy", robots)
    names = [f"Sleeper {at}" for at in range(sleepers)]
    for name in names:
        entering.enter_player(house.site, id_of_player(house, name.replace(" ", "")), made.season_id, name)
    ends_at = season_row(house, made.season_id).ends_at
    while (row := season_row(house, made.season_id)).status != "closed":
        assert house.clock() <= ends_at, "it holds up nobody"
        live_on(house)
        house.clock.forward(hours=STEP_H)
    assert row.closed_at == ends_at
    divisions = standings.read_divisions(house.site, STRANGER, made.season_id)
    found = [line for division in divisions for line in division.rows]
    assert len(found) == robots + sleepers
    played = matches_of_season(house, made.season_id)
    assert sum(line.points for line in found) == pytest.approx(sum(len(one.seats.split(",")) / 2 for one in played))
    with house.site.reading() as session:
        over = [session.get_one(Match, one.match_id).status == "over" for one in played]
    assert any(over), "the bots have played theirs"
    house.drain()
    told = [message["Subject"] for message in house.mail.to(address_of("Sleeper0"))]
    assert sum("is over" in subject for subject in told) >= 1, kinds_of_mails(house, "Sleeper0")


@pytest.mark.long
def test_closing_a_season_of_many_takes_as_many_statements_as_one_of_few(database_url: str, tmp_path: Path) -> None:
    for house in open_house(database_url, tmp_path):
        house.clock.at = benchmark.NOW
        few, many = (
            benchmark.fill_and_close_season(house.site, "a", 16),
            benchmark.fill_and_close_season(house.site, "b", 200),
        )
        assert few == many
