"""What distinguishes a database from the models is named, on both databases."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text

from pbem.models.engine import make_engine
from pbem.models.schema.comparison import schema_differences

COMMON = {
    "ALTER TABLE webhooks DROP COLUMN busy_run": "column webhooks.busy_run is missing",
    "ALTER TABLE webhooks ADD COLUMN extra INTEGER": "column webhooks.extra is not ours",
    "CREATE TABLE stray (a INTEGER)": "table stray is not ours",
    "DROP TABLE outages": "table outages is missing",
    "DROP INDEX ix_matches_status": "index ix_matches_status of matches is missing",
    "CREATE INDEX ix_strange ON matches (nth)": "index ix_strange of matches is not ours",
    "ALTER TABLE pulse RENAME COLUMN at TO moment": "column pulse.at is missing",
}
ON_POSTGRESQL = {
    "ALTER TABLE matches ALTER COLUMN nth TYPE VARCHAR(9)": "column matches.nth: type is VARCHAR(length=9)",
    "ALTER TABLE matches ALTER COLUMN game DROP NOT NULL": "column matches.game: nullable is True and should be False",
    "ALTER TABLE matches ALTER COLUMN late DROP DEFAULT": "column matches.late has no default",
    "ALTER TABLE players DROP CONSTRAINT ck_players_guest": "constraint ck_players_guest of players is missing",
    "ALTER TABLE pulse ADD CONSTRAINT ck_new CHECK (name <> '')": "constraint ck_new of pulse is not ours",
    "ALTER TABLE votes DROP CONSTRAINT votes_pkey": "primary key of votes is none and should be match_id, key, seat",
    "ALTER TABLE votes DROP CONSTRAINT votes_match_id_fkey": "foreign key on match_id of votes is missing",
    "ALTER TABLE players DROP CONSTRAINT players_canonical_key": "constraint on canonical of players is missing",
    "DROP TABLE entries_07": "table entries has 31 leaves and should have 32",
}


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = make_engine(database_url)
    yield made
    made.dispose()


@pytest.mark.on_postgresql
def test_the_schema_comparison_names_missing_extra_and_different_parts(engine: Engine) -> None:
    on_server = engine.dialect.name == "postgresql"
    changes = COMMON | (ON_POSTGRESQL if on_server else {})
    with engine.connect() as connection:
        assert schema_differences(connection) == []
    with engine.begin() as connection:
        for change in changes:
            connection.execute(text(change))
    with engine.connect() as connection:
        found = schema_differences(connection)
    for change, told in changes.items():
        assert any(one.startswith(told) for one in found), (change, found)
    extra = {"column pulse.moment is not ours"}
    assert len(found) == len(changes) + len(extra)


@pytest.mark.long
def test_on_sqlite_a_column_of_another_type_and_a_lost_key_are_named(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE quotas"))
        connection.execute(text("CREATE TABLE quotas (name VARCHAR(80) NOT NULL, used TEXT NOT NULL, until DATETIME)"))
    with engine.connect() as connection:
        found = schema_differences(connection)
    engine.dispose()
    assert found == [
        "column quotas.until: nullable is True and should be False",
        "column quotas.used: type is TEXT() and should be Integer()",
        "index ix_quotas_until of quotas is missing",
        "primary key of quotas is none and should be name",
    ]


def test_on_sqlite_a_table_that_would_give_a_number_again_is_named(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.begin() as connection:
        made = connection.execute(text("SELECT sql FROM sqlite_master WHERE name = 'webhooks'")).scalar_one()
        assert "AUTOINCREMENT" in made
        connection.execute(text("PRAGMA writable_schema = ON"))
        connection.execute(
            text("UPDATE sqlite_master SET sql = :sql WHERE name = 'webhooks'"),
            {"sql": made.replace("AUTOINCREMENT", "")},
        )
    with engine.connect() as connection:
        found = schema_differences(connection)
    engine.dispose()
    assert found == ["AUTOINCREMENT of webhooks is missing"]
