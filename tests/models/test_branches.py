"""A feature in a package brings its own migrations, which go on by themselves, beside those of the trunk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect, text

from pbem import clock, discovery
from pbem.models.engine import FeatureFailed, OtherSchema, alembic_config, make_engine, migrate
from pbem.models.schema import branches, upgrade
from pbem.models.schema.comparison import schema_differences
from pbem.models.schema.revisions import NEWEST_SCHEMA
from pbem.services.monitoring.probes import state_of_schema
from tests.harness.waiting import SECONDS
from tests.table import START

MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = {revision!r}, {before!r}


def upgrade() -> None:
    {step}
"""
TABLES = """
from sqlmodel import Field, SQLModel


class Item(SQLModel, table=True):
    __tablename__ = "feed_items"

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
"""
ITEMS = """op.create_table("feed_items", sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.id"), nullable=False))"""
Feed = Callable[..., Path]


def forget() -> None:
    for cached in (
        discovery.packages_of_features,
        discovery.faults_of_features,
        discovery.module_of_feature,
        discovery.folder_of_package,
        branches.branches,
    ):
        cached.cache_clear()
    for name in ("feed", "early"):
        sys.modules.pop(name, None)


def write_migration(path: Path, revision: str, before: str | None, step: str = "pass") -> None:
    path.write_text(MIGRATION.format(revision=revision, before=before, step=step))


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Feed]:
    """Installs the feature `feed` with this many of its steps; none: it is uninstalled."""
    place = tmp_path / "packages"
    (place / "feed" / "migrations").mkdir(parents=True)
    (place / "feed" / "__init__.py").write_text('"""What is new."""\n')
    (place / "feed" / "tables.py").write_text(TABLES)
    info = place / "feed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: feed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pbem.features]\nfeed = feed\n")
    monkeypatch.syspath_prepend(place)

    def install(*steps: str) -> Path:
        folder = place / "feed" / "migrations"
        for number, step in enumerate(steps, 1):
            before = f"{number - 1:04}" if number > 1 else None
            write_migration(folder / f"{number:04}_step.py", f"{number:04}", before, step)
        for path in sorted(folder.glob("*_step.py"))[len(steps) :]:
            path.unlink()
        (info / "entry_points.txt").write_text("[pbem.features]\nfeed = feed\n" if steps else "")
        forget()
        return place

    yield install
    forget()


def tables_of_database(url: str) -> set[str]:
    engine = make_engine(url)
    try:
        return {name for name in inspect(engine).get_table_names() if "feed" in name}
    finally:
        engine.dispose()


def read_schema(url: str) -> str:
    engine = make_engine(url)
    with engine.connect() as connection:
        found, _ = state_of_schema(connection)
    engine.dispose()
    return found


def revision_of_trunk(url: str) -> str:
    engine = make_engine(url)
    with engine.connect() as connection:
        found = branches.read_revision_in_table(connection, "alembic_version")
    engine.dispose()
    return found


@pytest.mark.on_postgresql
def test_a_feature_installed_later_gets_its_tables_and_later_migrations(feed: Feed, blank_database_url: str) -> None:
    migrate(blank_database_url)
    assert tables_of_database(blank_database_url) == set()
    feed(ITEMS)
    assert read_schema(blank_database_url) == "behind"
    migrate(blank_database_url)
    assert (tables_of_database(blank_database_url), read_schema(blank_database_url)) == (
        {"feed_items", "schema_of_feed"},
        "ok",
    )
    feed(ITEMS, 'op.create_table("feed_readers", sa.Column("id", sa.Integer(), primary_key=True))')
    assert read_schema(blank_database_url) == "behind"
    migrate(blank_database_url)
    migrate(blank_database_url)
    assert "feed_readers" in tables_of_database(blank_database_url)
    assert read_schema(blank_database_url) == "ok"


@pytest.mark.on_postgresql
def test_a_features_failed_migration_changes_nothing(feed: Feed, blank_database_url: str) -> None:
    feed(f"{ITEMS}; op.execute('SELECT * FROM nowhere')")
    with pytest.raises(FeatureFailed, match="feed") as failed:
        migrate(blank_database_url)
    assert "nowhere" in str(failed.value.__cause__)
    assert tables_of_database(blank_database_url) == set()
    feed()
    assert read_schema(blank_database_url) == "ok"


@pytest.mark.on_postgresql
def test_a_failed_step_of_a_feature_tells_what_was_upgraded_before(feed: Feed, blank_database_url: str) -> None:
    place = feed("op.execute('SELECT * FROM nowhere')")
    (place / "early" / "migrations").mkdir(parents=True)
    (place / "early" / "__init__.py").touch()
    write_migration(place / "early" / "migrations" / "0001_step.py", "0001", None)
    offers = place / "feed-1.0.dist-info" / "entry_points.txt"
    offers.write_text("[pbem.features]\nearly = early\nfeed = feed\n")
    forget()
    command.upgrade(alembic_config(blank_database_url), "0023")
    with pytest.raises(upgrade.NotUpgraded) as failed:
        upgrade.upgrade_database(blank_database_url, lambda line: None)
    said = str(failed.value)
    assert "The tables of the feature 'feed' could not be brought up to date (" in said
    assert "nowhere" in said
    assert f"Upgraded already: those of pbem to schema {NEWEST_SCHEMA} and those of the feature 'early'." in said
    assert "Go on with this version of pbem, and with the version of the feature 'feed' that ran before" in said
    assert "To go back to the versions from before, " in said
    assert revision_of_trunk(blank_database_url) == NEWEST_SCHEMA
    with pytest.raises(upgrade.NotUpgraded, match=r"So is the rest of the database\. Go on with this") as failed:
        upgrade.upgrade_database(blank_database_url, lambda line: None)
    assert "To go back" not in str(failed.value)
    feed()
    upgrade.upgrade_database(blank_database_url, lambda line: None)


def test_a_features_failed_migration_names_the_copy_to_go_back_to(
    feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: START)  # a service that is started again in the same second
    feed("op.execute('SELECT * FROM nowhere')")
    file = tmp_path / "pbem.db"
    command.upgrade(alembic_config(f"sqlite:///{file}"), "0023")
    with pytest.raises(upgrade.NotUpgraded) as failed:
        upgrade.upgrade_database(f"sqlite:///{file}", lambda line: None)
    (copy,) = tmp_path.glob("pbem.db.before-*")
    assert str(failed.value).rpartition(": ")[2] == f"rm -f {file}-wal {file}-shm && cp {copy} {file}"
    assert revision_of_trunk(f"sqlite:///{copy}") == "0023"
    for _ in range(3):
        with pytest.raises(upgrade.NotUpgraded):
            upgrade.upgrade_database(f"sqlite:///{file}", lambda line: None)
    assert revision_of_trunk(f"sqlite:///{copy}") == "0023"
    assert len([*tmp_path.glob("pbem.db.before-*[0-9]")]) == 2, "the upgraded one is kept once, however often it fails"


def test_a_feature_migration_leaving_dangling_references_fails(feed: Feed, blank_sqlite_url: str) -> None:
    feed(f"""{ITEMS}; op.execute("INSERT INTO feed_items VALUES (1, 'none')")""")
    with pytest.raises(upgrade.NotUpgraded, match=r"'feed' could not .*feed_items → matches\)\); the") as failed:
        upgrade.upgrade_database(blank_sqlite_url, lambda line: None)
    assert "Nothing has been changed" not in str(failed.value)


@pytest.mark.on_postgresql
def test_a_package_older_than_its_tables_is_refused_before_any_migration(feed: Feed, blank_database_url: str) -> None:
    feed(ITEMS, "pass")
    command.upgrade(alembic_config(blank_database_url), "0023")
    command.upgrade(alembic_config(blank_database_url, *branches.branches()), "head")
    feed(ITEMS)
    with pytest.raises(OtherSchema, match="'feed' are of another version of it, at its migration 0002, which"):
        migrate(blank_database_url)
    assert revision_of_trunk(blank_database_url) == "0023"


def test_a_package_lacking_an_applied_migration_is_refused(feed: Feed, sqlite_url: str) -> None:
    place = feed(ITEMS)
    migrate(sqlite_url)
    (place / "feed" / "migrations" / "0001_step.py").unlink()
    write_migration(place / "feed" / "migrations" / "0005_all.py", "0005", None)
    forget()
    with pytest.raises(OtherSchema, match="another version of it, at its migration 0001, which the installed"):
        migrate(sqlite_url)


@pytest.mark.parametrize(
    ("name", "revision", "before", "fault"),
    [
        ("0002_two.py", "a1b2c3d4e5f6", "0001", "0002_two.py must have revision = '0002' and down_revision = '0001'"),
        ("0002_two.py", "0002", None, "0002_two.py must have revision = '0002' and down_revision = '0001'"),
        ("0000_none.py", "0000", "0009", "0000_none.py must have revision = '0000' and down_revision = None"),
        ("0001_more.py", "0001", None, "0001_step.py must be called NNNN_what.py, with a number that no other has"),
        ("items.py", "0002", "0001", "items.py must be called NNNN_what.py, with a number that no other has"),
        ("10_items.py", "10", "0001", "10_items.py must be called NNNN_what.py, with a number that no other has"),
    ],
)
def test_a_misnumbered_migration_of_a_feature_is_refused_before_any_step(
    feed: Feed, tmp_path: Path, name: str, revision: str, before: str | None, fault: str
) -> None:
    url = f"sqlite:///{tmp_path}/pbem.db"
    place = feed(ITEMS)
    write_migration(place / "feed" / "migrations" / name, revision, before)
    forget()
    command.upgrade(alembic_config(url), "0023")
    with pytest.raises(upgrade.NotUpgraded) as refused:
        upgrade.upgrade_database(url, lambda line: None)
    assert str(refused.value).startswith(f"Of the feature 'feed', the migration {fault}. Nothing has been changed")
    assert revision_of_trunk(url) == "0023"
    assert [*tmp_path.glob("pbem.db.before-*")] == []


def test_a_migration_that_cannot_be_read_stops_before_any_step(feed: Feed, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/pbem.db"
    place = feed(ITEMS)
    (place / "feed" / "migrations" / "0001_step.py").write_text("import nowhere_at_all\n")
    command.upgrade(alembic_config(url), "0023")
    with pytest.raises(upgrade.NotUpgraded, match=r"the feature 'feed' could not .*nowhere_at_all"):
        upgrade.upgrade_database(url, lambda line: None)
    assert revision_of_trunk(url) == "0023"


@pytest.mark.on_postgresql
def test_the_migration_in_the_documentation_works(feed: Feed, blank_database_url: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", Path("docs/new-feature.md").read_text(), re.DOTALL | re.MULTILINE)
    (shown,) = [block for block in blocks if "down_revision" in block]
    place = feed("pass")
    (place / "feed" / "migrations" / "0001_step.py").write_text(shown)
    migrate(blank_database_url)
    assert (tables_of_database(blank_database_url), read_schema(blank_database_url)) == (
        {"feed_items", "schema_of_feed"},
        "ok",
    )


def test_an_empty_version_table_means_no_migration_was_applied(feed: Feed, sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE schema_of_feed (version_num VARCHAR(32) NOT NULL)"))
    engine.dispose()
    feed(ITEMS)
    upgrade.upgrade_database(sqlite_url, lambda line: None)
    assert read_schema(sqlite_url) == "ok"


@pytest.mark.parametrize("gone", ["feed_items", "schema_of_feed", "feed"])
def test_leftover_tables_of_a_feature_are_recognised_by_their_prefix(feed: Feed, gone: str) -> None:
    there = {"feed_items", "schema_of_feed", "feed", "feeding", "players", "schema_floor"}
    feed()
    assert gone in branches.version_tables_and_left_behind(there)
    assert branches.version_tables_and_left_behind(there) == {"feed_items", "schema_of_feed", "feed"}
    assert branches.version_tables_and_left_behind(there - {"schema_of_feed"}) == set()
    feed(ITEMS)
    assert branches.version_tables_and_left_behind(there) == {"schema_of_feed"}


@pytest.mark.parametrize(("there", "left"), [("feed_readers", {"feed_items"}), ("feed", {"feed_readers"})])
def test_a_table_belongs_to_the_feature_with_the_longer_name(feed: Feed, there: str, left: set[str]) -> None:
    place = feed(ITEMS)
    (place / "feed-1.0.dist-info" / "entry_points.txt").write_text(f"[pbem.features]\n{there} = feed\n")
    forget()
    counted = {"schema_of_feed", "schema_of_feed_readers"}
    assert branches.version_tables_and_left_behind({"feed_items", "feed_readers", *counted}) == left | counted


def test_a_declared_table_is_no_leftover_of_a_gone_feature_of_its_name(feed: Feed, sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE schema_of_seats (version_num VARCHAR(32) NOT NULL)"))
    with engine.connect() as connection:
        assert schema_differences(connection) == []
    engine.dispose()


def test_tables_of_a_feature_that_is_gone_are_no_difference(feed: Feed, sqlite_url: str) -> None:
    feed(ITEMS)
    migrate(sqlite_url)
    engine = make_engine(sqlite_url)
    with engine.connect() as connection:
        assert schema_differences(connection) == ["table feed_items is not ours"], (
            "nobody has read its module of tables here"
        )
        feed()
        assert schema_differences(connection) == []
    engine.dispose()


def test_the_schema_comparison_includes_tables_of_an_installed_feature(feed: Feed, sqlite_url: str) -> None:
    place = feed(ITEMS)
    script = (
        "import sys; from pbem.models.engine import make_engine, migrate; import pbem.models.tables\n"
        "from pbem.models.schema.comparison import schema_differences\n"
        "migrate(sys.argv[1]); engine = make_engine(sys.argv[1])\n"
        "with engine.connect() as connection: print(schema_differences(connection))\n"
        "with engine.begin() as connection: connection.exec_driver_sql('DROP TABLE feed_items')\n"
        "with engine.connect() as connection: print(schema_differences(connection))\n"
    )
    path = f"{place}{os.pathsep}{Path.cwd()}"
    done = subprocess.run(
        [sys.executable, "-c", script, sqlite_url], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["[]", "['table feed_items is missing']"], done.stderr


def test_the_database_is_copied_before_a_feature_changes_it(feed: Feed, tmp_path: Path) -> None:
    url, said = f"sqlite:///{tmp_path}/pbem.db", list[str]()
    upgrade.upgrade_database(url, said.append)
    upgrade.upgrade_database(url, said.append)
    assert said == []
    feed(ITEMS)
    upgrade.upgrade_database(url, said.append)
    assert len(said) == 1
    upgrade.upgrade_database(url, said.append)
    assert (len(said), len([*tmp_path.glob("pbem.db.before-*")])) == (1, 1)
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM schema_of_feed")).scalar() == "0001"
    engine.dispose()
