"""What becomes of every column that points to a player.

There are three cases: the player is erased, a guest is merged with them, or they download their data.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, ColumnClause, Connection, Table, inspect
from sqlalchemy import column as stored_column
from sqlalchemy import table as stored_table
from sqlmodel import SQLModel

from pbem.models.partitions import is_leaf
from pbem.models.tables import Player, table
from pbem.services.hooks import Fate, all_personal

FATES = {
    "seats.player_id": Fate(
        "with the matches", "with the matches",
        ("match_id", "seat", "name", "status", "word", "muted", "absent", "resigned", "stand_in"),
    ),
    "matches.organiser_id": Fate(
        "with the matches", "with the matches", ("id", "game", "options", "created_at", "started_at", "ended_at")
    ),
    # Who sat where stays known by id, which names nobody.
    "substitutes.player_id": Fate("emptied", export=("match_id", "seat", "name", "at")),
    "substitutes.former_id": Fate("emptied", export=("match_id", "seat")),
    # They have the mails; what waits is not told before its time.
    "outbox.player_id": Fate("forgotten", "moved", ()),
    "vacations.player_id": Fate("deleted", export=("first", "last")),
    "address_changes.player_id": Fate("deleted", "moved", ("address", "at", "done_at", "result")),
    "personal_tokens.player_id": Fate(
        "deleted", export=("name", "hint", "scopes", "created_at", "expires_at", "used_at", "revoked_at")
    ),
    "results.player_id": Fate(  # results stay by seat
        "forgotten", "moved", ("match_id", "seat", "game", "place", "score", "resigned", "median_s", "ended_at")
    ),
    "ratings.player_id": Fate("deleted", export=("game", "mu", "sigma", "matches", "at")),
}  # fmt: skip
"""Those of the core; features have their own."""


def all_fates() -> dict[str, Fate]:
    """Returns the fates of all columns that point to a player, by "table.column"."""
    return FATES | {name: fate for personal in all_personal() for name, fate in personal.fates.items()}


def columns_with_fates() -> Iterator[tuple[Column[object], Fate]]:
    """Yields all columns that point to a player, each with its fate."""
    fates = all_fates()
    for column in references_to(table(Player)):
        yield column, fates[f"{column.table.name}.{column.name}"]


def references_in_database(connection: Connection, target: Table) -> list[tuple[str, ColumnClause[Any]]]:
    """Returns all columns of this database that point to the table's rows, each with the name of its table.

    Columns of features that are gone are included.
    """
    found = inspect(connection).get_multi_foreign_keys()
    named = [
        (name, key["constrained_columns"][0])
        for (_, name), keys in sorted(found.items())
        for key in keys
        if key["referred_table"] == target.name and not is_leaf(name)
    ]
    return [(name, stored_table(name, stored_column(one)).c[one]) for name, one in named]


def references_to(target: Table) -> list[Column[object]]:
    """Returns all declared columns that point to the table's rows."""
    keys = (key for known in SQLModel.metadata.sorted_tables for key in known.foreign_keys)
    return [key.parent for key in keys if key.column.table is target]
