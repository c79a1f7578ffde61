"""Which tables PostgreSQL keeps in partitions. SQLite keeps each in one piece."""

import re

ENTRIES = 32
"""The number of leaves of the log's entries, by a hash of the match's id. It is fixed when a database is made."""
_LEAF = re.compile(r"entries_\d\d")


def leaves_of_entries() -> list[str]:
    """Returns the statements that make the leaves of the log's entries, on PostgreSQL."""
    return [
        f"CREATE TABLE entries_{i:02} PARTITION OF entries FOR VALUES WITH (MODULUS {ENTRIES}, REMAINDER {i})"
        for i in range(ENTRIES)
    ]


def is_leaf(table: str | None) -> bool:
    """True if the table with this name is a leaf of another one: no model declares it."""
    return table is not None and _LEAF.fullmatch(table) is not None
