"""`make bench-ratio` measures two trees in turn; these tests do not check how fast."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.ratio import __main__ as bench
from benchmarks.ratio import subject, trees
from benchmarks.ratio.rows import figure_by_round, ratios_by_round, row_of_medians
from benchmarks.ratio.trees import HERE, MissingTree, Tree, older_tree
from benchmarks.service.report import Row, markdown_of_rows
from tests.harness.cases import cases


def test_a_figure_is_the_median_of_the_ratios_of_its_rounds() -> None:
    found = row_of_medians("a mail", ratios_by_round([3, 8, 5], [10, 10, 10]), 0.6, "<=", fixed=[1.0], note="780 px")
    assert (found.value, found.is_met, found.peer, found.note) == (0.5, True, "1", "0.3–0.8; 780 px")


def test_a_ratio_of_unequal_numbers_of_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        ratios_by_round([1, 2], [1])


def test_a_figure_can_be_divided_by_the_additions_of_its_own_round() -> None:
    rounds = [{"ms": 12.0, "additions": 3.0}, {"ms": 30.0, "additions": 5.0}]
    assert (figure_by_round(rounds, "ms"), figure_by_round(rounds, "ms", "additions")) == ([12, 30], [4, 6])


def test_the_table_has_the_fixed_commit_beside_this_tree() -> None:
    rows = [
        ("bench-ratio", row_of_medians("pages", [5.0], 4, "<=", fixed=[7.2])),
        ("bench", row_of_medians("moves", [0.61], 0.6, ">=")),
    ]
    lines = markdown_of_rows(rows, "11c4cf5b").splitlines()
    assert lines[0] == "| figure | measured by | 11c4cf5b | here | goal |  | rounds |"
    assert lines[2:] == [
        "| pages | `bench-ratio` | 7.2 | 5 | ≤ 4 | missed |  |", "| moves | `bench` |  | 0.61 | ≥ 0.6 | met |  |"
    ]  # fmt: skip


@cases(
    "sent, expected",
    [
        (
            [("SELECT 1", 1, False), ("INSERT x", 2, False), ("SELECT 3", 3, False), ("commit", None, False)],
            [[("SELECT 1", 1)], [("INSERT x", 2), ("SELECT 3", 3)], [("commit", None)]],
        ),
        (
            [("UPDATE x", [1, 2], True), ("commit", None, False), ("SELECT 1", 3, False), ("rollback", None, False)],
            [[], [("UPDATE x", 1), ("UPDATE x", 2)], [("commit", None)], [("SELECT 1", 3)], [("rollback", None)]],
        ),
    ],
)
def test_a_move_by_bare_psycopg_reads_in_one_batch_and_writes_in_another(
    sent: list[tuple[str, object, bool]], expected: list[list[tuple[str, object]]]
) -> None:
    assert [*subject.read_and_write_batches(sent)] == expected


@cases("end", [[("commit", None, False)], []])
def test_a_mail_by_bare_psycopg_is_a_batch_before_it_leaves_and_one_after(end: list[tuple[str, object, bool]]) -> None:
    claim = f"{subject.CLAIM}=1"
    sent = [(claim, 1, False), ("SELECT 1", 2, False), *end, (subject.LEFT, None, False), ("UPDATE y", [3, 4], True)]
    expected = [[(claim, 1), ("SELECT 1", 2)], [("UPDATE y", 3), ("UPDATE y", 4)]]
    assert [*subject.statements_around_sending([*sent, *end, *sent, *end])] == 2 * expected


def test_the_clients_cpu_time_is_not_counted_in_a_turn() -> None:
    words = "5 moves; web 23.10 + worker 30.02 + PostgreSQL 6.00 + client 9.99 ms of CPU"
    assert subject.read_efforts(words) == {"web": 23.1, "worker": 30.02, "PostgreSQL": 6}


def test_without_git_history_the_ratio_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(trees, "ROOT", tmp_path)
    with pytest.raises(MissingTree, match="is no clone with git"):
        older_tree()
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    with pytest.raises(MissingTree, match="git fetch --unshallow"):
        older_tree()


def test_for_a_tree_without_a_venv_the_ratio_command_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(MissingTree, match=r"make \.venv/\.dev"):
        older_tree(tmp_path)


def test_without_the_other_tree_the_ratio_command_says_so_and_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        bench.main(["--beside", str(tmp_path)])
    assert ended.value.code == 2
    assert "there is no environment" in capsys.readouterr().err


def test_an_unknown_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["chess"])
    assert "there is no row chess" in capsys.readouterr().err


@cases("value, code", [(0.5, 0), (0.7, 1)])
def test_the_command_fails_where_a_goal_is_missed(
    value: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def light(fixed: Tree) -> Iterator[Row]:
        yield row_of_medians("light", [value], 0.6, "<=", fixed=[1.0])

    monkeypatch.setattr(bench, "ROWS", {"light": light})
    monkeypatch.setattr(bench, "older_tree", lambda _: HERE)
    with pytest.raises(SystemExit) as ended:
        bench.main([])
    assert ended.value.code == code
    assert f"| light | `bench-ratio ARGS=light` | 1 | {value} | ≤ 0.6 |" in capsys.readouterr().out


@pytest.mark.long
@cases(
    "work, told",
    [
        ("pages", {"entries": 120, "natural": 50, "times": 1, "kept": "by task"}),
        ("mails", {"matches": 6, "sent": 2}),
        ("bare", {"batched": True}),
        ("two_batches", {}),
        ("moves", {"seconds": 1}),
    ],
)
def test_each_subject_of_a_row_can_be_measured_in_this_tree(
    work: str, told: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    with trees.run_subject(HERE, work) as one:
        found = one.measure_round(**told)
    assert found["additions"] > 0
    assert found.get("ms", 0) + found.get("rate", 0) > 0


@pytest.mark.long
def test_a_subject_that_fails_says_what_it_has_logged() -> None:
    with trees.run_subject(HERE, "pages") as one, pytest.raises(RuntimeError, match="natural"):
        one.measure_round(entries=1)
