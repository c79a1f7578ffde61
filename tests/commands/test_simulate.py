"""`pbem simulate`: the same play as the laws check, counted, and repeatable."""

import json
from collections import Counter

import pytest

from pbem.commands.simulation import Played, Tally, play_out, seed_of, spread
from pbem.games import all_games
from pbem.rules.contract import Outcome
from pbem.rules.play import Table, random_decisions
from tests.commands.conftest import Pbem

SEED = "5e" * 32


@pytest.mark.parametrize("slug", sorted(all_games()))
def test_a_simulated_match_is_the_one_that_the_laws_would_check(slug: str) -> None:
    game = all_games()[slug]
    for seats in game.meta.seats:
        seed = seed_of(bytes(32), seats, 0)
        played = play_out(game, seats, game.meta.options(), seed)
        table = Table(game, seats, game.meta.options(), seed)
        decisions = sum(1 for _ in random_decisions(table))
        assert played.decisions == decisions
        assert played.events == Counter(type(entry.event).__name__ for entry in table.entries)
        assert played.outcome == game.outcome(table.state)


def test_a_wait_is_a_stop_for_somebody_else_and_simultaneous_questions_are_one() -> None:
    game = all_games()["hogen"]
    seed = seed_of(bytes(32), 3, 0)
    table = Table(game, 3, game.meta.options(), seed)
    waits, asked, answered = 0, set[tuple[str, int]](), None
    for ask, _ in random_decisions(table):
        now = {(a.key, a.seat) for a in game.pending(table.state)}
        waits += any(seat != answered for _, seat in now - asked)
        asked, answered = now, ask.seat
    assert play_out(game, 3, game.meta.options(), seed).waits == waits
    assert 1 < waits < len(table.entries)


def test_matches_of_one_simulation_have_different_seeds() -> None:
    seeds = {seed_of(bytes(32), seats, number) for seats in (3, 4) for number in range(20)}
    assert len(seeds) == 40


def test_a_spread_is_made_of_numbers_that_occurred() -> None:
    numbers = list(range(1, 101))
    assert (spread(numbers).min, spread(numbers).median, spread(numbers).p95, spread(numbers).max) == (1, 50, 95, 100)
    assert spread([7]).p95 == 7
    with pytest.raises(ValueError, match="nothing"):
        spread([])


def test_a_shared_victory_counts_for_each_winner_and_none_for_nobody() -> None:
    tally = Tally(3)
    tally.add(Played(4, 2, Outcome("found", (0, 2)), {"Dealt": 1}))
    tally.add(Played(6, 3, Outcome("cap"), {"Dealt": 1}))
    assert (tally.wins, tally.unwon, tally.matches, tally.events) == ({0: 1, 2: 1}, 1, 2, {"Dealt": 2})


def test_without_seats_there_is_a_column_for_every_number_of_them(bare: Pbem) -> None:
    result = bare("simulate", "hogen", "--matches", "20", "--seed", SEED)
    assert result.exit_code == 0
    rows = {line[:18].strip(): line[18:].split() for line in result.stdout.splitlines()[1:] if line}
    assert rows["seats"] == ["3", "4"]
    assert rows["matches"] == ["20", "20"]
    assert rows["event: Dealt"] == ["20", "20"]
    assert {"waits: median", "decisions: p95", "ended: all_wrong", "won: seat D", "won: nobody"} <= set(rows)
    assert SEED in result.stdout.splitlines()[0]


def test_the_same_seed_gives_the_same_numbers_and_another_one_others(bare: Pbem) -> None:
    first = bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--seed", SEED, "--json").stdout
    assert bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--seed", SEED, "--json").stdout == first
    assert bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--json").stdout != first


def test_the_numbers_in_json_add_up(bare: Pbem) -> None:
    told = json.loads(bare("simulate", "hogen", "--matches", "30", "--seed", SEED, "--json").stdout)
    assert (told["game"], told["seed"], sorted(told["seats"])) == ("hogen", SEED, ["3", "4"])
    for seats, numbers in told["seats"].items():
        assert numbers["matches"] == 30 == sum(numbers["endings"].values())
        assert sum(numbers["wins"]) + numbers["unwon"] == 30
        assert len(numbers["wins"]) == int(seats)
        assert numbers["events"]["AllyChosen"] == 30 * int(seats)
        assert 1 <= numbers["waits"]["min"] <= numbers["waits"]["max"] <= numbers["decisions"]["max"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("chess",), "there is no game 'chess'; there are: "),
        (("hogen", "--seats", "2"), "hogen is played by 3 or 4"),
        (("hogen", "--seed", "12"), "64 hexadecimal digits"),
        (("hogen", "--seed", "xy" * 32), "64 hexadecimal digits"),
        (("hogen", "--options", '{"no": 1}'), "unknown field `no`"),
        (("hogen", "--options", "{"), "--options"),
        (("hogen", "--matches", "0"), "--matches"),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_what_can(bare: Pbem, words: tuple[str, ...], complaint: str) -> None:
    result = bare("simulate", *words)
    assert result.exit_code == 2
    assert complaint in result.stderr
