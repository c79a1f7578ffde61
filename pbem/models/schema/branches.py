"""The migrations of features: a branch for each, which starts on the tables that the trunk has made.

The trunk is `pbem.models.migrations`. A feature that has tables of its own since then keeps its migrations in the
folder `migrations` of its package, named `NNNN_what.py` as those of the trunk are, and numbered inside by their names.
A table of the database, `schema_of_<feature>`, says how far they have come: so a feature that is installed later begins
then, and one that is uninstalled leaves the others alone. Whether it is on does not matter.

Its tables are named `<feature>` or `<feature>_…`: so it is known whose they are when the feature is gone.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from runpy import run_path

from sqlalchemy import Connection, inspect, text

from pbem.discovery import folder_of_package, packages_of_features

_PREFIX = "schema_of_"
OF_FEATURES = frozenset(
    (
        "analyses", "checkpoint_leaves", "checkpoint_places", "checkpoints", "circle_matches", "circle_members",
        "circles", "cosigned", "deliveries", "entrants", "imported_logs", "inbox", "leagues", "occasion_answers",
        "occasions", "plans", "push_subscriptions", "replay_pictures", "season_matches", "seasons", "standing_tables",
        "webhook_marks", "webhook_season_marks", "webhooks",
    )
)  # fmt: skip
"""The tables that the trunk of migrations has made for features: where a folder was taken away, its tables stay."""


@dataclass(frozen=True)
class Branch:
    """The migrations of one feature: the folder that they are in, and the newest of them."""

    feature: str
    folder: Path
    newest: str

    @property
    def version_table(self) -> str:
        """The table that says how far they have come."""
        return f"{_PREFIX}{self.feature}"

    def read_revision(self, connection: Connection) -> str:
        """Returns how far they have come in this database; "" if none was made."""
        return read_revision_in_table(connection, self.version_table)

    def find_fault(self) -> str:
        """Returns which of the files is not as it must be, and what it must be; "" if all are right.

        What stands inside must agree with their names, which alone are compared with the database. Runs them, as
        alembic does.
        """
        before = None
        for path in _migration_files(self.folder):
            number = path.name[:4]
            if not re.fullmatch(r"[0-9]{4}_.+", path.name) or number == before:
                return f"{path.name} must be called NNNN_what.py, with a number that no other has"
            inside = run_path(str(path))
            if (inside.get("revision"), inside.get("down_revision")) != (number, before):
                return f"{path.name} must have revision = {number!r} and down_revision = {before!r}"
            before = number
        return ""


@cache
def branches() -> tuple[Branch, ...]:
    """Returns the branches of all features that have migrations, on or off, by the features' names.

    Their files are read once: an upgrade may exchange them under a process that runs.
    """
    found = []
    for name, package in packages_of_features().items():
        place = folder_of_package(package) / "migrations"
        if steps := revision_numbers_in_folder(place):
            found.append(Branch(name, place, steps[-1]))
    return tuple(found)


def revision_numbers_in_folder(place: Path) -> list[str]:
    """Returns the numbers of the migrations in a folder, by the names of their files."""
    return [path.name.partition("_")[0] for path in _migration_files(place)]


def _migration_files(place: Path) -> list[Path]:
    """Returns the files that alembic reads, by their names."""
    return sorted(path for path in place.glob("*.py") if path.name != "__init__.py")


def read_revision_in_table(connection: Connection, version_table: str) -> str:
    """Returns how far the migrations that this table counts have come; "" if none was made."""
    if not inspect(connection).has_table(version_table):
        return ""
    return str(connection.execute(text(f"SELECT version_num FROM {version_table}")).scalar() or "")  # noqa: S608


def version_tables_and_left_behind(there: Collection[str]) -> set[str]:
    """Returns the database's tables that say how far branches have come, and those of features that are gone.

    A table whose name begins with the names of two features belongs to the one with the longer name.
    """
    counted = {name.removeprefix(_PREFIX) for name in there if name.startswith(_PREFIX)}
    gone = counted - set(packages_of_features())
    named = sorted({*counted, *packages_of_features()}, key=len)
    owners = {name: one for one in named for name in there if name == one or name.startswith(f"{one}_")}
    return {name for name, one in owners.items() if one in gone} | {f"{_PREFIX}{name}" for name in counted}
