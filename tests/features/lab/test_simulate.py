"""`pbem simulate`: the same play that the laws check, counted, and repeatable."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from pbem.features.lab.commands import simulate as command
from pbem.features.lab.course import Played
from pbem.features.lab.plans import Chunk, Plan, seed_of_match
from pbem.features.lab.simulations import play_chunk, simulate
from pbem.features.lab.tallies import Tally, spread_of_numbers
from pbem.games import all_games
from pbem.kit.bots import bots_of
from pbem.kit.contract import Outcome
from pbem.kit.play import Table, first_to_answer, random_decisions
from pbem.kit.replay import By, player_view
from tests.commands.conftest import Pbem
from tests.features.lab.toys import play_out
from tests.harness.cases import cases
from tests.kit.plain import DEVELOPERS

SEED = "5e" * 32


@pytest.mark.long
@cases("slug", sorted(all_games()))
def test_a_simulated_match_equals_the_random_match_of_the_laws(slug: str) -> None:
    game = all_games()[slug]
    for seats in game.meta.seats:
        seed = seed_of_match(bytes(32), seats, 0)
        played = play_out(game, seats, game.meta.options(), seed)
        table = Table(game, seats, game.meta.options(), seed)
        decisions = sum(1 for _ in random_decisions(table))
        assert played.decisions == decisions
        assert played.events == Counter(type(entry.event).__name__ for entry in table.entries)
        assert played.outcome == game.outcome(table.state)


def test_a_stop_is_a_wait_for_others_and_simultaneous_questions_are_one() -> None:
    game = all_games()["hogen"]
    seed = seed_of_match(bytes(32), 3, 0)
    table = Table(game, 3, game.meta.options(), seed)
    waits, asked, answered = 0, set[tuple[str, int]](), None
    for ask, _ in random_decisions(table):
        now = {(a.key, a.seat) for a in game.pending(table.state)}
        waits += any(seat != answered for _, seat in now - asked)
        asked, answered = now, ask.seat
    assert play_out(game, 3, game.meta.options(), seed).waits == waits
    assert 1 < waits < len(table.entries)


@pytest.mark.long
@cases("slug", sorted(all_games()))
def test_a_bot_decides_from_its_own_fold_of_the_log(slug: str) -> None:
    game = all_games()[slug]
    own, seats = next(iter(game.bots)), game.meta.seats[0]
    seed = seed_of_match(bytes(32), seats, 1)
    played = play_out(game, seats, game.meta.options(), seed, (own, "random"))
    table = Table(game, seats, game.meta.options(), seed)
    while asks := game.pending(table.state):
        ask = first_to_answer(asks, table.luck, table.next_entry_number)
        luck = table.luck.bot(table.next_entry_number, ask.key, ask.seat)
        view = player_view(game, table.entries, seats, ask.seat, table.luck.memory(ask.seat))
        table.play(ask, bots_of(game)[(own, "random")[ask.seat % 2]](view, ask.seat, luck), By(bot=ask.seat))
    assert played.outcome == game.outcome(table.state)
    assert played.events == Counter(type(entry.event).__name__ for entry in table.entries)


def test_the_matches_of_one_simulation_have_different_seeds() -> None:
    seeds = {seed_of_match(bytes(32), seats, number) for seats in (3, 4) for number in range(20)}
    assert len(seeds) == 40


def test_quantiles_of_a_simulation_are_values_that_occurred() -> None:
    numbers = list(range(1, 101))
    assert (
        spread_of_numbers(numbers).min,
        spread_of_numbers(numbers).median,
        spread_of_numbers(numbers).p95,
        spread_of_numbers(numbers).max,
    ) == (1, 50, 95, 100)
    assert spread_of_numbers([7]).p95 == 7
    with pytest.raises(ValueError, match="nothing"):
        spread_of_numbers([])


def test_a_shared_victory_counts_for_each_winner_and_a_draw_for_nobody() -> None:
    tally = Tally(3)
    tally.add(Played(4, 2, Outcome("found", (0, 2)), {"Dealt": 1}))
    tally.add(Played(6, 3, Outcome("cap"), {"Dealt": 1}))
    assert (tally.wins_by_seat, tally.matches_without_winner, tally.matches, tally.events) == (
        {0: 1, 2: 1},
        1,
        2,
        {"Dealt": 2},
    )
    assert tally.victory_shares_by_seat == [0.5, 0.0, 0.5]


def test_victories_of_one_bots_several_seats_are_added() -> None:
    plan, tally = Plan("hogen", 3, "", ("greedy", "random")), Tally(3)
    tally.add(Played(4, 2, Outcome("found", (0, 1)), {}))
    tally.add(Played(4, 2, Outcome("found", (2,)), {}))
    assert command.wins_by_bot(plan, tally) == {"greedy": 1.5, "random": 0.5}


def test_scores_are_shown_as_means_by_seat_and_of_the_winner() -> None:
    game, plan, tally = all_games()["hogen"], Plan("hogen", 3, "ab"), Tally(3)
    tally.add(Played(4, 2, Outcome("found", (1,), (1, 9, 2)), {}))
    tally.add(Played(4, 2, Outcome("found", (0, 2), (4, 0, 4)), {}))
    told = json.loads(command.counts_as_json(game, [plan], [tally]))["seats"]["3"]["scores"]
    assert told == {"mean": [2.5, 4.5, 3.0], "winner_mean": 6.5}
    lines = [line.split() for line in command.table_of_counts(game, [plan], [tally]).splitlines()]
    assert ["score:", "seat", "B,", "mean", "4.50"] in lines
    assert ["score:", "winner,", "mean", "6.50"] in lines
    assert "Scores" in command.plot_as_svg("Hogen", [tally])
    assert "Scores" not in command.plot_as_svg("Hogen", [Tally(3, [1], [1], [0], [0])])


def test_chunks_of_a_simulation_add_up_to_the_whole_also_via_a_worker() -> None:
    plan = Plan("hogen", 3, SEED, ("greedy", "random"))
    whole, parts = play_chunk(Chunk(plan, 0, 6)), Tally(3)
    for first, beyond in ((0, 4), (4, 6)):
        carried = json.loads(json.dumps(simulate(msgspec.to_builtins(plan), first, beyond)))
        parts.join(msgspec.convert(carried, Tally, strict=False))
    assert parts == whole
    assert whole.matches == 6


@pytest.mark.long
def test_simulate_without_seats_has_a_column_for_every_number_of_seats(bare: Pbem) -> None:
    result = bare("simulate", "hogen", "--matches", "20", "--seed", SEED)
    assert result.exit_code == 0
    rows = {line[:18].strip(): line[18:].split() for line in result.stdout.splitlines()[1:] if line}
    assert rows["seats"] == ["3", "4"]
    assert rows["matches"] == ["20", "20"]
    assert rows["event: Dealt"] == ["20", "20"]
    assert {"waits: median", "decisions: p95", "ended: all_wrong", "won: seat D", "won: nobody"} <= set(rows)
    assert SEED in result.stdout.splitlines()[0]


@pytest.mark.long
def test_simulate_gives_the_same_figures_only_for_the_same_seed(bare: Pbem) -> None:
    first = bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--seed", SEED, "--json").stdout
    assert bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--seed", SEED, "--json").stdout == first
    assert bare("simulate", "hogen", "--seats", "3", "--matches", "20", "--json").stdout != first


@pytest.mark.long
def test_simulate_gives_the_same_figures_for_any_number_of_processes(bare: Pbem) -> None:
    words = ("simulate", "hogen", "--matches", "45", "--seed", SEED, "--bots", "greedy,random")
    assert bare(*words, "--jobs", "2").stdout == bare(*words).stdout


@pytest.mark.long
def test_simulate_counts_orders_reproducibly_by_seed(bare: Pbem) -> None:
    words = ("simulate", "hagakure", "--seats", "3", "--matches", "9", "--seed", SEED, "--bots", "greedy")
    told = json.loads(bare(*words, "--orders", "typical", "--json").stdout)
    numbers = told["seats"]["3"]
    assert told["orders"] == ["typical"]
    assert 0 < numbers["by_order"]["median"] < numbers["decisions"]["median"]
    by_hand = json.loads(bare(*words, "--json").stdout)["seats"]["3"]
    assert by_hand["by_order"] == {"min": 0, "median": 0, "p95": 0, "max": 0}
    assert numbers["waits"]["median"] < by_hand["waits"]["median"]
    assert 0 < numbers["days"]["median"] < by_hand["days"]["median"]
    table = bare(*words, "--orders", "typical").stdout
    rows = {line[:18].strip(): line[18:].split() for line in table.splitlines()[1:] if line}
    assert rows["days: median"] == [str(numbers["days"]["median"])]
    assert rows["by order: median"] == [str(numbers["by_order"]["median"])]
    assert table.splitlines()[0] == f"Hagakure, bots greedy, orders typical, seed {SEED}"


def test_simulate_compares_seats_with_orders_to_those_without(bare: Pbem) -> None:
    words = ("simulate", "hagakure", "--seats", "3", "--matches", "4", "--seed", SEED, "--bots", "greedy")
    told = json.loads(bare(*words, "--orders", "typical,none,none", "--json").stdout)["seats"]["3"]
    assert set(told["won_by"]) == {"greedy, orders typical", "greedy, orders none"}
    assert sum(told["won_by"].values()) == pytest.approx(4)


def test_a_short_list_of_bots_is_repeated_over_the_seats(bare: Pbem) -> None:
    words = ("simulate", "hogen", "--matches", "10", "--seed", SEED, "--seats", "3")
    short, long = (bare(*words, "--bots", bots, "--json").stdout for bots in ("greedy,random", "greedy,random,greedy"))
    assert json.loads(short)["seats"] == json.loads(long)["seats"]
    rows = bare(*words, "--bots", "greedy,random").stdout.splitlines()
    assert "bots greedy, random" in rows[0]
    assert [row.split()[-3:] for row in rows if row.startswith("seats: ")] == [["2", "of", "3"], ["1", "of", "3"]]


def test_the_heading_of_a_simulation_names_options_that_are_not_default(bare: Pbem) -> None:
    words = ("simulate", "niigata", "--matches", "2", "--seats", "2", "--seed", SEED)
    heading = bare(*words, "--options", '{"picking": "grab"}').stdout.splitlines()[0]
    assert heading == f"The Ponds of Niigata, picking grab, random play, seed {SEED}"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_simulate_draws_a_plot_of_the_match_lengths(bare: Pbem, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"lengths.{kind}"
    result = bare("simulate", "hogen", "--matches", "10", "--seed", SEED, "--plot", str(file))
    assert result.exit_code == 0
    if kind == "png":
        assert file.read_bytes().startswith(b"\x89PNG\r\n")
    else:
        drawn = ElementTree.fromstring(file.read_text())
        words = "".join(drawn.itertext())
        assert "Hogen, random play" in words
        assert "Decisions: 3 seats, 10 matches" in words
        assert "Waits: 4 seats, 10 matches" in words


def test_a_plot_that_cannot_be_drawn_is_refused_in_a_sentence(
    bare: Pbem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> bytes:
        raise ImportError("neither Skia nor resvg")

    monkeypatch.setattr(command, "document_png", failing)
    result = bare("simulate", "hogen", "--matches", "2", "--seed", SEED, "--plot", str(tmp_path / "lengths.png"))
    assert result.exit_code == 1
    assert "The PNG cannot be drawn (neither Skia nor resvg)" in result.stderr


def test_the_bars_of_a_plot_count_every_match_once() -> None:
    tally = Tally(3, [5, 5, 6, 200], [1, 1, 1, 1], [0] * 4, [0] * 4)
    drawn = ElementTree.fromstring(command.plot_as_svg("x", [tally]))
    titles = [element.text or "" for element in drawn.iter() if element.tag.endswith("title")]
    counts = [int(text.split(": ")[1]) for text in titles]
    assert sum(counts) == 8
    assert titles[0] == "5 to 13: 3"
    assert "1: 4" in titles


def test_distribution_without_a_live_broker_says_what_is_missing(bare: Pbem, monkeypatch: pytest.MonkeyPatch) -> None:
    result = bare("simulate", "hogen", "--matches", "5", "--distribute")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "set REDIS_URL" in result.stderr
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    result = bare("simulate", "hogen", "--matches", "5", "--distribute")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot be reached" in result.stderr


@pytest.mark.long
def test_the_numbers_in_simulates_json_add_up(bare: Pbem) -> None:
    told = json.loads(bare("simulate", "hogen", "--matches", "30", "--seed", SEED, "--json").stdout)
    assert (told["game"], told["seed"], sorted(told["seats"])) == ("hogen", SEED, ["3", "4"])
    for seats, numbers in told["seats"].items():
        assert numbers["matches"] == 30 == sum(numbers["endings"].values())
        assert sum(numbers["wins"]) + numbers["unwon"] == 30
        assert len(numbers["wins"]) == int(seats)
        assert numbers["won_by"] == {"random": sum(numbers["wins"])}
        assert numbers["scores"] is None
        assert numbers["events"]["AllyChosen"] == 30 * int(seats)
        assert 1 <= numbers["waits"]["min"] <= numbers["waits"]["max"] <= numbers["decisions"]["max"]


@cases(
    "words, complaint",
    [
        (("chess",), "there is no game 'chess'; there are: "),
        (("hogen", "--seats", "2"), "hogen is played by 3 or 4"),
        (("hogen", "--seed", "12"), "64 hexadecimal digits"),
        (("hogen", "--seed", "xy" * 32), "64 hexadecimal digits"),
        (("hogen", "--options", '{"no": 1}'), "hogen: there is no option “no”, but: memory."),
        (("niigata", "--options", '{"no": 1}'), "niigata: there is no option “no”, but: picking."),
        (
            ("niigata", "--options", '{"picking": "quick"}'),
            'picking cannot be "quick"; it is one of: "compulsory", "grab", "turns".',
        ),
        (("allegeance", "--options", '{"target": 9}'), "target cannot be 9; it is one of: null, 1, 2, 3, 4, 5."),
        (("hexen-rennen", "--options", '{"goal_by_tile": 1}'), "goal_by_tile cannot be 1; it is one of: false, true."),
        (("hogen", "--options", "{"), "it breaks off before its end. Options are written like"),
        (("hogen", "--options", "[]"), "a set of names and values in { } is expected, not a list in [ ]"),
        (("hogen", "--options", "{no: 1}"), "it is not JSON, from character 2 on"),
        (("hogen", "--options", "[" * 5000), "--options"),
        (("hogen", "--options", '"\\ud800"'), "--options"),
        (("hogen", "--matches", "0"), "--matches"),
        (("hogen", "--bots", "greedy,clever"), "hogen has no bot 'clever'; it has: random, easy, greedy, fair, strong"),
        (("hogen", "--orders", "some"), "nobody orders 'some'; seats order: none, typical, planner"),
        (("hogen", "--bots", ""), "hogen has no bot ''"),
        (("hogen", "--jobs", "0"), "--jobs"),
        (("hogen", "--jobs", "2", "--distribute"), "choose one"),
        (("hogen", "--plot", "lengths.gif"), "ends in .svg or .png"),
        (("hogen", "--plot", "no/such/folder/lengths.svg"), "there is no folder"),
    ],
)
def test_simulate_refuses_impossible_settings_with_the_possible_ones(
    bare: Pbem, words: tuple[str, ...], complaint: str
) -> None:
    result = bare("simulate", *words)
    assert result.exit_code == 2
    said = re.sub(r"\s*\n\s*", " ", result.stderr)
    assert complaint in said
    assert not DEVELOPERS.search(said)


IMPORTED = """
import sys
from pbem.cli import main
from pbem.discovery import packages_of_features
main(["simulate", "--help"], standalone_mode=False)
loaded = {name.split(".")[2] for name in sys.modules if name.startswith("pbem.features.")}
print(sorted(loaded & packages_of_features().keys()))
"""


def test_the_lab_loads_no_command_of_another_feature() -> None:
    said = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "['lab']"
