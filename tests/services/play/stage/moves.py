"""Every row that a move may change."""

from sqlalchemy import text

from tests.table import House


def all_rows(house: House) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    tables = ("players", "matches", "seats", "entries", "asks", "folds", "outbox", "suppressions")
    with house.site.engine.connect() as connection:
        return {t: sorted(map(tuple, connection.execute(text(f"SELECT * FROM {t}"))), key=repr) for t in tables}
