"""Alembic's entry: runs the migrations on the URL that `pbem.models.engine` hands over."""

from alembic import context
from sqlmodel import SQLModel

from pbem.models import inbox, tables  # noqa: F401  # they fill the metadata
from pbem.models.engine import WRITE, make_engine
from pbem.models.partitions import is_leaf

target_metadata = SQLModel.metadata


def run() -> None:
    """Runs the migrations on a connection of their own; a process that starts at the same time waits."""
    engine = make_engine(context.config.attributes["url"], lock_wait_s=30)
    with engine.connect().execution_options(**{WRITE: True}) as connection:
        context.configure(
            connection=connection, target_metadata=target_metadata, render_as_batch=True,
            include_name=lambda name, kind, parents: kind != "table" or not is_leaf(name),
        )  # fmt: skip
        with context.begin_transaction():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7237426)")
            context.run_migrations()
    engine.dispose()


run()
