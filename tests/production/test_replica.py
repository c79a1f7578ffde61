"""A replica takes the place of a PostgreSQL that died: nothing acknowledged is lost, and no process is restarted."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.harness.servers import durable_postgres
from tests.harness.waiting import wait_until
from tests.production.people import People
from tests.production.topology import run_service_parts, send_request

pytestmark = [pytest.mark.slow, pytest.mark.long]
ANSWERED = "SELECT seat, key FROM asks WHERE match_id = %s AND closed_by = 'seat'"


def test_a_replica_that_is_promoted_goes_on_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as sockets,
        run_service_parts(
            tmp_path, Path(sockets), database=durable_postgres(wal_level="replica", max_wal_senders="4")
        ) as made,
    ):
        made.migrate()
        with made.postgres.replica() as replica:
            with made.postgres.connect("postgres") as host:
                host.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                host.execute("SELECT pg_reload_conf()")
            both = f"{made.postgres.folder},{replica.folder}"
            made.settings["DATABASE_URL"] = (
                f"postgresql://postgres@/postgres?host={both}&target_session_attrs=read-write"
            )
            made.open("web", "web", "worker", "beat")
            people = People(made)
            people.sit_down()
            for _ in range(6):
                people.play(*next(people.open_questions()))
            made.postgres.stop(signal.SIGKILL)
            assert send_request(f"{made.url}/api/v1/matches/{people.match_id}").status == 503
            with replica.connect("postgres") as host:
                assert host.execute("SELECT pg_promote()").fetchone() == (True,)
                host.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
                host.execute("SELECT pg_reload_conf()")
            for port in made.ports:
                wait_until(
                    lambda port=port: send_request(f"http://127.0.0.1:{port}/readyz").status == 200,  # type: ignore[misc]
                    "the web is ready",
                )
            people.play_to_the_end()
            with psycopg.connect(f"postgresql://postgres@/postgres?host={replica.folder}") as host:
                answered = host.execute(ANSWERED, [people.match_id]).fetchall()
                over = host.execute("SELECT status FROM matches").fetchall()
    assert sorted(answered) == sorted(people.acknowledged)
    assert over == [("over",)]
