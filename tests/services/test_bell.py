"""The bell: what is rung is heard once more, and a rush of rings wakes the worker a few times only."""

import threading
import time
from itertools import pairwise

from kombu.exceptions import OperationalError

from pbem.services.bell import Bell
from tests.production.topology import wait_until


def test_a_rush_of_rings_becomes_a_few_and_the_last_is_heard() -> None:
    heard: list[float] = []
    bell = Bell(lambda: heard.append(time.monotonic()), rest_s=0.1)
    end = time.monotonic() + 0.55
    while time.monotonic() < end:
        bell()
        time.sleep(0.001)
    last = time.monotonic()
    bell()
    wait_until(lambda: heard[-1] >= last, "the last ring is heard", 5)
    assert 2 <= len(heard) <= 8
    assert all(later - sooner >= 0.1 for sooner, later in pairwise(heard))


def test_a_single_ring_is_heard_at_once() -> None:
    heard = threading.Event()
    start = time.monotonic()
    Bell(heard.set, rest_s=60)()
    assert heard.wait(5)
    assert time.monotonic() - start < 5


def test_a_broker_that_is_away_stops_no_ring() -> None:
    tried: list[int] = []

    def send() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OperationalError

    bell = Bell(send, rest_s=0.01)
    bell()
    wait_until(lambda: len(tried) == 1, "it was tried", 5)
    bell()
    wait_until(lambda: len(tried) == 2, "it is tried again", 5)
