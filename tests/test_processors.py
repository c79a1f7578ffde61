"""Threads that are started together share a processor."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem import processors

pytestmark = pytest.mark.skipif(not processors.USABLE, reason="this system places no threads")


def _mine() -> set[int]:
    return os.sched_getaffinity(0)


def test_threads_started_together_share_one_processor_and_their_starter_none() -> None:
    before = _mine()
    with processors.share_one(), ThreadPoolExecutor(3) as pool:
        places = [pool.submit(_mine).result() for _ in range(3)]
    assert len(places[0]) == 1
    assert places.count(places[0]) == 3
    assert _mine() == before


def test_a_processor_that_is_not_there_is_left_alone() -> None:
    before = _mine()
    processors.pin_to({10_000})
    processors.pin_to(())
    assert _mine() == before


def test_where_nothing_can_be_placed_all_is_done_as_before() -> None:
    elsewhere = (
        "import os; del os.sched_getaffinity; del os.sched_setaffinity\n"
        "from pbem import processors\n"
        "with processors.share_one(): processors.pin_to({0})\n"
        "print(processors.USABLE)"
    )
    told = subprocess.run([sys.executable, "-c", elsewhere], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "()"
