"""Tries one mutant after another in forks of a pytest that has collected all tests once.

A fork puts the mutant's functions in the place of those that were imported, and runs the tests it is told until one
fails: many times as quick as a process of its own for each mutant. What it cannot try is code outside of all functions
and tests that start servers or other processes.

This module is both sides: `Forks` asks, and, as a plugin of pytest, `Loop` answers by the socket that `FORKS` names.
A line of JSON asks: {"file": path, "source": its text with the mutant, "tests": ids in their order, "limit": seconds}.
A line of JSON answers: {"failed": id or "", "why": a line}, or {"cannot": why}.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

FORKS = "MUTANTS_FORKS"
SERVERS = {
    "postgres", "postgres_url", "postgres_migrated", "blank_postgres_url", "redis_address", "redis_url", "browser",
}  # fmt: skip
"""What forks must not share."""
PROCESSES = (
    "tests/bare/", "tests/browser/", "tests/chaos/", "tests/harness/", "tests/production/", "tests/run/",
    "tests/upgrades/",
)  # fmt: skip
"""Whose tests start processes, which would not have the mutant."""
IS_FUNCTION = 1
"""The flag of a code object whose names are local, as those of modules and classes are not."""


def can_run(test: str) -> bool:
    """Returns whether a fork can run the test of this id."""
    return not test.startswith(PROCESSES) and "postgresql" not in test


class Forks:
    """A pytest that tries mutants."""

    def __init__(self, tree: Path, tests: Sequence[str]) -> None:
        """Starts it in this copy of the tree; it collects these test files."""
        mine, its = socket.socketpair()
        files = sorted({test for test in tests if can_run(test)})
        argv = (
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            __name__,
            "-m",
            "not long",
            *files,
        )
        self._running = subprocess.Popen(
            argv, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree), FORKS: str(its.fileno())},
            pass_fds=[its.fileno()], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
        )  # fmt: skip
        its.close()
        self._socket = mine
        self._asked = mine.makefile("rw")
        self._sound = dict[str, bool]()

    def try_(self, file: Path, source: str, tests: Sequence[str], limit: float) -> Mapping[str, str]:
        """Returns what a fork with this text of the file answers. A test that a fork fails anyway does not count.

        Nor does a fork that hangs or dies: it cannot tell.
        """
        while True:
            tests = [test for test in tests if self._sound.get(test, True)]
            answer = self._ask(file, source, tests, limit)
            failed = answer.get("failed", "")
            if not failed or self._sound.get(failed):
                return answer
            self._sound[failed] = self._ask(file, file.read_text(), [failed], limit).get("failed") == ""

    def _ask(self, file: Path, source: str, tests: Sequence[str], limit: float) -> Mapping[str, str]:
        self._asked.write(json.dumps({"file": str(file), "source": source, "tests": tests, "limit": limit}) + "\n")
        self._asked.flush()
        answer: Mapping[str, str] = json.loads(self._asked.readline() or '{"cannot": "pytest has ended"}')
        return answer

    def close(self) -> None:
        """Ends it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._running.wait()


def outer_functions(code: CodeType) -> Iterator[CodeType]:
    """Yields the code of every function that does not stand in another one, in its order."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_flags & IS_FUNCTION and not one.co_name.startswith("<generic"):
                yield one
            else:
                yield from outer_functions(one)


def _of_this_process() -> dict[tuple[str, str, int], list[FunctionType]]:
    """Returns every function by its file, name and line."""
    gc.unfreeze()
    found = defaultdict[tuple[str, str, int], list[FunctionType]](list)
    for one in gc.get_objects():
        if type(one) is FunctionType:
            code = one.__code__
            found[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
    gc.freeze()
    return found


class Loop:
    """Answers what comes in by the socket, in the place of the loop over all tests."""

    def __init__(self, number: int) -> None:
        self._socket = socket.socket(fileno=number)
        self._answer = {"failed": "", "why": ""}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Sets up once what tests share, and answers until the socket closes."""
        items = [item for item in session.items if not SERVERS & set(getattr(item, "fixturenames", ()))]
        with_database = [item for item in items if "sqlite_url" in getattr(item, "fixturenames", ())]
        if with_database:
            runtestprotocol(with_database[0], log=False, nextitem=with_database[-1])
        by_id, known = {item.nodeid: item for item in items}, _of_this_process()
        with self._socket.makefile("rw") as asked:
            for line in asked:
                asked.write(json.dumps(self._try(json.loads(line), by_id, known)) + "\n")
                asked.flush()
        return True

    def _try(
        self, asked: Mapping[str, Any], by_id: Mapping[str, pytest.Item],
        known: Mapping[tuple[str, str, int], list[FunctionType]],
    ) -> Mapping[str, str]:  # fmt: skip
        file, items = asked["file"], [by_id[test] for test in asked["tests"] if test in by_id]
        original, changed = Path(file).read_text(encoding="utf-8"), asked["source"]
        codes = [outer_functions(compile(text, file, "exec", dont_inherit=True)) for text in (original, changed)]
        put = [
            (function, new) for old, new in zip(*codes, strict=True) if old != new
            for function in known.get((file, old.co_qualname, old.co_firstlineno), ())
        ]  # fmt: skip
        if not items or (original != changed and not put):
            return {"cannot": "no test or no function of this process has this code"}
        folder = tempfile.mkdtemp(prefix="mutant-")
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._run(items, put, folder, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            ready, _, _ = select.select([pipe], [], [], asked["limit"])
            said = pipe.readline() if ready else b""
        if not ready:
            said = b'{"cannot": "it hangs"}'
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        shutil.rmtree(folder, ignore_errors=True)
        answer: Mapping[str, str] = json.loads(said or b'{"cannot": "the process died"}')
        return answer

    def _run(self, items: list[pytest.Item], put: list[tuple[FunctionType, CodeType]], folder: str, to: int) -> None:
        """Runs the tests in the fork, says what became of them, and ends."""
        os.setsid()
        # All that the tests leave lies in one folder, for nobody tidies up after a fork.
        tempfile.tempdir = os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        vars(items[0].config)["_tmp_path_factory"]._basetemp = None
        answer = {"cannot": "it ended early"}  # as where a function now needs fewer names from around it
        try:
            for function, code in put:
                function.__code__ = code
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._answer["failed"]:
                    break
            answer = self._answer
        finally:
            os.write(to, json.dumps(answer).encode() + b"\n")
            os._exit(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes the first test that fails."""
        if report.failed and not self._answer["failed"]:
            lines = str(report.longrepr).strip().splitlines() or [""]
            self._answer = {"failed": report.nodeid, "why": lines[-1][:200]}


def pytest_configure(config: pytest.Config) -> None:
    """Starts if the environment names a socket."""
    if number := os.environ.get(FORKS):
        config.pluginmanager.register(Loop(int(number)))
