"""A feature whose tables hold something of players answers erasure and retention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Column, ForeignKey, Integer, MetaData, String, Table
from sqlmodel import SQLModel

from pbem.discovery import module_of_feature, packages_of_features
from pbem.models.tables import Match, Player, SeatRow
from tests.harness.cases import cases

OWNERS = {str(model.__tablename__) for model in (Player, SeatRow, Match)}
COLUMNS = {"player_id", "seat", "match_id", "address", "name"}
"""What a column is called that says whose the row is, if it has no foreign key."""


IMPERSONAL = {
    "analyses": "says what positions were worth to seats, and nothing that the log does not; kept as long as the match",
    "checkpoint_places": "says up to which entry a log stands in a tree of hashes, and nothing of who plays",
}
"""Tables with such a column that hold nothing of players all the same, and why."""


def tables_of(package: str) -> Iterator[Table]:
    """Yields the tables that the feature's module of tables declares."""
    module = module_of_feature(package, "tables")
    for one in vars(module).values() if module is not None else ():
        if isinstance(one, type) and issubclass(one, SQLModel) and one.__module__ == f"{package}.tables":
            yield SQLModel.metadata.tables[str(one.__tablename__)]


def personal_tables(tables: Iterable[Table]) -> set[str]:
    """Returns the names of the tables with a column of a player, a seat or a match."""
    return {
        table.name
        for table in tables
        for column in table.columns
        if column.name in COLUMNS or any(key.target_fullname.partition(".")[0] in OWNERS for key in column.foreign_keys)
    }


def declares_deletion(package: str) -> bool:
    """True if the feature says what of its data is deleted."""
    hooks = module_of_feature(package, "hooks")
    return hooks is not None and hooks.HOOKS.personal is not None


@cases("name", packages_of_features())
def test_a_feature_with_personal_data_implements_erasure_and_retention(name: str) -> None:
    package = packages_of_features()[name]
    found = personal_tables(tables_of(package)) - IMPERSONAL.keys()
    assert not found or declares_deletion(package), "`HOOKS.personal` deletes them: see docs/new-feature.md"


def test_the_check_finds_tables_that_refer_to_players_or_matches() -> None:
    by_name = Table("a", MetaData(), Column("id", Integer), Column("player_id", Integer))
    by_key = Table("b", MetaData(), Column("of", Integer, ForeignKey("matches.id")))
    neither = Table("c", MetaData(), Column("key", String))
    assert personal_tables([by_name, by_key, neither]) == {"a", "b"}
    assert personal_tables(tables_of(packages_of_features()["push"])) == {"push_subscriptions"}
