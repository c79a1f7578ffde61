"""A process older than the database's floor writes nothing and says why; one that the floor allows goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from pbem.errors import Outdated, Unavailable
from pbem.features.inbox import reading
from pbem.features.inbox.ways import intake
from pbem.models import engine
from pbem.models.engine import make_engine, migrate
from pbem.models.schema import revisions
from pbem.services.clock import outages
from pbem.services.log import one_batch
from pbem.services.mail import sender
from pbem.services.monitoring import health
from pbem.services.play import timeouts
from tests.harness.waiting import SECONDS, wait_until, watch_locks
from tests.models.upgrading import later
from tests.table import House, open_house

__all__ = ["later"]


@pytest.fixture
def postgres_house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL, where locks are rows' and tables'."""
    yield from open_house(postgres_url, tmp_path)


def migrate_on(house: House, *, floor: str | None) -> None:
    """Does what a newer program's migration does to the database beside this process."""
    newer = make_engine(house.site.config.database_url)
    with newer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))
        if floor is not None:
            connection.execute(text("UPDATE schema_floor SET revision = :floor"), {"floor": floor})
    newer.dispose()


def rows_of(house: House) -> dict[str, list[Any]]:
    """Returns every committed row, by its table."""
    with house.site.engine.connect() as connection:
        tables = SQLModel.metadata.sorted_tables
        return {t.name: sorted(map(tuple, connection.execute(t.select())), key=repr) for t in tables}


def read_health(house: House) -> health.Health:
    return health.read_health(house.site.config, house.clock())


@pytest.mark.long
def test_a_process_older_than_its_database_takes_no_move_and_says_why(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.play(match_id, house.asks(match_id)[0].seat)  # it runs, and has looked
    migrate_on(house, floor="9000")
    before = rows_of(house)
    with pytest.raises(Outdated, match="older than its database") as refused:
        house.play(match_id, house.asks(match_id)[0].seat)
    assert (refused.value.status, refused.value.code) == (503, "outdated")
    assert refused.value.retry_after
    house.time_is_up(match_id)
    with pytest.raises(Outdated):
        timeouts.sweep_deadlines(house.site)
    with pytest.raises(Outdated):
        outages.record_heartbeat(house.site, "web")
    assert rows_of(house) == before
    found = read_health(house)
    assert (found.readiness_word, found.schema, found.ready) == ("unready", "ahead", False)
    assert "9000" in found.why


@pytest.mark.on_postgresql
def test_an_outdated_process_sends_no_mail_and_reads_none(house: House) -> None:
    house.begin()
    intake.take_in_mail(house.site, b"From: alice@example.org\r\n\r\nF3\r\n", via="lmtp")
    migrate_on(house, floor="9000")
    before = rows_of(house)
    with suppress(Outdated):
        assert sender.drain(house.site, lambda: house.mail) == 0
    with suppress(Outdated):
        assert reading.read_inbox(house.site) == 0
    assert house.mail.tried == []
    assert rows_of(house) == before


@pytest.mark.long
def test_a_process_goes_on_beside_a_migration_that_it_can_live_with(house: House) -> None:
    match_id = house.begin()
    migrate_on(house, floor=None)
    version = house.play(match_id, house.asks(match_id)[0].seat).version
    assert house.view(match_id, None).sheet.version == version
    assert house.drain() > 0
    found = read_health(house)
    assert (found.ready, found.schema, found.why) == (True, "ahead", "")


@pytest.mark.long
def test_a_migrations_lives_with_older_flag_decides_whether_old_code_runs(house: House, later: Any) -> None:
    match_id = house.begin()
    later("pass", mark="LIVES_WITH_OLDER = True")
    migrate(house.site.config.database_url)
    house.play(match_id, house.asks(match_id)[0].seat)
    later("pass")
    migrate(house.site.config.database_url)
    with pytest.raises(Outdated):
        house.play(match_id, house.asks(match_id)[0].seat)


@pytest.mark.long
def test_an_outdated_process_is_refused_until_its_schema_is_new_enough(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()
    with house.site.reading() as session:
        floor = revisions.read_floor(session.connection())
    for room in (engine, one_batch):
        monkeypatch.setattr(room, "NEWEST_SCHEMA", f"{int(floor) - 1:04}")
    with pytest.raises(Outdated):
        house.play(match_id, house.asks(match_id)[0].seat)
    for room in (engine, one_batch):
        monkeypatch.setattr(room, "NEWEST_SCHEMA", floor)
    house.play(match_id, house.asks(match_id)[0].seat)


@pytest.mark.on_postgresql
def test_a_program_that_is_too_new_for_the_database_asks_for_patience(house: House) -> None:
    match_id = house.begin()
    with house.site.engine.begin() as connection:
        connection.execute(text("DROP TABLE schema_floor"))
    with pytest.raises(Unavailable, match="being upgraded"):
        house.play(match_id, house.asks(match_id)[0].seat)


def statements_of(engine: Engine, statements: list[str]) -> None:
    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)


@pytest.mark.long
def test_a_writing_transaction_checks_the_schema_floor_once_with_its_lock(postgres_house: House) -> None:
    match_id = postgres_house.begin()
    statements: list[str] = []
    ask = postgres_house.asks(match_id)[0]
    statements_of(postgres_house.site.engine, statements)
    postgres_house.play(match_id, ask.seat)
    looks = [at for at, statement in enumerate(statements) if "schema_floor" in statement]
    locks = [at for at, statement in enumerate(statements) if "FOR NO KEY UPDATE" in statement]
    assert len(looks) == 1
    assert looks[0] <= locks[0] + 1, "in the same batch as the lock"


@pytest.mark.long
def test_a_migration_waits_for_a_move_in_hand_and_a_move_for_the_migration(postgres_house: House) -> None:
    house = postgres_house
    match_id = house.begin()
    newer = make_engine(house.site.config.database_url, lock_wait_s=0.1)
    with house.site.writing() as work:
        work.connection().execute(text("SELECT 1"))
        with pytest.raises(DBAPIError), newer.begin() as connection:
            connection.execute(text("LOCK TABLE schema_floor IN ACCESS EXCLUSIVE MODE"))
    ask = house.asks(match_id)[0]
    refused: list[BaseException] = []

    def move() -> None:
        try:
            house.play(match_id, ask.seat)
        except Outdated as error:
            refused.append(error)

    mover = threading.Thread(target=move)
    with newer.begin() as connection:
        connection.execute(text("LOCK TABLE schema_floor IN ACCESS EXCLUSIVE MODE"))
        connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
        mover.start()
        waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        wait_until(lambda: connection.execute(waiting).scalar() == 1, "the move waits")
    mover.join(SECONDS)
    assert len(refused) == 1
    newer.dispose()


@pytest.mark.long
def test_only_a_migration_that_raises_the_floor_waits_for_open_writes(postgres_house: House, later: Any) -> None:
    house = postgres_house
    url = house.site.config.database_url
    later("pass", mark="LIVES_WITH_OLDER = True")
    with house.site.writing() as work, watch_locks(house.site.engine) as one_waits:
        work.connection().execute(text("SELECT 1"))
        migrate(url)  # at once
        later("pass")
        migration = threading.Thread(target=migrate, args=(url,))
        migration.start()
        wait_until(one_waits, "the migration waits")
    migration.join(SECONDS)
    with pytest.raises(Outdated):
        outages.record_heartbeat(house.site, "web")
