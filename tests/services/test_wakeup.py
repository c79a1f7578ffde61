"""The bell: what is rung is heard once more, and a rush of rings wakes the worker a few times only."""

import threading
from types import SimpleNamespace

import pytest
from kombu.exceptions import OperationalError

from pbem.services import wakeup
from pbem.services.wakeup import Bell
from tests.harness.waiting import SECONDS, wait_until


class Belfry:
    """A bell whose worker is reached, and whose rests end, when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rest_s: float) -> None:
        self.did: list[str] = []
        """What the bell's thread has begun: to send, or to rest for so many seconds."""
        self._go_on = threading.Semaphore(0)
        monkeypatch.setattr(wakeup, "time", SimpleNamespace(sleep=lambda s: self._takes(f"rest {s}")))
        self.bell = Bell(lambda: self._takes("send"), rest_s)

    def _takes(self, what: str) -> None:
        self.did.append(what)
        assert self._go_on.acquire(timeout=SECONDS)

    def go_on(self, *then: str) -> None:
        """Ends what the bell's thread does; returns when it has begun what follows, which is `then`."""
        before = len(self.did)
        for _ in range(len(then) or 1):
            self._go_on.release()
        wait_until(lambda: len(self.did) == before + len(then), f"then {then} follows")
        assert tuple(self.did[before:]) == then


def test_rings_that_come_while_one_is_sent_or_rested_from_become_one_and_wait_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    belfry = Belfry(monkeypatch, 0.2)

    def rush() -> None:
        for _ in range(100):
            belfry.bell()  # returns although the broker hangs: else this test would not come to its end

    rush()
    wait_until(lambda: belfry.did == ["send"], "the first ring is heard")
    rush()
    belfry.go_on("rest 0.2")
    rush()
    belfry.go_on("send")
    belfry.go_on("rest 0.2")
    assert belfry.did == ["send", "rest 0.2"] * 2
    assert not belfry.bell.rung.is_set(), "all that came meanwhile became one"
    belfry.go_on()
    belfry.bell()
    wait_until(lambda: belfry.did[4:] == ["send"], "the next ring is heard")
    belfry.go_on("rest 0.2")
    belfry.go_on()


def test_a_single_ring_is_heard_without_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    belfry = Belfry(monkeypatch, 60)
    belfry.bell()
    wait_until(lambda: belfry.did, "something is done")
    assert belfry.did == ["send"]
    belfry.go_on("rest 60")
    belfry.go_on()


def test_a_broker_that_is_away_stops_no_ring() -> None:
    tried: list[int] = []

    def send() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OperationalError

    ring = Bell(send, rest_s=0.01)
    ring()
    wait_until(lambda: len(tried) == 1, "it was tried")
    ring()
    wait_until(lambda: len(tried) == 2, "it is tried again")
