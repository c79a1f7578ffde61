"""`pbem lab`: the report of a game, the same no matter who plays the matches, and what is left of it after Ctrl-C."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pbem.features.lab.commands import running
from pbem.features.lab.commands.running import Progress, run_plans
from pbem.features.lab.distribution import NoWorkers
from pbem.features.lab.plans import Chunk, Plan
from pbem.features.lab.simulations import play_chunk
from pbem.features.lab.tallies import Tally
from pbem.kit.play import LawBroken
from tests.commands.conftest import Pbem
from tests.harness.cases import cases

SEED = "5e" * 32
WORDS = ("lab", "hagakure", "--seats", "3", "--matches", "4", "--seed", SEED)


@pytest.mark.long
def test_the_report_is_a_self_contained_page_with_all_its_numbers_in_json(bare: Pbem, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = bare(*WORDS, "--bots", "greedy,random", "--json", "--html", str(file))
    assert result.exit_code == 0
    told, page = json.loads(result.stdout), file.read_text()
    assert {one["bot"] for one in told["alike"]} == {"greedy", "random"}
    assert told["ladders"][0]["matches"] == 4
    assert told["matches"] == 12
    for words in ("What is striking", "Bots are not people", "Fairness", "Length", "Choice", "Tension", "Slow play"):
        assert words in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=|url\((?!data:)", page)
    assert page.count("<svg") == page.count("</svg>") >= 9


@pytest.mark.long
def test_a_lab_report_has_the_same_bytes_for_any_number_of_processes(bare: Pbem) -> None:
    assert bare(*WORDS, "--json", "--jobs", "2").stdout == bare(*WORDS, "--json").stdout


def test_variants_stand_beside_each_other_on_the_same_deals(bare: Pbem) -> None:
    words = ("lab", "allegeance", "--seats", "2", "--matches", "4", "--seed", SEED, "--vary", "target=1,2", "--json")
    told = json.loads(bare(*words).stdout)
    assert told["comparisons"][0]["names"] == ["target 1", "target 2"]
    longer = {row["what"]: row["difference"]["value"] for row in told["comparisons"][0]["differences"]}
    assert longer["decisions a match"] > 0


def play_chunks(chunks: Sequence[Chunk]) -> Iterator[Tally]:
    yield from map(play_chunk, chunks)


def chunks_until_interrupt(chunks: Sequence[Chunk]) -> Iterator[Tally]:
    yield from map(play_chunk, chunks[:3])
    raise KeyboardInterrupt


def test_ctrl_c_reports_the_matches_already_played(bare: Pbem, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [Plan("hogen", 3, SEED), Plan("hogen", 4, SEED)]
    ran = run_plans(plans, 4, chunks_until_interrupt)
    assert ([tally.matches for tally in ran.tallies], ran.interrupted) == ([2, 1], True)
    monkeypatch.setattr(
        "pbem.features.lab.commands.lab.way_of_playing", lambda jobs, distribute: chunks_until_interrupt
    )
    result = bare(*WORDS, "--json")
    assert result.exit_code == 130
    told = json.loads(result.stdout)
    assert (told["interrupted"], told["matches"]) == (True, 3)


def chunks_until_loss(chunks: Sequence[Chunk]) -> Iterator[Tally]:
    yield from map(play_chunk, chunks[:3])
    raise NoWorkers("The workers are lost.")


def chunks_until_error(chunks: Sequence[Chunk]) -> Iterator[Tally]:
    yield from map(play_chunk, chunks[:3])
    raise LawBroken("The match does not end.")


def at_once(chunks: Sequence[Chunk]) -> Iterator[Tally]:
    yield from map(play_chunk, chunks[:0])
    raise KeyboardInterrupt


@pytest.mark.long
@pytest.mark.parametrize(
    ("play", "why"), [(chunks_until_loss, "The workers are lost."), (chunks_until_error, "The match does not end.")]
)
def test_an_error_in_a_run_is_reported_after_the_matches_already_played(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, play: running.Play, why: str
) -> None:
    for command in ("lab", "simulate"):
        monkeypatch.setattr(f"pbem.features.lab.commands.{command}.way_of_playing", lambda jobs, distribute: play)
    file = tmp_path / "report.html"
    result = bare(*WORDS, "--html", str(file))
    assert (result.exit_code, why in result.stderr) == (1, True)
    assert "3 matches, interrupted before the end" in result.stdout
    assert "3 matches, interrupted before the end" in file.read_text()
    result = bare("simulate", *WORDS[1:], "--json")
    assert (result.exit_code, why in result.stderr) == (1, True)
    assert json.loads(result.stdout)["seats"]["3"]["matches"] == 3


def test_a_run_that_ends_before_its_first_match_reports_nothing(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for command in ("lab", "simulate"):
        monkeypatch.setattr(f"pbem.features.lab.commands.{command}.way_of_playing", lambda jobs, distribute: at_once)
    file = tmp_path / "report.html"
    for result in (bare(*WORDS, "--html", str(file)), bare("simulate", *WORDS[1:])):
        assert (result.exit_code, result.stdout) == (130, "")
        assert "No match was played to its end" in result.stderr
    assert not file.exists()


def test_the_lab_report_of_one_match_uses_the_singular(bare: Pbem, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    said = bare("lab", "hagakure", "--seats", "3", "--matches", "1", "--seed", SEED, "--html", str(file)).stdout
    assert ", 1 match, bots" in said
    assert not re.search(r"\b1 matches", said + file.read_text())


def test_a_run_stops_when_decided_with_equally_many_matches_per_plan() -> None:
    plans = [Plan("hogen", 3, SEED), Plan("hogen", 4, SEED)]
    ran = run_plans(plans, 4, play_chunks, lambda tallies: tallies[0].matches == 2)
    assert ([tally.matches for tally in ran.tallies], ran.interrupted) == ([2, 2], False)


def test_without_a_terminal_a_progress_line_is_printed_now_and_then() -> None:
    now, file = [0.0], io.StringIO()
    progress = Progress(100, file, lambda: now[0])
    progress.show_more_matches_played(10)
    assert file.getvalue() == ""
    now[0] = running.EVERY_S
    progress.show_more_matches_played(15)
    progress.end()
    assert file.getvalue() == "25 of 100 matches, 30 s left\n"
    now[0] = 18_000.0
    progress.show_more_matches_played(25)
    assert file.getvalue().splitlines()[-1] == "50 of 100 matches, 5 h 0 min left"


@pytest.mark.long
def test_until_decided_plays_only_the_matches_that_compare_the_two_bots(bare: Pbem) -> None:
    words = ("--seats", "2", "--bots", "greedy,random", "--matches", "200", "--seed", SEED, "--until-decided")
    told = json.loads(bare("lab", "hexen-rennen", *words, "--json").stdout)
    assert told["verdict"][0] == "first"
    assert (told["matches"], told["alike"]) == (told["ladders"][0]["matches"], [])
    assert told["matches"] < 100


def test_the_without_option_takes_spaces_and_names_moves_that_bar_nothing(bare: Pbem, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    words = (*WORDS, "--bots", "greedy", "--without", "Look, play Q99")
    told = json.loads(bare(*words, "--json", "--html", str(file)).stdout)
    assert (told["study"]["without"], told["idle"]) == (["Look", "play Q99"], ["play Q99"])
    for said in (file.read_text(), bare(*words).stdout):
        assert "Playing without play Q99 barred nothing" in said
        assert "Playing without Look barred nothing" not in said


def test_the_verdict_names_the_margin_it_can_distinguish(bare: Pbem, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    words = ("--seats", "2", "--bots", "greedy,random", "--matches", "2", "--seed", SEED, "--until-decided")
    said = bare("lab", "hexen-rennen", *words, "--margin", "12.5", "--html", str(file)).stdout
    assert "tells an even chance from one of 62.5 %" in said
    assert "tells an even chance from one of 62.5\N{NO-BREAK SPACE}%" in file.read_text()


@cases(
    "words, complaint",
    [
        (("--vary", "target"), "a variant is written like target=1,2,5"),
        (("--vary", "target=9"), "there is no option"),
        (("--without", "Look,Typo"), "no kind of move 'Typo', nor one written so"),
        (("--without", "xyz"), "no kind of move 'xyz'"),
        (("--without", ""), "no kind of move ''"),
        (("--until-decided",), "compares two"),
        (("--margin", "50"), "0<x<50"),
        (("--html", "no/such/folder/x.html"), "there is no folder"),
        (("--bots", "clever"), "hagakure has no bot 'clever'"),
        (("--seats", "3,9"), "hagakure is played by 3 or 4 or 5"),
    ],
)
def test_the_lab_refuses_plans_that_it_cannot_measure(bare: Pbem, words: tuple[str, ...], complaint: str) -> None:
    result = bare("lab", "hagakure", "--matches", "2", *words)
    assert result.exit_code == 2
    assert complaint in re.sub(r"\s*\n\s*", " ", result.stderr)
