"""Alembic's entry: runs the migrations on the URL that `pbem.models.engine` hands over.

Those of the trunk are one transaction, on both databases, and so are those of each feature: one that fails leaves the
database as it was before it. On SQLite a table that others refer to can only be made again while foreign keys are off,
and only a connection that is in no transaction can turn them off; so they are looked at before the commit.

A migration that programs of the revision before it can live with says so by `LIVES_WITH_OLDER = True`. The newest one
that does not is the floor: programs that do not know it must not write. Those of features raise no floor: programs of
the version before must always be able to live with them.
"""

from typing import Any

from alembic import context
from alembic.script.revision import RevisionError
from sqlalchemy import Connection, event, insert, inspect, select, update
from sqlmodel import SQLModel

from pbem.models import tables  # they fill the metadata
from pbem.models.engine import WRITE, OtherSchema, make_engine
from pbem.models.partitions import is_leaf
from pbem.models.schema.branches import Branch
from pbem.models.schema.revisions import SchemaFloor

target_metadata = SQLModel.metadata


def run() -> None:
    """Runs the migrations on a connection of their own; a process that starts at the same time waits.

    Raises OtherSchema if rows would refer to others that are not there.
    """
    engine = make_engine(context.config.attributes["url"], lock_wait_s=30)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", lambda connection, _record: connection.execute("PRAGMA foreign_keys=OFF"))
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection:
            _upgrade(connection)
    finally:
        engine.dispose()


def _upgrade(connection: Connection) -> None:
    on_sqlite = connection.dialect.name == "sqlite"
    steps: list[Any] = []
    branch: Branch | None = context.config.attributes["branch"]
    versions = branch.version_table if branch is not None else "alembic_version"
    context.configure(
        connection=connection, target_metadata=target_metadata, render_as_batch=True, transactional_ddl=True,
        version_table=versions,
        include_name=lambda name, kind, parents: kind != "table" or not is_leaf(name),
        on_version_apply=lambda step, **_: steps.append(step),
    )  # fmt: skip
    with context.begin_transaction():
        if not on_sqlite:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7237426)")
            if branch is None:
                _lock_out_writers(connection)
        context.run_migrations()
        if steps and branch is None:
            _raise_floor(connection)
        if steps and on_sqlite:
            _check_foreign_keys(connection, branch)


def _lock_out_writers(connection: Connection) -> None:
    """Waits for transactions that have looked at the floor, and has others wait, if the floor is to be raised.

    It is the first table that is locked, as with those that write, so that nobody waits in a circle.
    """
    if not inspect(connection).has_table(str(SchemaFloor.__tablename__)):
        return
    try:
        pending = [*context.script.iterate_revisions("head", context.get_context().get_current_revision())]
    except RevisionError:
        return  # of another pbem: `migrate` says so
    if not all(_is_safe_for_older_programs(one) for one in pending):
        connection.exec_driver_sql("LOCK TABLE schema_floor IN ACCESS EXCLUSIVE MODE")


def _is_safe_for_older_programs(step: Any) -> bool:
    return bool(getattr(step.module, "LIVES_WITH_OLDER", False))


def _raise_floor(connection: Connection) -> None:
    """Notes the newest applied revision that older programs cannot live with, unless a newer one is noted."""
    floor = tables.table(SchemaFloor)
    if not inspect(connection).has_table(floor.name):
        return  # a test has stopped before 0023
    here = context.get_context().get_current_revision()
    applied = context.script.iterate_revisions(here, "base")
    newest = next(one.revision for one in applied if not _is_safe_for_older_programs(one))
    if connection.execute(select(floor.c.revision)).scalar() is None:
        connection.execute(insert(floor).values(revision=newest))
    connection.execute(update(floor).where(floor.c.revision < newest).values(revision=newest))


def _check_foreign_keys(connection: Connection, branch: Branch | None) -> None:
    lost = sorted({f"{one.table} → {one.parent}" for one in connection.exec_driver_sql("PRAGMA foreign_key_check")})
    if lost:
        said = f"After the migration, rows would refer to others that are not there ({', '.join(lost)})."
        todo = " Nothing has been changed: go on with the version that ran here, and report this."
        raise OtherSchema(said + todo if branch is None else said)  # of a feature, the trunk may have been changed


run()
