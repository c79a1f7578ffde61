"""The time of a service is its database's; no jump of a machine's clock reaches it."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, text
from sqlmodel import Session

from pbem.models.clocks import Heartbeat, Outage
from pbem.models.engine import make_engine, writing_session
from pbem.models.tables import table
from pbem.services import database_time
from pbem.services.database_time import DatabaseTime
from tests.services.machine import Machine
from tests.table import START

YEAR = timedelta(days=400)


def write_heartbeat(url: str, at: datetime) -> None:
    """Writes a heartbeat, as the sweep does."""
    with writing_session(make_engine(url), Session) as session:
        session.execute(insert(table(Heartbeat)).values(name="sweep", at=at))


def let_minutes_pass(machine: Machine, *processes: DatabaseTime, minutes: int = 1) -> None:
    """Lets this many minutes pass, in each of which every process sees whether its time is right."""
    for _ in range(minutes):
        for process in processes:
            process.settle()
        machine.go_on(minutes=1)


@pytest.mark.parametrize("off", [YEAR, -YEAR, timedelta(minutes=3)])
def test_a_process_does_not_notice_that_its_machines_clock_jumps(sqlite_url: str, off: timedelta) -> None:
    machine = Machine()
    now = machine.process(sqlite_url)
    let_minutes_pass(machine, now)
    machine.off = off
    let_minutes_pass(machine, now, minutes=9)
    assert now() == START + timedelta(minutes=10)
    machine.off = timedelta()
    let_minutes_pass(machine, now, minutes=30)
    assert now() == START + timedelta(minutes=40)


@pytest.mark.parametrize("off", [YEAR, -YEAR])
def test_a_process_started_under_a_wrong_clock_has_the_time_of_the_others(sqlite_url: str, off: timedelta) -> None:
    machine = Machine()
    let_minutes_pass(machine, machine.process(sqlite_url))
    machine.off = off
    assert machine.process(sqlite_url)() == START + timedelta(minutes=1)


@pytest.mark.long
@pytest.mark.parametrize("off", [timedelta(hours=8), -YEAR])
def test_a_clock_off_for_ten_minutes_is_adopted_by_all_processes_at_once(sqlite_url: str, off: timedelta) -> None:
    machine = Machine()
    web, worker = machine.process(sqlite_url), machine.process(sqlite_url)
    let_minutes_pass(machine, web, worker)
    machine.off = off
    let_minutes_pass(machine, web, worker, minutes=10)
    assert web() == worker() == START + timedelta(minutes=11)
    let_minutes_pass(machine, worker)
    machine.go_on(seconds=2)
    machine.use(web)
    assert web() == worker() == machine.wall + off


@pytest.mark.long
def test_time_goes_on_during_sleep_and_is_the_machines_after_a_restart(sqlite_url: str) -> None:
    machine = Machine()
    now = machine.process(sqlite_url)
    let_minutes_pass(machine, now)
    write_heartbeat(sqlite_url, now())
    machine.go_on(hours=9)
    assert now() == machine.wall
    machine.restart(hours=50)
    assert _after_start(machine, sqlite_url)() == machine.wall


def _after_start(machine: Machine, url: str) -> DatabaseTime:
    """Returns the time of a process after the machine has been started again, when the start has another name."""
    with writing_session(make_engine(url), Session) as session:
        session.execute(text("UPDATE pulse SET name = 'boot:earlier' WHERE name LIKE 'boot:%'"))
    return machine.process(url)


def test_after_a_restart_with_a_slow_clock_time_goes_on_from_the_heartbeat(sqlite_url: str) -> None:
    machine = Machine()
    let_minutes_pass(machine, machine.process(sqlite_url))
    write_heartbeat(sqlite_url, machine.wall)
    last = machine.wall
    machine.restart(hours=5)
    machine.off = -timedelta(days=20_000)
    now = _after_start(machine, sqlite_url)
    assert now() == last
    let_minutes_pass(machine, now)
    machine.off = timedelta()  # it has asked the network
    let_minutes_pass(machine, now, minutes=9)
    assert now() == last + timedelta(minutes=10)
    let_minutes_pass(machine, now, minutes=3)
    assert now() == machine.wall


def test_a_heartbeat_reached_only_by_a_clock_jump_is_not_trusted(sqlite_url: str) -> None:
    machine = Machine()
    write_heartbeat(sqlite_url, START + YEAR)
    with writing_session(make_engine(sqlite_url), Session) as session:
        session.add(Outage(since=START - timedelta(hours=1), until=START + YEAR, noted_at=START + YEAR))
    assert machine.process(sqlite_url)() == START


@pytest.mark.parametrize("up_h", [0, 100])
def test_without_a_boot_name_a_restart_is_noticed_by_the_last_heartbeat(
    sqlite_url: str, up_h: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_time, "name_of_boot", lambda: database_time.MARK)
    machine = Machine()
    let_minutes_pass(machine, machine.process(sqlite_url))
    write_heartbeat(sqlite_url, machine.wall)
    machine.off = YEAR
    assert machine.process(sqlite_url)() == machine.wall
    machine.off = timedelta()
    machine.restart(hours=5)
    machine.go_on(hours=up_h)
    now = machine.process(sqlite_url)
    assert now() == machine.wall
    let_minutes_pass(machine, now, minutes=20)
    assert now() == machine.wall


def test_without_tables_the_sites_time_is_the_machines(tmp_path: object) -> None:
    assert Machine().process(f"sqlite:///{tmp_path}/new.db")() == START


@pytest.mark.long
@pytest.mark.parametrize("off", [YEAR, -YEAR])
def test_on_postgresql_the_sites_time_is_the_servers_on_all_machines(postgres_url: str, off: timedelta) -> None:
    right, wrong = Machine(), Machine(off=off, since_start_s=5.0)
    here, there = right.process(postgres_url), wrong.process(postgres_url)
    assert abs(here() - there()) < timedelta(seconds=5)
    assert abs(here() - datetime.now(UTC)) < timedelta(seconds=5)
    wrong.go_on(hours=1)  # and its count goes wrong, too
    wrong.use(there)
    assert abs(here() - there()) < timedelta(seconds=5)


def test_a_request_waits_for_the_servers_time_once_a_minute_at_most(postgres_url: str) -> None:
    machine = Machine()
    now = machine.process(postgres_url)
    machine.use(now)
    machine.since_start_s += 50  # as if its count were wrong
    machine.use(now)
    assert now() - datetime.now(UTC) > timedelta(seconds=40), "it goes by its count"
    machine.since_start_s += 20
    machine.use(now)
    assert abs(now() - datetime.now(UTC)) < timedelta(seconds=5), "it has asked the server"
    now.settle()  # has nothing to do here


def test_until_a_database_is_reached_the_sites_time_is_the_machines() -> None:
    machine = Machine()
    now = machine.process("postgresql+psycopg://nobody@127.0.0.1:1/none")
    assert now() == now() == START
