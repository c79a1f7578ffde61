"""The two trees that are compared, and processes in them that do the work of a row when they are told."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

ROOT = Path(__file__).parents[2]
COMMIT = "11c4cf5b"
PLACE = ROOT / "build" / "ratio" / COMMIT
SUBJECT = Path(__file__).with_name("subject.py")
END_S = 60


class MissingTree(Exception):
    """The tree of the fixed commit cannot be had; its text says what is missing."""


@dataclass(frozen=True)
class Tree:
    """A tree of pbem with its own environment."""

    folder: Path
    python: str

    def environ_of_process(self) -> dict[str, str]:
        """Returns the environment of a process of this tree."""
        known = {name: value for name, value in os.environ.items() if not name.startswith(("PBEM_", "PYTHON"))}
        return known | {"PYTHONPATH": str(self.folder), "PYTHONHASHSEED": "0"}

    def run_python(self, *words: str) -> str:
        """Returns what Python prints in this tree with these words. Raises CalledProcessError if it fails."""
        program = [self.python, *words]
        return subprocess.run(
            program, cwd=self.folder, env=self.environ_of_process(), stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def picture_width(self) -> int:
        """Returns the width of the pictures in its mails, in pixels."""
        return int(self.run_python("-c", "from benchmarks.pictures import PICTURE_WIDTH; print(PICTURE_WIDTH)"))


HERE = Tree(ROOT, sys.executable)


def older_tree(folder: Path | None = None) -> Tree:
    """Returns the tree of the fixed commit: in this folder, or in a worktree that is kept in `build` between runs.

    The first time, its environment is fetched, which takes a minute. Raises MissingTree.
    """
    if folder is None:
        _check_out_fixed_commit()
    place = (folder or PLACE).resolve()
    python = place / ".venv" / "bin" / "python"
    if folder is None:
        known = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS"))}
        made = subprocess.run(
            [shutil.which("make") or "make", "--no-print-directory", "-C", str(place), ".venv/.dev"],
            env=known,
            check=False,
            stdout=sys.stderr,
        )
        if made.returncode:
            raise MissingTree(
                f"the environment of {COMMIT} cannot be made in {place} (see above); it needs the net once"
            )
    if not python.exists():
        raise MissingTree(f"there is no environment in {place}: make .venv/.dev there")
    return Tree(place, str(python))


def _check_out_fixed_commit() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        raise MissingTree(f"{ROOT} is no clone with git, so commit {COMMIT} cannot be checked out beside it")
    if subprocess.run(
        [git, "cat-file", "-e", f"{COMMIT}^{{commit}}"], cwd=ROOT, check=False, capture_output=True
    ).returncode:
        raise MissingTree(f"the history has no commit {COMMIT}: git fetch --unshallow, if this is a shallow clone")
    if not (PLACE / "Makefile").exists():
        subprocess.run([git, "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(
            [git, "worktree", "add", "--quiet", "--force", "--detach", str(PLACE), COMMIT],
            cwd=ROOT, check=True, stdout=sys.stderr,
        )  # fmt: skip


class Subject:
    """A process that does the work of one row in one tree, a round at a time."""

    def __init__(self, tree: Tree, work: str, log: IO[bytes]) -> None:
        self._name, self._log = f"{work} in {tree.folder}", log
        self._process = subprocess.Popen(
            [tree.python, str(SUBJECT), work], cwd=tree.folder, env=tree.environ_of_process(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
        )  # fmt: skip
        self._read_figures()

    def measure_round(self, **told: Any) -> Mapping[str, float]:
        """Returns what was measured in one round. Raises RuntimeError, with its log, if it fails."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return self._read_figures()

    def _read_figures(self) -> Mapping[str, float]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            told = [line for line in self._log.read().decode(errors="replace").splitlines() if line[:1] != "{"]
            raise RuntimeError("\n".join([f"{self._name} has failed:", *told[-40:]]))
        found: Mapping[str, float] = json.loads(line)
        return found

    def close(self) -> None:
        """Ends it, and all that it has started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@contextmanager
def run_subject(tree: Tree, work: str) -> Iterator[Subject]:
    """Runs a subject while the block runs; it is ready when the block begins."""
    with TemporaryFile() as log:
        one = Subject(tree, work, log)
        try:
            yield one
        finally:
            one.close()
