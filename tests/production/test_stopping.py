"""SIGTERM: requests in progress finish, acknowledged moves are committed, and claims are released."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from pbem.config import Config
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.mail.sender import THREADS
from pbem.services.site import open_site
from pbem.services.wakeup import wakeup_for
from pbem.services.who import STRANGER
from tests.harness.waiting import SECONDS, wait_until
from tests.production.people import People
from tests.production.plays import rows_of_statement
from tests.production.topology import Answer, Service, send_request

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
WRITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"


@pytest.fixture
def people(bare_with_tables: Service) -> People:
    """A match that has begun, a web server, no worker."""
    bare_with_tables.web(0, WEB_CONCURRENCY="1")
    bare_with_tables.ports = (bare_with_tables.ports[0], bare_with_tables.ports[0])
    people = People(bare_with_tables)
    people.sit_down_at_once()
    return people


@contextmanager
def hold_up(people: People) -> Iterator[None]:
    """While the block runs, the database finishes no write of an entry; no timeout ends the wait."""
    with psycopg.connect(people.service.database_url, autocommit=True) as other:
        other.execute("CREATE TABLE go_on ()")
        other.execute(
            "CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " WHILE NOT EXISTS (SELECT FROM go_on) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NEW; END $$"
        )
        other.execute("CREATE TRIGGER hold_up BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION hold_up()")
        yield
        other.execute("INSERT INTO go_on DEFAULT VALUES")


@contextmanager
def hold_lock(people: People) -> Iterator[None]:
    """Another transaction holds the match's lock while the block runs."""
    with psycopg.connect(people.service.database_url) as other:
        other.execute("SELECT 1 FROM matches WHERE id = %s FOR UPDATE", [people.match_id])
        yield


def lets_in(service: Service) -> bool:
    """True if a new client can connect."""
    try:
        socket.create_connection(("127.0.0.1", service.ports[0]), timeout=SECONDS).close()
    except ConnectionRefusedError:
        return False
    return True


def start_move_in_thread(people: People) -> tuple[threading.Thread, list[Answer]]:
    """Starts a move in its own thread; returns the thread and the list for its answer."""
    seat, key = next(people.open_questions())
    bearer, path = f"Bearer {people.tokens[seat]}", f"/matches/{people.match_id}"
    move = send_request(people.api(f"{path}/ask"), Authorization=bearer).json["legal"][0]["move"]
    answers: list[Answer] = []

    def send() -> None:
        answers.append(send_request(people.api(f"{path}/moves"), {"key": key, "move": move}, Authorization=bearer))

    thread = threading.Thread(target=send)
    thread.start()
    return thread, answers


@pytest.mark.long  # every run shows it of any request (tests/run/test_processes.py)
def test_a_stopping_web_server_answers_the_move_in_flight_before_it_ends(people: People) -> None:
    service = people.service
    web = next(process for process in service.processes if process.name == "web")
    with hold_up(people):
        thread, answers = start_move_in_thread(people)
        wait_until(lambda: rows_of_statement(service, WRITING), "the move is being written")
        web.popen.terminate()
        wait_until(lambda: "web.stopping" in web.output, "the signal has arrived")
        assert web.popen.poll() is None
        assert rows_of_statement(service, "SELECT 1 FROM asks WHERE closed_by = 'seat'") == []
    thread.join(SECONDS)
    assert answers[0].status == 201, answers[0].text
    assert web.popen.wait(SECONDS) == 0
    assert not lets_in(service)
    assert rows_of_statement(service, "SELECT count(*) FROM asks WHERE closed_by = 'seat'") == [(1,)]
    assert rows_of_statement(service, f"SELECT version FROM matches WHERE id = '{people.match_id}'") == [
        (answers[0].json["version"],)
    ]


@pytest.mark.long
def test_a_stopping_web_never_acknowledges_an_uncommitted_move(people: People) -> None:
    service = people.service
    web = next(process for process in service.processes if process.name == "web")
    with hold_lock(people):
        thread, answers = start_move_in_thread(people)
        wait_until(lambda: rows_of_statement(service, WAITING), "the move waits for the match")
        web.popen.terminate()
        thread.join(SECONDS)
    assert (answers[0].status, answers[0].json["code"]) == (503, "busy")
    assert web.popen.wait(SECONDS) == 0
    assert rows_of_statement(service, "SELECT 1 FROM asks WHERE closed_by = 'seat'") == []


@pytest.mark.long
def test_a_stopping_worker_sends_the_mails_in_hand_and_frees_the_others(bare_with_tables: Service) -> None:
    config, most = Config.from_env(bare_with_tables.environ(), "production"), 2 * THREADS + 1
    wake = wakeup_for(config)
    site = open_site(config, wake=wake)
    for number in range(most):
        people = [Invitee(name, f"{name.lower()}{number}@example.org") for name in ("Alice", "Bob", "Carol")]
        matches.create_match(site, STRANGER, NewMatch("hogen", people))
    bare_with_tables.sink.open.clear()
    worker = bare_with_tables.worker()
    wait_until(lambda: bare_with_tables.sink.begun == THREADS, "the first mails are being sent")
    worker.popen.terminate()
    wait_until(lambda: "worker.stopping" in worker.output, "the signal has arrived")
    bare_with_tables.sink.open.set()
    assert worker.popen.wait(SECONDS) == 0, worker.output
    sent = len(bare_with_tables.sink.got)
    assert sent == bare_with_tables.sink.begun == THREADS, "the mails in hand were sent, and no other begun"
    assert rows_of_statement(
        bare_with_tables, "SELECT count(*) FROM outbox WHERE done_at IS NOT NULL AND result = 'sent'"
    ) == [(sent,)]
    assert (
        rows_of_statement(bare_with_tables, "SELECT 1 FROM outbox WHERE done_at IS NULL AND claimed_until IS NOT NULL")
        == []
    )
    bare_with_tables.worker()
    wake()
    wait_until(lambda: len(bare_with_tables.sink.got) == most, "the others are sent without waiting for a lease")
    ids = [mail["Message-ID"] for mail in bare_with_tables.sink.got]
    assert len(set(ids)) == most
    site.engine.dispose()
