"""The tables of a new SQLite database, made as the models declare them, where migrating would take five times as long.

What comes out is the same (tests/models/test_fresh.py); migrations go on from there.
"""

from sqlalchemy import inspect, text
from sqlmodel import SQLModel

from pbem.discovery import OURS, packages_of_features
from pbem.models.engine import VERSIONS, WRITE, make_engine
from pbem.models.schema import touching
from pbem.models.schema.branches import OF_FEATURES
from pbem.models.schema.revisions import NEWEST_SCHEMA, SchemaFloor
from pbem.models.tables import table

_VERSION = "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)"
_OLDER = "\nLIVES_WITH_OLDER = True\n"


def make_tables_if_empty(url: str) -> bool:
    """Makes all tables in an empty SQLite database, and returns True; False if migrations must do it.

    That is where there are tables already, or features have other tables than those of pbem.
    """
    ours = all(package.startswith(f"{OURS}.") for package in packages_of_features().values())
    if not url.startswith("sqlite") or not ours or not SQLModel.metadata.tables.keys() >= OF_FEATURES:
        return False
    engine = make_engine(url, lock_wait_s=30)
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection:
            if inspect(connection).get_table_names():
                return False
            SQLModel.metadata.create_all(connection, checkfirst=False)
            for statement in touching.create("sqlite"):
                connection.execute(text(statement))
            connection.execute(text(f"CREATE TABLE alembic_version ({_VERSION})"))
            connection.execute(text("INSERT INTO alembic_version VALUES (:newest)"), {"newest": NEWEST_SCHEMA})
            connection.execute(table(SchemaFloor).insert().values(revision=_newest_floor()))
            connection.commit()
            return True
    finally:
        engine.dispose()


def _newest_floor() -> str:
    """Returns the newest revision that programs of the one before it cannot live with."""
    paths = sorted(VERSIONS.glob("[0-9]*_*.py"))
    return next(path.name[:4] for path in reversed(paths) if _OLDER not in path.read_text(encoding="utf-8"))
