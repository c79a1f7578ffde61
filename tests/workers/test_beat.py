"""Beat: of any number of processes one sends the tasks, and another takes over."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from pbem.workers.lease import LEASE_KEY, LEASE_S, Lease
from pbem.workers.schedule import TASKS, schedule_of_site
from tests.workers.process import NAMES


@pytest.fixture
def pair(redis_url: str) -> tuple[Lease, Lease]:
    """The leases of two processes, which look at every call."""
    return Lease(redis.Redis.from_url(redis_url), 0), Lease(redis.Redis.from_url(redis_url), 0)


def test_one_beat_process_holds_the_lease_until_it_releases_it(pair: tuple[Lease, Lease], redis_url: str) -> None:
    first, second = pair
    assert [first.take_or_renew(), second.take_or_renew(), first.take_or_renew(), second.take_or_renew()] == [
        True,
        False,
        True,
        False,
    ]
    with redis.Redis.from_url(redis_url) as client:
        assert 0 < client.pttl(LEASE_KEY) <= LEASE_S * 1000, "it would end by itself"
    second.release()
    assert [second.take_or_renew(), first.take_or_renew()] == [False, True], "nobody gives up what another has"
    first.release()
    assert [second.take_or_renew(), first.take_or_renew()] == [True, False]


def test_a_beat_process_paused_too_long_has_lost_its_lease(pair: tuple[Lease, Lease], redis_url: str) -> None:
    first, second = pair
    assert first.take_or_renew()
    with redis.Redis.from_url(redis_url) as client:
        client.delete(LEASE_KEY)  # as at its end, or when the broker starts over
    assert [second.take_or_renew(), first.take_or_renew(), first.held] == [True, False, False]


class Deaf(redis.Redis):
    """A client that does not hear the answer to one command, though the broker has obeyed."""

    loses_next = False

    def execute_command(self, *args: Any, **options: Any) -> Any:
        answer = super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis has no types here
        if self.loses_next:
            self.loses_next = False
            raise redis.TimeoutError("the answer is lost")
        return answer


def test_a_beat_that_missed_redis_answer_finds_its_lease_at_the_next_try(redis_url: str) -> None:
    with Deaf.from_url(redis_url) as client, redis.Redis.from_url(redis_url) as other:
        first, second = Lease(client, 0), Lease(other, 0)
        assert first.take_or_renew()
        client.loses_next = True
        assert [first.take_or_renew(), second.take_or_renew(), first.take_or_renew()] == [False, False, True]
        client.loses_next = True
        assert not first.take_or_renew()
        first.release()
        assert second.take_or_renew(), "it is given up, too, by one that only seems to be without it"


def test_without_a_broker_no_beat_process_holds_the_lease() -> None:
    lease = Lease(redis.Redis(unix_socket_path="/nowhere", retry=Retry(NoBackoff(), 0)), 0)
    assert not lease.take_or_renew()
    lease.release()


def test_beat_sends_each_task_once_a_period_or_once_to_each_worker() -> None:
    assert set(schedule_of_site(1, ())) == set(TASKS)
    assert all(entry["args"] == () for entry in schedule_of_site(1, ()).values())
    three = schedule_of_site(3, ())
    assert [three[name]["args"] for name in ("sweep", "sweep-1", "sweep-2")] == [(0, 3), (1, 3), (2, 3)]
    assert [three[name]["args"] for name in ("drain", "drain-1", "drain-2")] == [()] * 3
    assert "tidy-1" not in three
    assert all(entry["options"]["expires"] <= entry["schedule"] for entry in three.values())


SENT = """
from datetime import timedelta

from pbem.workers.app import app
from pbem.workers.beat import LeasedScheduler

sent = []

class Deaf(LeasedScheduler):
    producer = None

    def apply_entry(self, entry, producer=None):
        sent.append((self.name, entry.name))

def run(beat):
    while not beat.send_one_due():
        pass

first, second = Deaf(app), Deaf(app)
first.name, second.name = "first", "second"
for beat in (first, second):
    run(beat)
    for entry in beat.schedule.values():
        entry.last_run_at -= timedelta(minutes=1)
print(len(sent), "at the start")
for beat in (first, second, first, second):
    beat._heap = None
    run(beat)
first.close()
second.lease._until = 0
run(second)
print(*(name for name, _ in sent))
"""


def in_production(redis_url: str, program: str) -> subprocess.CompletedProcess[str]:
    """Runs the program as a process of a site in production would."""
    environment = {
        **os.environ,
        "PBEM_MODE": "production",
        "PBEM_URL": "https://play.example.org",
        "PBEM_SECRET": "a secret of more than 32 letters for tests",
        "PBEM_FROM": "play@example.org",
        "SMTP_URL": "smtp://localhost?tls=none",
        "DATABASE_URL": "postgresql://nobody@localhost/none",
        "REDIS_URL": redis_url,
    }
    argv = [sys.executable, "-c", program]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.long
def test_a_beat_that_takes_over_sends_all_that_is_due(redis_url: str) -> None:
    done = in_production(redis_url, SENT)
    assert done.returncode == 0, done.stderr
    assert "0 at the start" in done.stdout, "the first page of a site that starts has the machine"
    names = [word for word in done.stdout.splitlines()[-1].split() if word in ("first", "second")]
    assert names == ["first"] * len(NAMES) + ["second"] * len(NAMES)


ENDED = """
import os
import signal
from threading import Lock

from pbem.workers.app import app
from pbem.workers.beat import LeasedScheduler

lock = Lock()  # as in the broker's client, which cannot be taken twice

class Interrupted(LeasedScheduler):
    def send_one_due(self, *args, **kwargs):
        with lock:
            WHEN
            print("sent")
        return 30.0

    def close(self):
        with lock:
            print("closed")
        super().close()

signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
app.Beat(quiet=True, loglevel="ERROR", scheduler_cls=Interrupted).run()
"""


WITHIN = "os.kill(os.getpid(), signal.SIGTERM)"
AFTER = "signal.setitimer(signal.ITIMER_REAL, 0.2)"
TWICE = f"{WITHIN}; {WITHIN}; print('not ended')"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("when", "said"), [(WITHIN, ["sent", "closed"]), (AFTER, ["sent", "closed"]), (TWICE, ["closed"])]
)
def test_a_signal_ends_a_beat_after_what_it_is_sending(redis_url: str, when: str, said: list[str]) -> None:
    done = in_production(redis_url, ENDED.replace("WHEN", when))
    assert (done.returncode, done.stdout.splitlines()[-len(said) :]) == (0, said), done.stderr
    assert "not ended" not in done.stdout, "a second signal ends it at once"


JUMPED = """
from datetime import UTC, datetime, timedelta

import time_machine

from pbem.workers.app import app
from pbem.workers.beat import LeasedScheduler

beat = LeasedScheduler(app)
for days in (400, -400):
    with time_machine.travel(datetime.now(UTC) + timedelta(days=days)):
        for entry in beat.schedule.values():
            due, wait_s = entry.is_due()
            assert not due, entry
            assert 0 < wait_s <= 60, entry
"""


def test_no_jump_of_its_machines_clock_lets_beat_send_too_soon_or_never(redis_url: str) -> None:
    done = in_production(redis_url, JUMPED)
    assert done.returncode == 0, done.stderr
