"""`make trips` counts what a request passes through; what is counted is shown on a toy, whose calls can be seen."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.trips import __main__ as bench
from benchmarks.trips.__main__ import HERE, Counts
from benchmarks.trips.subject import Calls, main

ONE = """
def start(outside):
    class Inside:
        pass
    (lambda: None)()
    (lambda: None)()
    first()
    first()
    first()
    again()
    outside(first)
    for _ in numbers():
        again()

def again():
    pass
"""
TWO = """
def first():
    second()

def second():
    pass

def numbers():
    yield 1
    yield 2

def never():
    pass
"""
HOPS = (
    "start → first", "second → again", "again → first, through a function outside", "numbers → again",
    "again → numbers, resumed", "numbers → again", "again → numbers, resumed",
)  # fmt: skip


@pytest.fixture
def toy(tmp_path: Path) -> dict[str, Any]:
    """Returns the functions of a package of two files, in the folder `toy`."""
    names: dict[str, Any] = {}
    for file, text in (("one.py", ONE), ("inner/two.py", TWO)):
        exec(compile(text, str(tmp_path / "toy" / file), "exec"), names)
    return names


def call(function: Any) -> Any:
    """Calls the function, from a file that is in no toy."""
    return function()


def test_files_functions_and_hops_of_a_toy_trip_are_counted_as_by_hand(tmp_path: Path, toy: dict[str, Any]) -> None:
    calls = Calls(tmp_path / "toy")
    calls.during(lambda: toy["start"](call))
    assert calls.files == {"one.py": 3, "inner/two.py": 3}  # start, again, <lambda>; first, second, numbers
    assert calls.hops == len(HOPS)


def test_calls_in_other_folders_and_after_the_trip_do_not_count(tmp_path: Path, toy: dict[str, Any]) -> None:
    other, calls = Calls(tmp_path / "to"), Calls(tmp_path / "toy")
    other.during(lambda: toy["start"](call))
    assert calls.during(lambda: call(toy["second"])) is None
    toy["start"](call)
    assert (other.files, other.hops, calls.files, calls.hops) == ({}, 0, {"inner/two.py": 1}, 0)


def test_a_module_body_does_not_count_as_a_function(tmp_path: Path) -> None:
    calls = Calls(tmp_path)
    calls.during(lambda: exec(compile(ONE, str(tmp_path / "one.py"), "exec"), {}))
    assert calls.files == {}


def test_nothing_is_counted_after_a_trip_that_fails(tmp_path: Path, toy: dict[str, Any]) -> None:
    calls = Calls(tmp_path / "toy")
    with pytest.raises(ZeroDivisionError):
        calls.during(lambda: 1 // 0)
    toy["start"](call)
    assert calls.files == {}


@pytest.mark.long
def test_a_move_a_page_and_a_mail_pass_through_some_dozens_of_files(tmp_path: Path) -> None:
    main(tmp_path)
    found = {name: Counts(**counts) for name, counts in json.loads((tmp_path / "counts.json").read_text()).items()}
    move, page, board, moved, drain = (counts.figures() for counts in found.values())
    assert [*found] == [
        "a REST move", "a seat page", "a page with its board", "a page after a move", "a drain of mails"
    ]  # fmt: skip
    assert {file for file in found["a seat page"].files if file.startswith("games/hogen/board/")} == set()
    assert "games/hogen/board/whole.py" in found["a page with its board"].files
    assert "kit/folds.py" in found["a page after a move"].files.keys() - found["a page with its board"].files.keys()
    assert "services/play/moves.py" in found["a REST move"].files
    assert "services/mail/sender.py" in found["a drain of mails"].files
    assert 10 < move["files"] < 100
    assert move["files"] < move["functions"] < 500
    assert move["files"] <= move["hops"] + 1 < 1000
    assert 10 < page["files"] < board["files"] < moved["files"] < 200
    assert 10 < drain["files"] < 200


@pytest.mark.long
@pytest.mark.apart
def test_two_runs_of_the_trips_count_the_same_calls() -> None:
    assert bench.count_tree(HERE) == bench.count_tree(HERE)


SMALL = {"a trip": Counts({"a.py": 1, "c.py": 3, "b.py": 3}, 1200)}
LARGE = {"a trip": Counts({"a.py": 9, "c.py": 3, "b.py": 1, "d.py": 1}, 2400)}


def test_the_table_shows_the_ratio_to_the_tree_beside() -> None:
    rows = [line.split() for line in bench.table_of_counts(SMALL, LARGE).splitlines()]
    assert rows[0] == ["here", "beside", "ratio"]
    assert [row[-4:] for row in rows[1:]] == [
        ["files", "3", "4", "0.75"], ["functions", "7", "14", "0.50"], ["hops", "1,200", "2,400", "0.50"]
    ]  # fmt: skip


def test_the_list_has_the_files_with_most_functions_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "count_tree", lambda _: SMALL)
    bench.main(["--list"])
    table, listed = capsys.readouterr().out.split("\n\na trip\n")
    assert table.splitlines()[0].split() == ["here"]
    assert [line.split() for line in listed.splitlines()] == [["3", "b.py"], ["3", "c.py"], ["1", "a.py"]]


def test_another_tree_is_counted_beside_this_one_if_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "count_tree", {HERE: SMALL, tmp_path.resolve(): LARGE}.__getitem__)
    bench.main(["--beside", str(tmp_path)])
    assert capsys.readouterr().out == bench.table_of_counts(SMALL, LARGE)
