"""A real Celery worker on a real Redis: wake-ups, repeated tasks, and kill -9 in the middle of a match."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
import redis
from celery import Celery
from sqlalchemy import text

from pbem.services.play import takeback
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.wakeup import fold_keeper_for, wakeup_for
from tests.harness.servers import end_with
from tests.harness.waiting import wait_until
from tests.table import CAST, House, address_of, claim_of, open_house
from tests.workers.broker import SECRET, Broker


class Worker:
    """A worker with beat, as `pbem run` starts it."""

    def __init__(self, house: House, broker: Broker, data: Path) -> None:
        self._environment = {
            **os.environ,
            "PBEM_MODE": "embedded",
            "PBEM_DATA": str(data),
            "PBEM_SECRET": SECRET,
            "DATABASE_URL": house.site.config.database_url,
            "REDIS_URL": broker.url,
        }
        self._data = data
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, beat: bool = True) -> None:
        """Starts it; it is ready when the first mail comes."""
        options = ["--beat"] if beat else []
        options += ["--concurrency", "1", "--loglevel", "WARNING"]
        argv = [sys.executable, "-m", "celery", "--app", "pbem.workers.app:app", "--quiet", "worker", *options]
        parent = os.getpid()
        self._process = subprocess.Popen(
            argv,
            env=self._environment,
            start_new_session=True,
            preexec_fn=lambda: end_with(parent, signal.SIGTERM),  # noqa: PLW1509 - calls into libc only
        )

    def kill(self) -> None:
        """Kills it and its pool as a crash would."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def mails_in_mailbox(data: Path) -> list[Message]:
    """The mails in the local mailbox."""
    return [message_from_bytes(path.read_bytes()) for path in sorted((data / "mailbox").glob("*.eml"))]


def turn_mails(data: Path, name: str, key: str) -> list[Message]:
    """Returns the mails to this player about this question."""
    found = [m for m in mails_in_mailbox(data) if address_of(name) in str(m["To"]) and "turn" in str(m["Message-ID"])]
    return [m for m in found if key.encode() in bytes(m).replace(b"=\n", b"")]


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A running broker in a short folder: socket paths are cut at 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as folder:
        broker = Broker(Path(folder))
        broker.start()
        yield broker
        broker.kill()


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path, broker: Broker) -> Iterator[House]:
    """A site that wakes the worker through the broker, at the present time."""
    for house in open_house(sqlite_url, tmp_path, redis_url=broker.url):
        house.clock.at = datetime.now(UTC)
        yield House(replace(house.site, wake=wakeup_for(house.site.config)), house.clock, house.mail, house.wakes)


@pytest.fixture
def worker(house: House, broker: Broker, tmp_path: Path) -> Iterator[Worker]:
    """A worker that has not been started."""
    worker = Worker(house, broker, tmp_path)
    yield worker
    worker.kill()


def everybody_asked_has_mail(house: House, match_id: str, data: Path) -> bool:
    """True if every open question reached its player once."""
    asks = house.asks(match_id)
    return bool(asks) and all(is_mailed_once(data, a.seat, {a.key, a.origin}) for a in asks)


def is_mailed_once(data: Path, seat: int, keys: set[str]) -> bool:
    """True if one mail names the seat's stretch of questions: its first one, or one that followed at once."""
    return len({str(m["Message-ID"]) for key in keys for m in turn_mails(data, CAST[seat], key)}) == 1


def play_some(house: House, match_id: str, moves: int) -> None:
    """Plays first legal moves."""
    for _ in range(moves):
        house.play(match_id, house.asks(match_id)[0].seat)


@pytest.mark.long  # the chaos run (tests/chaos) kills it, too
def test_killing_the_worker_in_the_middle_of_a_match_loses_no_mail(
    house: House, worker: Worker, tmp_path: Path
) -> None:
    match_id = house.begin(4)
    worker.start()
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the first questions are mailed")
    worker.kill()
    play_some(house, match_id, 7)
    worker.start()
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the question after the crash is mailed")


@pytest.mark.long  # the chaos run (tests/chaos) kills it, too
def test_killing_the_broker_during_a_match_loses_no_move_and_no_mail(
    house: House, worker: Worker, broker: Broker, tmp_path: Path
) -> None:
    match_id = house.begin(4)
    worker.start()
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the first questions are mailed")
    broker.kill()
    play_some(house, match_id, 7)
    version = match_views.read_sheet(house.site, match_id, None).version
    broker.start()
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the question after the crash is mailed")
    assert match_views.read_sheet(house.site, match_id, None).version == version


@pytest.mark.long  # every run shows that drains share their work (tests/services/play/test_races.py)
@pytest.mark.slow
def test_a_task_delivered_many_times_sends_every_mail_once(
    house: House, worker: Worker, broker: Broker, tmp_path: Path
) -> None:
    match_id = house.begin(4)
    url = house.site.config.broker_url
    assert url is not None
    app = Celery(broker=url, set_as_current=False)
    for _ in range(10):
        app.send_task("workers.tasks.drain", ignore_result=True)
    worker.start()
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the first questions are mailed")
    with redis.Redis.from_url(broker.url) as client:
        wait_until(lambda: client.llen("celery") == 0, "all deliveries are worked off")
    ids = [str(m["Message-ID"]) for m in mails_in_mailbox(tmp_path)]
    assert len(ids) == len(set(ids))


@pytest.mark.long
def test_a_worker_keeps_the_folds_of_an_older_match_once_it_is_read(house: House, worker: Worker) -> None:
    match_id, url = house.begin(2, "allegeance"), house.site.config.broker_url or ""

    def numbers() -> list[int]:
        with house.site.engine.connect() as connection:
            return [n for (n,) in connection.execute(text("SELECT n FROM folds ORDER BY n"))]

    while len(by_moves := numbers()) < 2:
        play_some(house, match_id, 1)
    with house.site.engine.begin() as connection:
        connection.execute(text("DELETE FROM folds"))
    worker.start(beat=False)
    cold = Site(house.site.config, house.site.engine, now=house.clock, keep_folds=fold_keeper_for(url))
    takeback.read_seat_page(cold, claim_of(cold, match_id, 0))
    wait_until(lambda: numbers() == by_moves, "its folds are kept")


@pytest.mark.long  # at an installed pbem every mail and every bot waits for a ring (tests/test_wheel.py)
@pytest.mark.slow
def test_a_wake_up_reaches_the_worker_without_beat(house: House, worker: Worker, tmp_path: Path) -> None:
    match_id = house.begin(4)
    worker.start(beat=False)
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the first questions are mailed")
    for seat in range(4):
        house.play(match_id, seat)
    wait_until(lambda: everybody_asked_has_mail(house, match_id, tmp_path), "the first call is mailed")
