"""What pbem is installed with: each file has its hash; a library on whose inside pbem stands has an upper bound."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from requirements.install import BUILDS
from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEPENDENCIES: dict[str, Requirement] = {
    canonicalize_name(one.name): one for one in map(Requirement, PROJECT["project"]["dependencies"])
}
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
SOURCES = [*ROOT.joinpath("pbem").rglob("*.py"), *ROOT.joinpath("workers").rglob("*.py")]
DISTRIBUTIONS = packages_distributions()
# Those whose documented names go so deep that another version may mean something else by them: statements that are
# compiled once and bypass the session, keys that Celery's transport keeps in Redis, the fields of a parsed signature.
DEEP = {"sqlalchemy", "kombu", "dkimpy", "httptools"}


def requirements_of(lock: Path) -> dict[str, list[str]]:
    """Returns the requirements of a lock with their hashes."""
    entries = re.split(r"^(?=[^\s#])", lock.read_text(), flags=re.MULTILINE)[1:]
    return {entry.split()[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry) for entry in entries}


def packages_derived_from(source: str) -> Iterator[tuple[str, str]]:
    """Yields the packages from which a module derives classes or takes private names, each with where."""
    nodes = list(ast.walk(ast.parse(source)))
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {(each.asname or each.name.partition(".")[0]): each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {(each.asname or each.name): f"{node.module}.{each.name}" for each in node.names}
    for name in names.values():
        if any(re.match(r"_(?!_)", part) for part in name.split(".")):
            yield name.partition(".")[0], name
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).partition("[")[0].partition(".")[0] for base in node.bases}
            yield from ((names[base].partition(".")[0], node.name) for base in bases & names.keys())


def libraries_used_inside() -> dict[str, set[str]]:
    """Returns the libraries on whose inside pbem stands, each with where."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for package, where in packages_derived_from(path.read_text("utf-8")):
            if package not in sys.stdlib_module_names | {"pbem", "_typeshed"}:
                for distribution in DISTRIBUTIONS[package]:
                    found.setdefault(canonicalize_name(distribution), set()).add(f"{path.name}: {where}")
    return found


def is_bounded(specifier: SpecifierSet, version: str) -> bool:
    """True if no version is allowed that may break what this one has: the next major, or of a 0.x the next minor."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return f"{major + 1}.0" not in specifier and (major > 0 or minor == 0 or f"0.{minor + 1}" not in specifier)


def test_every_requirement_of_every_lock_is_pinned_with_hashes() -> None:
    assert {lock.name for lock in LOCKS} == {"run.txt", "dev.txt", "build.txt", "uv.txt", "clients.txt"}
    for lock in LOCKS:
        entries = requirements_of(lock)
        assert entries, lock
        for requirement, hashes in entries.items():
            assert "==" in requirement, requirement
            assert hashes, f"{requirement} in {lock.name}"


def test_every_install_command_requires_hashes() -> None:
    source = (ROOT / "requirements" / "install.py").read_text()
    installs = re.findall(r"call\((?:uv, \"pip\"|\*pip), .*", source)
    assert len(installs) == 3
    for words in installs:
        assert "--require-hashes" in words or '*into, "--no-deps", "--editable"' in words, words
        assert "*into" in words or 'LOCKS / "uv.txt"' in words, words
    assert re.search(r"\n    into = \(.*, \*BUILDS\)\n", source)
    assert BUILDS == ("--build-constraints", "requirements/build.txt", "--require-build-hashes")
    assert not re.search(r"pip (install|sync|wheel)", (ROOT / "Makefile").read_text())


def test_build_requirements_of_pbem_and_source_packages_are_locked() -> None:
    built_with = {
        requirement.partition("==")[0] for requirement in requirements_of(ROOT / "requirements" / "build.txt")
    }
    asked = {canonicalize_name(Requirement(each).name) for each in PROJECT["build-system"]["requires"]}
    assert asked | {"editables", "setuptools"} <= built_with


def test_a_library_whose_internals_pbem_uses_has_an_upper_bound() -> None:
    pins = dict(requirement.split("==") for requirement in requirements_of(ROOT / "requirements" / "run.txt"))
    found = libraries_used_inside()
    assert {"uvicorn", "flask-smorest", "sqlmodel", "celery"} <= found.keys(), "the search has gone blind"
    wide = {
        name: places
        for name, places in {**found, **{name: {"DEEP"} for name in DEEP}}.items()
        if not is_bounded(DEPENDENCIES[name].specifier, pins[name])
    }
    assert wide == {}


def test_every_bound_lets_the_locked_version_in() -> None:
    pins = [one.split("==") for one in re.findall(r"^\S+==\S+", (ROOT / "requirements" / "run.txt").read_text(), re.M)]
    for requirement in map(Requirement, PROJECT["project"]["dependencies"]):
        versions = [version for name, version in pins if name == canonicalize_name(requirement.name)]
        assert any(version in requirement.specifier for version in versions), requirement


@cases(
    "source",
    ["from celery import Task\nclass Mine(Task): ...", "import celery\nclass Mine(celery.Task): ...",
     "from celery import _state", "from celery.app._inner import thing", "import celery._state"],
)  # fmt: skip
def test_the_check_finds_uses_of_a_librarys_internals(source: str) -> None:
    assert [package for package, _ in packages_derived_from(source)] == ["celery"]


@cases(
    "specifier, version, bounded",
    [("~=5.7", "5.7.0", True), ("<6,>=5", "5.7.0", True), (">=5.7", "5.7.0", False), ("~=0.54", "0.54.1", False),
     ("~=0.54.0", "0.54.1", True), ("~=0.0.50", "0.0.50", True), (">=0.0.50", "0.0.50", False)],
)  # fmt: skip
def test_is_bounded_detects_version_specifiers_with_an_upper_bound(specifier: str, version: str, bounded: bool) -> None:
    assert is_bounded(SpecifierSet(specifier), version) is bounded
