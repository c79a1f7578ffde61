"""The work that a use case leaves for after its commit is typed, and done only then."""

import ast
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import Session

import pbem
import workers
from pbem.kit.folds import no_folds
from pbem.services.log.one_batch import OneBatch, Outrun
from pbem.services.site import Head, Work
from tests.harness.cases import cases
from tests.table import House

SOURCES = [*Path(pbem.__file__).parent.rglob("*.py"), *Path(*workers.__path__).rglob("*.py")]


def find_hidden(source: str) -> list[str]:
    """Returns the places that read the `info` of a session, where anybody may put anything.

    A logger has an `info`, too, and so has a token of Markdown.
    """
    if "info" not in source:  # few modules have the word, and parsing them all takes seconds
        return []
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr == "info" and ast.unparse(node.value) not in ("log", "token")
    ]


def test_no_code_hides_values_in_sqlalchemys_session_info() -> None:
    assert {path.name: found for path in SOURCES if (found := find_hidden(path.read_text("utf-8")))} == {}


@cases("source", ["session.info['ring'] = True", "found = work.info.get('head')", "log(session.info)"])
def test_the_search_finds_values_hidden_in_a_session(source: str) -> None:
    assert len(find_hidden(source)) == 1


def test_the_search_for_hidden_session_values_accepts_log_calls() -> None:
    assert find_hidden("log.info('web.started')") == []


@pytest.mark.long
def test_work_left_for_after_the_commit_runs_only_then(house: House) -> None:
    match_id = house.begin()
    rings, counts = len(house.wakes), house.site.counters.read()
    with house.site.writing() as work:
        work.wakes = True
        work.count("moves", "hogen", "web")
        work.made = Head(match_id, 7000, 1, "here", no_folds(0))
        assert work.head(match_id, 7000, 1) is not None
        assert (len(house.wakes), house.site.counters.read()) == (rings, counts)
        assert house.site.heads.find(match_id) != work.made
    assert len(house.wakes) == rings + 1
    assert house.site.counters.read() == {**counts, "moves|hogen|web": counts.get("moves|hogen|web", 0) + 1}
    assert house.site.heads.find(match_id) == work.made


def test_work_left_for_after_the_commit_is_dropped_on_rollback(house: House) -> None:
    match_id = house.begin()
    rings, counts = len(house.wakes), house.site.counters.read()
    with suppress(ZeroDivisionError), house.site.writing() as work:
        work.wakes = True
        work.count("moves", "hogen", "web")
        work.made = Head(match_id, 7000, 1, "here", no_folds(0))
        raise ZeroDivisionError
    assert (len(house.wakes), house.site.counters.read()) == (rings, counts)
    assert house.site.heads.find(match_id) != work.made


def test_one_batch_offers_all_of_a_work_but_refuses_to_use_a_session(house: House) -> None:
    batch, own = OneBatch(house.site), vars(Work(None, house.site)).keys() - vars(Session()).keys()
    assert own <= {*vars(batch), *vars(OneBatch)}
    with pytest.raises(Outrun):
        batch.execute(text("SELECT 1"))
    batch.has_sent = True
    with pytest.raises(RuntimeError, match="has committed"):
        batch.execute(text("SELECT 1"))
