"""A backup made while people play can be restored, and the match goes on."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from pbem.errors import Outdated
from pbem.kit.replay import full_fold
from pbem.models.schema.comparison import schema_differences
from pbem.services.log import store
from tests.commands.conftest import Pbem, bare, house, pbem
from tests.harness.servers import PostgresServer, postgres_programs
from tests.table import House, open_house

__all__ = ["bare", "house", "pbem"]

ROOT = Path(__file__).parents[2]


def everything_of(house: House, match_id: str) -> tuple[int, object]:
    """Returns a match's version and its full state, folded again from its log."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        return match.version, full_fold(game, store.load_entries(session, match_id, game))


@pytest.mark.long
def test_a_backup_taken_during_play_is_one_moment_and_can_be_played_on(
    pbem: Pbem, house: House, tmp_path: Path
) -> None:
    match_id = house.begin(3)
    house.play(match_id, house.asks(match_id)[0].seat)
    before, _ = everything_of(house, match_id)
    playing = threading.Thread(target=lambda: house.play_on(match_id))
    playing.start()
    made = pbem("backup", str(tmp_path / "copy.db"))
    playing.join()
    assert made.exit_code == 0, made.stderr
    assert "secret" in made.stdout
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0
    restored = tmp_path / "restored"
    restored.mkdir()
    shutil.copy(tmp_path / "copy.db", restored / "pbem.db")
    for other in open_house(f"sqlite:///{restored / 'pbem.db'}", restored):
        version, _state = everything_of(other, match_id)
        assert before <= version <= everything_of(house, match_id)[0]
        other.play_on(match_id)
        assert other.view(match_id, None).sheet.status == "over"


def test_a_backup_overwrites_no_file_and_leaves_no_partial_copy(pbem: Pbem, house: House, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("something dear")
    refused = pbem("backup", str(target))
    assert refused.exit_code == 1
    assert "is there already" in refused.stderr
    assert target.read_text() == "something dear"
    nowhere = pbem("backup", str(tmp_path / "absent" / "copy.db"))
    assert nowhere.exit_code == 1
    assert "was not made" in nowhere.stderr
    assert list(tmp_path.glob("*.part")) == []


def test_a_copy_holds_what_stood_in_the_write_ahead_log_only(pbem: Pbem, house: House, tmp_path: Path) -> None:
    match_id = house.begin(3)
    assert (tmp_path / "pbem.db-wal").stat().st_size > 0
    assert pbem("backup", str(tmp_path / "copy.db")).exit_code == 0
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("SELECT id FROM matches").fetchall() == [(match_id,)]


def test_the_postgresql_commands_lead_back_to_before_an_upgrade(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    if not (postgres_programs() / "pg_dump").is_file() and "CI" not in os.environ:
        pytest.skip("the wheel for this system has no pg_dump; where CI runs it has")
    fresh = postgres.create()
    back_up, restore = commands_in_docs(postgres_url, postgres.url(fresh), tmp_path)
    for there in open_house(postgres_url, tmp_path):
        match_id = there.begin(3)
        there.play(match_id, there.asks(match_id)[0].seat)
        known, version = everything_of(there, match_id), there.view(match_id, None).sheet.version
        back_up()
        with there.site.engine.begin() as connection:  # what a migration of a newer program does
            connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
            connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))
        with pytest.raises(Outdated):
            there.play(match_id, there.asks(match_id)[0].seat)
        restore()
    for there in open_house(postgres.url(fresh), tmp_path):
        assert everything_of(there, match_id) == known
        there.play(match_id, there.asks(match_id)[0].seat)
        assert there.view(match_id, None).sheet.version > version
        with there.site.engine.connect() as connection:
            assert schema_differences(connection) == []
    postgres.drop(fresh)


def commands_in_docs(url: str, fresh_url: str, folder: Path) -> list[Callable[[], None]]:
    """Returns the commands of docs/hosting.md for PostgreSQL, each as a function that runs it in the folder."""
    (lines,) = re.findall(r"```sh\n(pg_dump .*?)```", (ROOT / "docs" / "hosting.md").read_text(), re.DOTALL)
    environ = {**os.environ, "DATABASE_URL": libpq_address(url), "NEW_DATABASE_URL": libpq_address(fresh_url)}
    environ["PATH"] = f"{postgres_programs()}{os.pathsep}{os.environ['PATH']}"

    def run(line: str) -> None:
        done = subprocess.run(
            ["/bin/sh", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    return [partial(run, line) for line in lines.splitlines()]


def libpq_address(url: str) -> str:
    """Returns the address in the form that the client programs take."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
