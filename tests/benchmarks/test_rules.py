"""`make bench-rules` measures every game; these tests do not check how fast."""

import json

import pytest

from benchmarks import rules
from pbem.games import all_games
from pbem.kit.play import Table, random_decisions
from tests.harness.cases import cases


@pytest.mark.long
def test_every_game_with_every_number_of_seats_stands_beside_python_chess(capsys: pytest.CaptureFixture[str]) -> None:
    rules.main(["--seconds", "0.001", "--rounds", "1", "--json"])
    told = json.loads(capsys.readouterr().out)
    names = [f"{slug}, {seats} seats" for slug, game in all_games().items() for seats in game.meta.seats]
    assert [speed["name"] for speed in told[:-1]] == names
    assert told[-1]["name"].startswith("python-chess")
    assert all(speed["decisions"] > 0 and speed["event_us"] > 0 for speed in told)


def test_the_speed_table_compares_each_game_with_the_reference() -> None:
    lines = rules.table_of_speeds(
        [rules.Speed("a", 300, 2), rules.Speed("b", 100, 8)], rules.Speed("b", 100, 8)
    ).splitlines()
    assert lines[1].split() == ["a", "300", "3.0", "2.00", "4.0"]
    assert lines[2].split() == ["b", "100", "1.0", "8.00", "1.0"]


@pytest.mark.long
@cases("slug", sorted(all_games()))
def test_the_benchmark_plays_the_same_random_matches_as_the_laws(slug: str) -> None:
    game = all_games()[slug]
    seats, seed = game.meta.seats[0], bytes(32)
    table = Table(game, seats, game.meta.options(), seed)
    decisions = sum(1 for _ in random_decisions(table))
    assert rules.random_match(game, seats, seed) == (decisions, [entry.event for entry in table.entries])


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        rules.main(["chess"])
    assert "there is no game chess" in capsys.readouterr().err
