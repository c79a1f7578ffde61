"""A database, a broker or a mail server that is away causes a clear log line and a retry; nothing is lost."""

from __future__ import annotations

import signal

import psycopg
import pytest

from pbem.config import Config
from pbem.services.wakeup import wakeup_for
from tests.harness.waiting import SECONDS, wait_until
from tests.production.people import People, address_of
from tests.production.plays import rows_of_statement
from tests.production.sink import free_port
from tests.production.topology import Service, send_request
from tests.table import THREE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

MATCH = {"game": "hogen", "seats": [{"name": name, "email": address_of(name)} for name in THREE]}


def no_traceback(service: Service) -> None:
    """Checks that no log holds a traceback."""
    said = service.everything_said()
    assert "Traceback" not in said, said[max(0, said.index("Traceback") - 2000) :][:6000]


@pytest.mark.long
def test_a_release_waits_for_its_database_and_gives_up_with_a_message(bare: Service) -> None:
    bare.postgres.stop()
    given_up = bare.pbem("migrate", "--wait", "2")
    assert given_up.returncode == 1
    assert "does not answer" in given_up.stderr
    assert "Start it, or correct DATABASE_URL." in given_up.stderr
    assert "Traceback" not in given_up.stderr
    release = bare.start("release")
    wait_until(lambda: "Waiting up to 60 s" in release.output, "it says that it waits")
    bare.postgres.start()
    assert release.popen.wait(SECONDS) == 0, release.output


@pytest.mark.long
def test_web_and_worker_started_before_their_database_need_no_restart(bare_with_tables: Service) -> None:
    bare_with_tables.postgres.stop()
    web, worker = bare_with_tables.open("web", "worker")
    config = Config.from_env(bare_with_tables.environ(), "production")
    wakeup_for(config)()
    assert send_request(f"{bare_with_tables.url}/healthz").status == 200
    unready = send_request(f"{bare_with_tables.url}/readyz")
    assert (unready.status, unready.json["database"]) == (503, "down")
    assert int(unready.headers["Retry-After"]) > 0
    assert unready.headers["Cache-Control"] == "no-store"
    problem = send_request(f"{bare_with_tables.url}/api/v1/matches", MATCH)
    assert (problem.status, problem.json["code"]) == (503, "unavailable")
    assert int(problem.headers["Retry-After"]) > 0
    page = send_request(f"{bare_with_tables.url}/match/{'0' * 20}")
    assert page.status == 503
    assert "cannot reach its database just now" in page.text
    assert "database.away" in web.output
    wait_until(lambda: '"code":"unavailable"' in worker.output, "the worker says what is wrong")
    bare_with_tables.postgres.start()
    assert send_request(f"{bare_with_tables.url}/readyz").status == 200
    assert send_request(f"{bare_with_tables.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: bare_with_tables.sink.got, "the mail has left")
    no_traceback(bare_with_tables)


@pytest.mark.long
def test_a_database_that_dies_during_play_loses_nothing_acknowledged(bare_with_tables: Service) -> None:
    for at in (0, 1):
        bare_with_tables.web(at)
    worker, beat = bare_with_tables.worker(), bare_with_tables.beat()
    people = People(bare_with_tables)
    people.sit_down()
    for _ in range(4):
        people.play(*next(people.open_questions()))
    seat, key = next(people.open_questions())
    bare_with_tables.postgres.stop(signal.SIGKILL)
    bearer = f"Bearer {people.tokens[seat]}"
    for _ in range(4):
        refused = send_request(people.api(f"/matches/{people.match_id}/ask"), Authorization=bearer)
        assert (refused.status, refused.json["code"]) == (503, "unavailable")
    wait_until(lambda: '"code":"unavailable"' in worker.output, "the worker says what is wrong")
    bare_with_tables.postgres.start()
    # A mail that was in hand stays claimed for longer than this test waits (`claims.LEASE`).
    rows_of_statement(bare_with_tables, "UPDATE outbox SET claimed_until = NULL WHERE done_at IS NULL RETURNING id")
    assert (seat, key) in people.open_questions()
    people.play_to_the_end()
    assert rows_of_statement(bare_with_tables, "SELECT count(*) FROM asks WHERE closed_by = 'seat'") == [
        (len(people.acknowledged),)
    ]
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(bare_with_tables)


@pytest.mark.long
def test_without_a_broker_play_goes_on_and_mails_leave_when_it_is_back(bare_with_tables: Service) -> None:
    bare_with_tables.broker.kill()
    bare_with_tables.web(0)
    bare_with_tables.ports = (bare_with_tables.ports[0], bare_with_tables.ports[0])
    worker, beat = bare_with_tables.start("worker"), bare_with_tables.beat()
    assert send_request(f"{bare_with_tables.url}/readyz").json == {
        "status": "degraded", "database": "ok", "schema": "ok", "broker": "down", "mail": "ok",
        "checkpoint": "ok", "inbox": "ok", "pictures": "ok", "tasks": "ok",
    }  # fmt: skip
    assert send_request(f"{bare_with_tables.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: "Cannot connect" in worker.output, "the worker says that it tries again")
    assert rows_of_statement(bare_with_tables, "SELECT count(*) FROM outbox WHERE done_at IS NULL") == [(1,)]
    bare_with_tables.broker.start()
    wait_until(lambda: bare_with_tables.sink.got, "the mail has left")
    bare_with_tables.broker.kill()
    assert send_request(f"{bare_with_tables.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: worker.output.count("onnect") > 2 and "onnect" in beat.output, "both say that it is away again")
    bare_with_tables.broker.start()
    wait_until(lambda: len(bare_with_tables.sink.got) == 2, "the second mail has left")
    assert send_request(f"{bare_with_tables.url}/readyz").json["status"] == "ready"
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(bare_with_tables)


@pytest.mark.long
def test_without_a_mail_server_mails_wait_and_log_and_doctor_say_why(bare_with_tables: Service) -> None:
    bare_with_tables.web(0)
    bare_with_tables.sink.stop()
    worker = bare_with_tables.worker()
    assert send_request(f"{bare_with_tables.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: "mail.relay_down" in worker.output, "the worker says it")
    doctor = bare_with_tables.pbem("doctor")
    assert doctor.returncode == 1
    assert f"FAIL  mail server: nobody listens at 127.0.0.1:{bare_with_tables.sink.port}" in doctor.stdout
    assert "FAIL  beat: never heard of" in doctor.stdout
    assert rows_of_statement(bare_with_tables, "SELECT count(*) FROM outbox WHERE done_at IS NULL") == [(1,)]
    bare_with_tables.sink.start()
    with psycopg.connect(
        bare_with_tables.database_url
    ) as host:  # the test need not sit through the wait until the retry
        host.execute("UPDATE outbox SET due_at = now()")
    beat = bare_with_tables.beat()
    wait_until(lambda: bare_with_tables.sink.got, "the mail has left")
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(bare_with_tables)


@pytest.mark.long
def test_doctor_names_each_unreachable_part_and_what_to_do(bare: Service) -> None:
    bare.broker.kill()
    bare.settings = {"SMTP_URL": f"smtp://127.0.0.1:{free_port()}?tls=none"}
    said = bare.pbem("doctor")
    assert said.returncode == 1
    assert "FAIL  migrations: the database has no tables yet\n      → Run: pbem migrate" in said.stdout
    assert "FAIL  broker: " in said.stdout
    assert "FAIL  address: " in said.stdout
    bare.postgres.stop()
    assert "FAIL  database: " in bare.pbem("doctor").stdout
    wrong = bare.pbem("doctor", PBEM_SECRET="short")
    assert wrong.returncode == 1
    assert "FAIL  settings: PBEM_SECRET: 5 characters long" in wrong.stdout
    assert "Traceback" not in said.stderr + wrong.stderr
