"""No test imports, reads or patches a private name of pbem: anything a test needs is a seam with a public name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("pbem/**/*.py"), *ROOT.glob("workers/*.py")]
TESTS = sorted(ROOT.glob("tests/**/*.py"))
PATCHES = {"setattr", "delattr", "getattr", "object", "patch"}
"""Calls that name an attribute by a string."""
PRIVATE = re.compile(r"\b_(?!_)\w+")
REACHED = re.compile(r"""(?:(?<!\bself)(?<!\bcls)\.|["'])(_(?!_)\w+)""")
IMPORT = re.compile(r"^[ \t]*from (?:pbem|workers)[\w.]* import\b(?: \([^)]*|.*)", re.MULTILINE)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names(tree: ast.AST) -> Iterator[str]:
    """Returns the private names that a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.alias(asname=str(name)):
                yield name


def names_in_text(source: str) -> set[str]:
    """Returns the private names that a test's text may touch: to parse all tests and all of pbem takes seconds."""
    return {*REACHED.findall(source)} | {name for said in IMPORT.findall(source) for name in PRIVATE.findall(said)}


@pytest.fixture(scope="module")
def theirs() -> set[str]:
    """Returns every private name of pbem that a test may touch."""
    names = {name for path in TESTS for name in names_in_text(path.read_text(encoding="utf-8"))}
    sources = (path.read_text(encoding="utf-8") for path in SOURCES)
    trees = (ast.parse(source) for source in sources if names & {*PRIVATE.findall(source)})
    return {name for tree in trees for name in private_names(tree) if name in names}


def names_touched(source: str, theirs: set[str]) -> list[str]:
    """Returns the private names of pbem that a test's module uses, each with its line."""
    found: list[str] = []
    if not theirs & names_in_text(source):
        return found
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name):
                names = [name]
            case ast.ImportFrom(module=str(module), names=aliases) if module.partition(".")[0] in ("pbem", "workers"):
                found += [f"{node.lineno}: {one.name}" for one in aliases if is_private(one.name)]
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=args) if called in PATCHES:
                said = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                names = [one.rpartition(".")[2] for one in said]
        found += [f"{node.lineno}: {name}" for name in names if is_private(name) and name in theirs]  # type: ignore[attr-defined]
    return found


def test_no_test_touches_a_private_name(theirs: set[str]) -> None:
    found = {str(path.relative_to(ROOT)): names_touched(path.read_text(encoding="utf-8"), theirs) for path in TESTS}
    assert {path: names for path, names in found.items() if names} == {}


@cases(
    "source",
    [
        "from pbem.services.mail.sender import _known",
        "sender._known(site)",
        "house.site.engine._known = 1",
        'monkeypatch.setattr(sender, "_known", other)',
        'monkeypatch.setattr("pbem.services.mail.sender._known", other)',
        'mock.patch("pbem.services.mail.sender._known")',
    ],
)
def test_the_check_finds_each_use_of_a_private_name(source: str) -> None:
    assert names_touched(source, {"_known"}) == ["1: _known"]


def test_the_check_accepts_private_names_of_tests_and_libraries() -> None:
    assert names_touched("self._known, thing._other, sys._getframe(), known", {"_known"}) == []
