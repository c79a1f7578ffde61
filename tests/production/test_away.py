"""A database, a broker or a mail server that is away causes a clear log line and a retry; nothing is lost."""

from __future__ import annotations

import signal

import psycopg
import pytest

from pbem.config import Config
from pbem.services.wakeup import wakeup_for
from tests.harness.waiting import SECONDS, wait_until
from tests.production.people import People, address_of
from tests.production.plays import rows
from tests.production.sink import free_port
from tests.production.topology import Service, ask
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
    wait_until(lambda: "Waiting up to 60 s" in release.said, "it says that it waits")
    bare.postgres.start()
    assert release.popen.wait(SECONDS) == 0, release.said


@pytest.mark.long
def test_web_and_worker_started_before_their_database_need_no_restart(released: Service) -> None:
    released.postgres.stop()
    web, worker = released.open("web", "worker")
    config = Config.from_env(released.environ(), "production")
    wakeup_for(config.broker_url or "", config.features)()
    assert ask(f"{released.url}/healthz").status == 200
    unready = ask(f"{released.url}/readyz")
    assert (unready.status, unready.json["database"]) == (503, "down")
    assert int(unready.headers["Retry-After"]) > 0
    assert unready.headers["Cache-Control"] == "no-store"
    problem = ask(f"{released.url}/api/v1/matches", MATCH)
    assert (problem.status, problem.json["code"]) == (503, "unavailable")
    assert int(problem.headers["Retry-After"]) > 0
    page = ask(f"{released.url}/match/{'0' * 20}")
    assert page.status == 503
    assert "cannot reach its database just now" in page.text
    assert "database.away" in web.said
    wait_until(lambda: '"code": "unavailable"' in worker.said, "the worker says what is wrong")
    released.postgres.start()
    assert ask(f"{released.url}/readyz").status == 200
    assert ask(f"{released.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: released.sink.got, "the mail has left")
    no_traceback(released)


@pytest.mark.long
def test_a_database_that_dies_during_play_loses_nothing_acknowledged(released: Service) -> None:
    for at in (0, 1):
        released.web(at)
    worker, beat = released.worker(), released.beat()
    people = People(released)
    people.sit_down()
    for _ in range(4):
        people.play(*next(people.asked()))
    seat, key = next(people.asked())
    released.postgres.stop(signal.SIGKILL)
    bearer = f"Bearer {people.tokens[seat]}"
    for _ in range(4):
        refused = ask(people.api(f"/matches/{people.match_id}/ask"), Authorization=bearer)
        assert (refused.status, refused.json["code"]) == (503, "unavailable")
    wait_until(lambda: '"code": "unavailable"' in worker.said, "the worker says what is wrong")
    released.postgres.start()
    # A mail that was in hand stays claimed for longer than this test waits (`sender.LEASE`).
    rows(released, "UPDATE outbox SET claimed_until = NULL WHERE done_at IS NULL RETURNING id")
    assert (seat, key) in people.asked()
    people.play_to_the_end()
    assert rows(released, "SELECT count(*) FROM asks WHERE closed_by = 'seat'") == [(len(people.acknowledged),)]
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(released)


@pytest.mark.long
def test_without_a_broker_play_goes_on_and_mails_leave_when_it_is_back(released: Service) -> None:
    released.broker.kill()
    released.web(0)
    released.ports = (released.ports[0], released.ports[0])
    worker, beat = released.start("worker"), released.beat()
    assert ask(f"{released.url}/readyz").json == {
        "status": "degraded", "database": "ok", "schema": "ok", "broker": "down", "mail": "ok",
        "checkpoint": "ok", "inbox": "ok", "pictures": "ok", "tasks": "ok",
    }  # fmt: skip
    assert ask(f"{released.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: "Cannot connect" in worker.said, "the worker says that it tries again")
    assert rows(released, "SELECT count(*) FROM outbox WHERE done_at IS NULL") == [(1,)]
    released.broker.start()
    wait_until(lambda: released.sink.got, "the mail has left")
    released.broker.kill()
    assert ask(f"{released.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: worker.said.count("onnect") > 2 and "onnect" in beat.said, "both say that it is away again")
    released.broker.start()
    wait_until(lambda: len(released.sink.got) == 2, "the second mail has left")
    assert ask(f"{released.url}/readyz").json["status"] == "ready"
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(released)


@pytest.mark.long
def test_without_a_mail_server_mails_wait_and_log_and_doctor_say_why(released: Service) -> None:
    released.web(0)
    released.sink.stop()
    worker = released.worker()
    assert ask(f"{released.url}/api/v1/matches", MATCH).status == 201
    wait_until(lambda: "mail.relay_down" in worker.said, "the worker says it")
    doctor = released.pbem("doctor")
    assert doctor.returncode == 1
    assert f"FAIL  mail server: nobody listens at 127.0.0.1:{released.sink.port}" in doctor.stdout
    assert "FAIL  beat: never heard of" in doctor.stdout
    assert rows(released, "SELECT count(*) FROM outbox WHERE done_at IS NULL") == [(1,)]
    released.sink.start()
    with psycopg.connect(released.database_url) as host:  # the test need not sit through the wait until the retry
        host.execute("UPDATE outbox SET due_at = now()")
    beat = released.beat()
    wait_until(lambda: released.sink.got, "the mail has left")
    assert (beat.end(), worker.end()) == (0, 0)
    no_traceback(released)


@pytest.mark.long
def test_the_doctor_names_each_thing_that_is_away_and_what_to_do(bare: Service) -> None:
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
