"""A short chaos run, as long as CI can afford; `make chaos` is the long one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.__main__ import carry_out
from tests.chaos.plan import KINDS, LASTS, plan_faults
from tests.chaos.run import Scale
from tests.chaos.tables import GAMES
from tests.chaos.town import living_descendants
from tests.harness.waiting import wait_until
from tests.production.topology import ROOT

KINDS_OF_CI = (
    ("web", "all"), ("worker", "main"), ("redis", "all"), ("postgres", "main"),
    ("mail", "later"), ("mail", "cut"), ("mail", "unheard"), ("mail", "stalled"), ("clock", "up"),
)  # fmt: skip
"""Each process that is killed starts again for seconds: a beat and an inbound are killed in the long run alone."""
KINDS_ONCE = (*KINDS_OF_CI, ("beat", "all"), ("inbound", "all"))


def short_scale(seed: str, seconds: float, kinds: tuple[tuple[str, str], ...], webs: int, tables: int) -> Scale:
    """Returns the size of a run in which each of these kinds happens once, if the seed lets it."""
    faults = tuple(plan_faults(seed, seconds, seconds / len(kinds), kinds, lasts=0.4))
    return Scale(seed, seconds, faults, webs=webs, workers=1, tables=tables, processes_a_web=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("seed", "seconds", "kinds", "webs", "tables"),
    [
        pytest.param("ci 877", 8, KINDS_OF_CI, 1, 3),
        pytest.param("ci 20", 14, KINDS_ONCE, 2, GAMES, marks=pytest.mark.long),
    ],
    ids=["short", "longer"],
)
def test_matches_lose_nothing_while_every_process_is_killed_in_turn(
    seed: str, seconds: float, kinds: tuple[tuple[str, str], ...], webs: int, tables: int, tmp_path: Path
) -> None:
    """At three tables people answer by program, by their mails' links and by replies, and a bot plays.

    The seed lets each kind happen, the worker last: without it the mail server has nobody to trouble.
    """
    report = carry_out(short_scale(seed, seconds, kinds, webs, tables), tmp_path)
    print(report)  # noqa: T201 - pytest shows it when the test fails
    assert report.ok, str(report)
    assert {*report.faults} == {f"{part} {how}" for part, how in kinds}


def test_a_seed_gives_one_plan_of_faults_with_every_kind_in_it() -> None:
    faults = plan_faults("7", 180, 4)
    assert faults == plan_faults("7", 180, 4)
    assert faults != plan_faults("8", 180, 4)
    assert {(fault.part, fault.how) for fault in faults} == set(KINDS)
    assert all(0 < fault.at < 180 and 0 < fault.lasts <= LASTS[fault.part] for fault in faults)


@pytest.fixture
def sockets() -> Iterator[str]:
    """A folder with a name so short that a socket can lie in it."""
    with tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as folder:
        yield folder


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_test_that_is_killed_leaves_no_process_behind(tmp_path: Path, sockets: str) -> None:
    argv = [sys.executable, "-m", "tests.production.until_killed", str(tmp_path), sockets]
    test = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert test.stdout is not None
        groups = {int(word) for word in test.stdout.readline().split()}
        assert len(groups) == 3
        everybody = living_descendants(test.pid)
        assert groups < everybody
        assert {"postgres", "redis-server"} <= {Path(f"/proc/{pid}/comm").read_text().strip() for pid in everybody}
    finally:
        os.kill(test.pid, signal.SIGKILL)
        test.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in everybody), f"{everybody} are gone")
