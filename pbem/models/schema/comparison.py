"""What distinguishes the tables of a database from those that the models declare."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, Inspector, Table, inspect, text
from sqlmodel import SQLModel

from pbem import models
from pbem.models.partitions import ENTRIES, is_leaf
from pbem.models.schema.branches import OF_FEATURES, version_tables_and_left_behind


def schema_differences(connection: Connection) -> list[str]:
    """Returns a few words for each table, column, index or constraint that is missing, not declared, or another.

    The leaves of partitioned tables are no models. Partial indexes are compared by their columns alone, and constraints
    on values by their names.
    """
    for module in iter_modules(models.__path__):
        import_module(f"{models.__name__}.{module.name}")  # so that all tables are declared
    gone = (
        version_tables_and_left_behind(inspect(connection).get_table_names()) | OF_FEATURES
    ) - SQLModel.metadata.tables.keys()

    def is_declared(name: str | None, kind: str, parents: object) -> bool:
        return kind != "table" or not (is_leaf(name) or name in gone)

    def leads_on(made: Any, name: str | None, kind: str, reflected: bool, compared: object) -> bool:
        return kind != "foreign_key_constraint" or made.elements[0].target_fullname.partition(".")[0] not in gone

    opts = {"compare_type": True, "include_name": is_declared, "include_object": leads_on}
    context = MigrationContext.configure(connection, opts=opts)
    found: list[Any] = compare_metadata(context, SQLModel.metadata)
    steps = [one for step in found for one in (step if isinstance(step, list) else [step])]
    inspector = inspect(connection)
    there = set(inspector.get_table_names())
    both = [made for name, made in SQLModel.metadata.tables.items() if name in there]
    missed = [told for made in both for told in _differences_alembic_misses(inspector, made)]
    return sorted(
        {
            *map(_describe_difference, steps),
            *missed,
            *_wrong_autoincrements(connection, both),
            *_missing_leaves(connection, there),
        }
    )


def _describe_difference(step: tuple[Any, ...]) -> str:
    """Returns one of alembic's differences in words; its first word says what would have to be done."""
    what, *more = step
    action, _, kind = what.partition("_")
    match what:
        case "add_table" | "remove_table":
            told = f"table {more[0].name}"
        case "add_column" | "remove_column":
            told = f"column {more[1]}.{more[2].name}"
        case _ if action == "modify":
            told, (before, after) = f"column {more[1]}.{more[2]}", more[-2:]
            return f"{told}: {kind} is {before!r} and should be {after!r}"
        case _:
            told = f"{_KINDS.get(kind, kind)} {_name_of_item(more[0])} of {more[0].table.name}"
    return f"{told} is missing" if action == "add" else f"{told} is not ours"


_KINDS = {"index": "index", "constraint": "constraint", "fk": "foreign key"}


def _name_of_item(one: Any) -> str:
    return str(one.name or f"on {', '.join(column.name for column in one.columns)}")


def _differences_alembic_misses(inspector: Inspector, made: Table) -> Iterator[str]:
    """Yields what alembic does not compare: keys, constraints on values, and defaults, which older programs rely on."""
    key = [column.name for column in made.primary_key.columns]
    found = inspector.get_pk_constraint(made.name)["constrained_columns"]
    if found != key:
        yield f"primary key of {made.name} is {', '.join(found) or 'none'} and should be {', '.join(key)}"
    wanted = {str(one.name) for one in made.constraints if isinstance(one, CheckConstraint)}
    checks = {str(one["name"]) for one in inspector.get_check_constraints(made.name)}
    yield from (f"constraint {name} of {made.name} is missing" for name in wanted - checks)
    yield from (f"constraint {name} of {made.name} is not ours" for name in checks - wanted)
    defaults = {one["name"]: one["default"] for one in inspector.get_columns(made.name)}
    for column in made.columns:
        if column.server_default is not None and defaults.get(column.name, "") is None:
            yield f"column {made.name}.{column.name} has no default"


def _wrong_autoincrements(connection: Connection, both: Iterable[Table]) -> Iterator[str]:
    """Yields the tables of SQLite that give the number of a deleted row again and should not, or the reverse."""
    if connection.dialect.name == "sqlite":
        created = text("SELECT name, upper(sql) LIKE '%AUTOINCREMENT%' FROM sqlite_master WHERE type = 'table'")
        found = {name: bool(counts) for name, counts in connection.execute(created)}
        for made in both:
            if found[made.name] != bool(made.dialect_options["sqlite"]["autoincrement"]):
                yield f"AUTOINCREMENT of {made.name} is {'not ours' if found[made.name] else 'missing'}"


def _missing_leaves(connection: Connection, there: set[str]) -> Iterator[str]:
    """Yields the missing leaves of the log's entries: a match whose rows belong there takes no move."""
    if connection.dialect.name == "postgresql" and "entries" in there:
        leaves = sum(is_leaf(name) for name in there)
        if leaves != ENTRIES:
            yield f"table entries has {leaves} leaves and should have {ENTRIES}"
