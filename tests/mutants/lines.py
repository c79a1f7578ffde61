"""Which tests execute which lines: recorded part by part in a copy of the tree, and kept while it stays the same.

A part is a folder of tests. What it recorded holds for the same pbem and the same tests of that part; a changed test of
another part changes nothing.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from coverage import CoverageData

from tests.mutants.mutations import Mutant
from tests.mutants.recording import RECORD

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
TREE = BUILD / "tree"
QUICK, LONG = "not long", "long and not twin and not apart"
"""The tests of `make test`, and those of `make test-long`."""
EVERYWHERE = ("pbem/", "workers/", "templates/", "pyproject.toml")
"""What every test stands on, with the modules of tests that hold no tests."""


def files_of_tree() -> list[str]:
    """Returns every file of the tree, with those that are not committed yet."""
    words = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(name for name in set(listed) if name and os.path.lexists(ROOT / name))


def copy_tree() -> None:
    """Makes the copy equal to the tree; what Python has compiled there stays."""
    names = files_of_tree()
    known = {TREE / name for name in names}
    for path in [path for path in TREE.rglob("*") if not path.is_dir() or path.is_symlink()]:
        if path not in known and "__pycache__" not in path.parts and path.name != ".venv":
            path.unlink()
    for name in names:
        source, target = ROOT / name, TREE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink() or not target.exists() or source.read_bytes() != target.read_bytes():
            target.unlink(missing_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    if not (TREE / ".venv").exists():
        (TREE / ".venv").symlink_to(ROOT / ".venv")


def run_pytest(*words: str, limit: float | None = None, environ: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Runs pytest in the copy; returns its exit code and what it printed. After `limit` seconds the code is -1."""
    known = {**os.environ, "PYTHONPATH": str(TREE), "COVERAGE_CORE": "ctrace", **(environ or {})}
    argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutants.recording", *words)
    running = subprocess.Popen(
        argv, cwd=TREE, env=known, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = running.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, 9)
        said, _ = running.communicate()
        return -1, said
    return running.returncode, said


def test_files_by_part(names: Iterable[str], wanted: tuple[str, ...]) -> dict[str, list[str]]:
    """Returns the files with tests of each part below the wanted paths."""
    found = defaultdict[str, list[str]](list)
    for name in names:
        path = Path(name)
        if not name.endswith(".py") or not any(path.is_relative_to(one) for one in wanted):
            continue
        if path.name.startswith("test_") or (path.parts[0] == "pbem" and b">>> " in (ROOT / path).read_bytes()):
            deep = 3 if path.parts[:2] in (("tests", "services"), ("tests", "features")) else 2
            found["/".join(path.parts[: min(deep, len(path.parts) - 1)])].append(name)
    return dict(found)


def _digest(names: Iterable[str]) -> str:
    found = hashlib.sha256()
    for name in names:
        if not (ROOT / name).is_dir():
            found.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return found.hexdigest()[:16]


class Lines:
    """Who executes which line, of the parts that were recorded."""

    def __init__(self, folders: list[Path]) -> None:
        self._data: list[CoverageData] = []
        self.seconds: dict[str, float] = {}
        """How long each test took; those that failed are not in it."""
        for folder in folders:
            for file in folder.glob("seconds.*.json"):
                self.seconds |= json.loads(file.read_text())
            for file in folder.glob("lines.*"):
                self._data.append(CoverageData(str(file)))
                self._data[-1].read()
        self._by_line = cache(self._read)

    def _read(self, file: str) -> dict[int, set[str]]:
        found = defaultdict[int, set[str]](set)
        for data in self._data:
            for line, tests in data.contexts_by_lineno(str(TREE / file)).items():
                found[line] |= {test for test in tests if test in self.seconds}
        return found

    def tests(self, mutant: Mutant) -> list[str]:
        """Returns those that execute the changed line, quickest first.

        What is outside of all functions runs once, when the file is imported: there it is those that execute any
        function of the file, or a line that has the name that is defined there, else all of its room. So it is with a
        function that no test executes, for it may run at the import, too.
        """
        found, by_line = set[str](), self._by_line(mutant.file)
        if mutant.function and not is_outside(mutant):
            found.update(*(by_line[at] for at in range(*_until(mutant.lines))))
        if not found:
            tree = ast.parse((ROOT / mutant.file).read_text())
            found.update(*(by_line[at] for at in _in_functions(tree)))
            for name in _names_defined(tree, mutant.line):
                for file, at in _mentions(name):
                    found |= self._by_line(file)[at]
        if not found:
            found.update(test for test in self.seconds if test.startswith(f"{mirroring_test_folder(mutant.file)}/"))
        return sorted(found, key=lambda test: (self.seconds[test], test))


def _until(lines: tuple[int, int]) -> tuple[int, int]:
    return lines[0], lines[1] + 1


def _functions(tree: ast.AST) -> Iterable[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _in_functions(tree: ast.AST) -> set[int]:
    return {at for node in _functions(tree) for at in range(node.body[0].lineno, (node.end_lineno or 0) + 1)}


def is_outside(mutant: Mutant) -> bool:
    """Returns whether it changes what runs once, when the file is imported."""
    return mutant.line not in _in_functions(ast.parse((ROOT / mutant.file).read_text()))


def _names_defined(tree: ast.AST, line: int) -> set[str]:
    """The names that the statement at a line gives something to, and the class or function around it."""
    around = (node for node in ast.walk(tree)
              if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0))  # fmt: skip
    names = set[str]()
    for node in around:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        names |= {one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)}
    return names


@cache
def _names() -> dict[str, set[tuple[str, int]]]:
    found = defaultdict[str, set[tuple[str, int]]](set)
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith("pbem/games/"):
            continue
        tree = ast.parse(path.read_text())
        inside = _in_functions(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and node.lineno in inside:
                found[node.id if isinstance(node, ast.Name) else node.attr].add((file, node.lineno))
    return found


def _mentions(name: str) -> set[tuple[str, int]]:
    return _names().get(name, set())


def mirroring_test_folder(file: str) -> str:
    """Returns the folder with the tests of the room in which this file of pbem stands."""
    parts = Path(file).parts
    return "/".join(("tests", *parts[1 : 3 if parts[1] in ("services", "features") and len(parts) > 3 else 2]))


def record_lines(wanted: tuple[str, ...], processes: int, run: str = QUICK) -> Lines:
    """Records each part below the wanted paths that has not been recorded yet for this run, and returns all of them."""
    copy_tree()
    names = files_of_tree()
    shared = [name for name in names if name.startswith("tests/") and re.search(r"/(?!test_)\w+\.py$", name)]
    common, folders = _digest([name for name in names if name.startswith(EVERYWHERE)] + shared), list[Path]()
    for part, tests in sorted(test_files_by_part(names, wanted).items()):
        own = [name for name in names if name.startswith(f"{part}/") and part.startswith("tests/")]
        folder = BUILD / "lines" / common / f"{part.replace('/', '.')}-{_digest(own + tests)}"
        folder = folder if run == QUICK else folder.with_name(f"{folder.name}-long")
        folders.append(folder)
        if folder.exists():
            continue
        making = folder.with_name(f".{folder.name}")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        many = ("--numprocesses", str(processes), "--dist", "worksteal") if processes > 1 else ()
        code, said = run_pytest("-m", run, *many, *tests, environ={RECORD: str(making), "PYTHONDONTWRITEBYTECODE": ""})
        sys.stderr.write(f"recorded {folder.name}: {said.strip().splitlines()[-1]}\n")
        if code not in (0, 1, 5):
            sys.exit(said)
        making.rename(folder)
    return Lines(folders)
