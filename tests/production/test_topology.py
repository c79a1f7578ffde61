"""The Procfile's commands play a match to its end, report that they are healthy, and stop in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.games import all_games
from tests.harness.waiting import SECONDS
from tests.production.plays import plays_well, total_of_metric
from tests.production.topology import Service, commands_of_procfile

IN_THE_LONG_RUN = ("hagakure",)
"""A game that asks all at once, and interrupts turns."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.long
@pytest.mark.parametrize(
    "slug",
    [pytest.param(slug, marks=() if slug in IN_THE_LONG_RUN else pytest.mark.long) for slug in sorted(all_games())],
)
def test_all_processes_play_a_match_by_mail_and_api_and_stop_in_order(bare: Service, slug: str) -> None:
    _, started = plays_well(bare, slug)
    bare.close(*started)
    assert "Traceback" not in bare.everything_said()


def test_the_procfile_has_exactly_the_six_known_processes() -> None:
    assert set(commands_of_procfile()) == {"release", "web", "worker", "thinking", "beat", "inbound"}


# A web with wrong settings is tried in tests/run, and a beat is the same program as a worker.
@pytest.mark.parametrize("name", ["worker", *(pytest.param(name, marks=pytest.mark.long) for name in ("web", "beat"))])
def test_wrong_settings_end_each_process_with_all_of_them_named(bare: Service, name: str) -> None:
    process = bare.start(name, PBEM_SECRET="short", PBEM_FROM="nobody")
    assert process.popen.wait(SECONDS) != 0
    assert "2 settings are wrong" in process.output
    assert "Traceback" not in process.output


def test_a_missing_metric_is_not_read_as_zero() -> None:
    figures = {("pbem_up", frozenset({("part", "database")})): 1.0}
    assert total_of_metric(figures, "pbem_up") == 1
    for name, labels in (("pbem_queue_length", {}), ("pbem_up", {"part": "broker"})):
        with pytest.raises(AssertionError, match=name):
            total_of_metric(figures, name, **labels)


def test_no_command_of_the_procfile_writes_a_pid_or_state_file() -> None:
    assert not re.search(r"--pidfile|--statedb", Path("Procfile").read_text())
