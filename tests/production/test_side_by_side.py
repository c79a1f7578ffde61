"""Two webs, three workers and two beats on one database lose nothing and do nothing twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.harness.waiting import wait_until
from tests.production.people import People
from tests.production.plays import nothing_twice, rows_of_statement
from tests.production.topology import Process, Service

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1800)]

TABLES = 6
TIME_IS_UP = """
UPDATE asks SET deadline = now() - interval '1 hour', acts_at = now()
WHERE closed_at IS NULL AND bot IS NULL AND match_id = ANY(%s)"""
OPEN = (
    "SELECT 1 FROM asks JOIN matches ON matches.id = match_id"
    " WHERE status = 'running' AND closed_at IS NULL AND bot IS NULL AND acts_at <= now()"
)
UNSENT = "SELECT 1 FROM outbox WHERE done_at IS NULL"


def time_is_up(service: Service, tables: list[People]) -> None:
    """Lets the clock answer everything that these tables are asked now; returns when it has."""
    with psycopg.connect(service.database_url) as host:
        assert host.execute(TIME_IS_UP, [[people.match_id for people in tables]]).rowcount >= len(tables)
    wait_until(lambda: not rows_of_statement(service, OPEN), "the clock has answered")


def seat_people(service: Service, number: int) -> People:
    """Seats two people and a bot, who differ from table to table."""
    return People(service, "hogen", (f"Alice{number}", f"Bob{number}"), ("greedy",))


def kill_the_leader(started: list[Process]) -> None:
    """Kills the beat that has the lease; returns when another one has taken it over."""
    beats = [process for process in started if process.name == "beat"]
    (leader,) = (process for process in beats if "beat.leads" in process.output)
    leader.kill()
    wait_until(
        lambda: any("beat.leads" in process.output for process in beats if process is not leader), "another leads"
    )


def test_several_processes_of_each_kind_lose_and_repeat_nothing(bare_with_tables: Service) -> None:
    bare_with_tables.settings |= {"PBEM_SHARDS": "3", "PBEM_MATCHES_PER_IP_HOUR": "1000"}
    started = bare_with_tables.open("web", "web", "worker", "worker", "worker", "beat", "beat")
    played = [seat_people(bare_with_tables, number) for number in range(TABLES)]
    left = [seat_people(bare_with_tables, TABLES + number) for number in range(TABLES)]
    for people in (*played, *left):
        people.sit_down_at_once()
    with ThreadPoolExecutor(TABLES) as pool:
        playing = [pool.submit(people.play_to_the_end) for people in played]
        time_is_up(bare_with_tables, left)
        for one in playing:
            one.result()
    kill_the_leader(started)
    time_is_up(bare_with_tables, left)
    wait_until(lambda: not rows_of_statement(bare_with_tables, UNSENT), "all mails have left")
    answered = rows_of_statement(
        bare_with_tables, "SELECT match_id, seat, key FROM asks WHERE closed_by = 'seat' ORDER BY 1, 2, 3"
    )
    known = [(people.match_id, seat, key) for people in played for seat, key in people.acknowledged]
    assert answered == sorted(known), "every acknowledged move is in the log, once"
    nothing_twice(bare_with_tables)
    assert "Traceback" not in bare_with_tables.everything_said()
