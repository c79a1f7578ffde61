"""`pbem simulate --distribute` on a real Celery worker and a real Redis."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from celery.app.control import Control

from pbem.features.lab import distribution
from pbem.features.lab.distribution import NoWorkers, tallies_from_workers
from pbem.features.lab.plans import Plan
from pbem.services.monitoring import probes
from tests.commands.conftest import Pbem
from tests.features.lab.chunks import chunks_of
from tests.harness.waiting import SECONDS
from tests.workers.broker import SECRET, Broker

SEED = "5e" * 32
WORDS = ("simulate", "hogen", "--matches", "30", "--bots", "greedy,random", "--seed", SEED, "--json")


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    """A running broker in a short folder: socket paths are cut at 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as folder:
        broker = Broker(Path(folder))
        broker.start()
        yield broker
        broker.kill()


@contextmanager
def run_worker(broker: Broker, tmp_path: Path, queues: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of that broker with these settings, which takes the tasks of these queues."""
    environment = {**os.environ, "PBEM_MODE": "embedded", "PBEM_DATA": str(tmp_path), "PBEM_SECRET": SECRET}
    options = ["--concurrency", "1", "--loglevel", "WARNING", "--queues", queues]
    argv = [sys.executable, "-m", "celery", "--app", "pbem.workers.app:app", "--quiet", "worker", *options]
    environment |= {"REDIS_URL": broker.url, **settings}
    process = subprocess.Popen(argv, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


@pytest.fixture
def worker(broker: Broker, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of that broker."""
    with run_worker(broker, tmp_path, "celery") as process:
        yield process


def pbem(broker: Broker, *words: str) -> "subprocess.CompletedProcess[str]":
    """Runs the command in its own process, at the present time: tasks expire by the real clock."""
    program = [sys.executable, "-c", "from pbem.cli import main; main()"]
    environment = {**os.environ, "REDIS_URL": broker.url}
    return subprocess.run([*program, *words], env=environment, capture_output=True, text=True, check=False)


def wait_for_worker(plan: Plan, url: str) -> None:
    """Returns when the worker answers; the test's own time limit ends the wait."""
    while True:
        try:
            assert list(tallies_from_workers(url, chunks_of(plan, 1, 1)))
        except NoWorkers:
            continue
        return


@pytest.mark.long
@pytest.mark.slow
def test_workers_give_the_same_tallies_and_leave_no_queue_behind(
    broker: Broker, worker: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "AHEAD", 2)
    url = broker.url.replace("unix://", "redis+socket://")
    wait_for_worker(Plan("hogen", 3, SEED), url)
    here, there = pbem(broker, *WORDS), pbem(broker, *WORDS, "--distribute")
    assert (there.returncode, there.stderr) == (0, "")
    assert json.loads(there.stdout) == json.loads(here.stdout)
    with redis.Redis.from_url(broker.url) as client:
        left = {key.decode() for key in client.keys("*")}
    assert not {key for key in left if key.startswith(("celery-task-meta", "celery\x06"))}
    assert [t.matches for t in tallies_from_workers(url, chunks_of(Plan("hogen", 3, SEED), 7, 1))] == [1] * 7
    with pytest.raises(NoWorkers, match=r"A worker failed: .*no-such-game"):
        list(tallies_from_workers(url, chunks_of(Plan("no-such-game", 3, SEED), 1, 1)))


def test_without_workers_distribution_says_that_no_worker_answers(
    broker: Broker, bare: Pbem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "HANDSHAKE_S", 0.4)
    monkeypatch.setenv("REDIS_URL", broker.url)
    result = bare(*WORDS, "--distribute")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No worker answers" in result.stderr


@pytest.mark.long
@pytest.mark.slow
def test_workers_with_the_lab_switched_off_are_reported(broker: Broker, tmp_path: Path) -> None:
    url, said = broker.url.replace("unix://", "redis+socket://"), "No worker answers"
    with run_worker(broker, tmp_path, "celery", PBEM_FEATURES="none"):
        while "No worker answers" in said:
            with pytest.raises(NoWorkers) as raised:
                list(tallies_from_workers(url, chunks_of(Plan("hogen", 3, SEED), 1, 1)))
            said = str(raised.value)
    assert said == "The workers play nothing: their PBEM_FEATURES leaves out `lab`."


THINKING = Plan("hogen", 3, SEED, ("easy",))


@pytest.mark.long
@pytest.mark.slow
def test_simulations_of_thinking_bots_use_their_own_queue_however_slow(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("HANDSHAKE_S", 1.0), ("ANSWER_S", 0.05), ("SILENT", 1)):  # far less than a match takes
        monkeypatch.setattr(distribution, name, value)
    url = broker.url.replace("unix://", "redis+socket://")
    with run_worker(broker, tmp_path, "celery"):
        wait_for_worker(Plan("hogen", 3, SEED), url)
        with pytest.raises(NoWorkers, match=f"queue `{probes.THINKING}`"):
            list(tallies_from_workers(url, chunks_of(THINKING, 2, 1)))
    with run_worker(broker, tmp_path, probes.THINKING):
        wait_for_worker(THINKING, url)
        assert [tally.matches for tally in tallies_from_workers(url, chunks_of(THINKING, 3, 1))] == [1] * 3


def test_workers_that_stop_answering_are_reported(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ANSWER_S", 0.1), ("SILENT", 2)):
        monkeypatch.setattr(distribution, name, value)
    answers = iter([[{"worker@example": {"ok": "pong"}}]])
    monkeypatch.setattr(Control, "broadcast", lambda *_, **__: next(answers, []))
    url = broker.url.replace("unix://", "redis+socket://")
    with pytest.raises(NoWorkers, match="have not answered for"):
        list(tallies_from_workers(url, chunks_of(Plan("hogen", 3, SEED), 1, 1)))
    with redis.Redis.from_url(broker.url) as client:
        client.flushall()  # nobody has taken the task


@pytest.mark.long
@pytest.mark.slow
def test_workers_that_have_gone_are_reported(broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HANDSHAKE_S", 1.0), ("ANSWER_S", 0.5), ("SILENT", 2)):
        monkeypatch.setattr(distribution, name, value)
    url = broker.url.replace("unix://", "redis+socket://")
    with run_worker(broker, tmp_path, probes.THINKING) as process:
        wait_for_worker(THINKING, url)
        coming = tallies_from_workers(url, chunks_of(THINKING, 20, 1))
        assert next(coming).matches == 1
        process.terminate()
        with pytest.raises(NoWorkers, match="have not answered for"):
            list(coming)
