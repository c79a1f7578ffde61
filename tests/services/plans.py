"""The plans of PostgreSQL for the statements of pbem in a database whose statistics say that its tables are large."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy import Engine, event

Asked = dict[str, Any]
"""Statements by their text, each with the parameters of the last time."""
FEW = frozenset({
    "schema_floor", "alembic_version", "pulse", "outages", "task_failures", "checkpoints", "leagues", "seasons",
    "entrants", "circle_members", "occasion_answers", "standing_tables", "webhooks",
})  # fmt: skip
"""Tables that stay small however many matches there are; a circle has a few standing tables at most."""
TO_DO = frozenset({
    "ix_analyses_due", "ix_asks_bots", "ix_asks_follow", "ix_inbox_due", "ix_matches_held", "ix_outbox_due",
    "ix_players_bounced", "ix_players_daily", "ix_players_unverified", "ix_replay_pictures_due", "ix_seats_unfilled",
})  # fmt: skip
"""Indexes of rows that are left to do, or of few players: what reads all of one reads little."""
ROWS = 10_000_000
DEAR = 20_000
"""The cost of a plan that reads at least a tenth of such a table. No statement that comes often takes a tenth of it."""
PLANNING = 2.5
"""What PostgreSQL counts for planning, for each table and once more (`cached_plan_cost` in its plancache.c)."""
READS_OR_WRITES = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
PARAMETER = re.compile(r"%\((\w+)\)s")

_TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition"""
_COLUMNS = """
SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = ''"""
_OF_MATCHES = """
SELECT c.table_name, string_agg(c.column_name, ' ') FROM information_schema.columns c
JOIN pg_class ON pg_class.oid = c.table_name::regclass AND NOT relispartition
WHERE c.table_schema = 'public' AND coalesce(c.column_default, '') NOT LIKE 'nextval%%'
GROUP BY c.table_name HAVING 'match_id' = ANY (array_agg(c.column_name)) OR c.table_name IN ('matches', 'players')"""
_OTHERS = {
    "matches": {"id": "t.id || i"}, "players": {"canonical": "t.canonical || i", "page_key": "NULL"},
    "outbox": {"dedupe": "t.dedupe || i"}, "inbox": {"digest": "md5(t.digest || i)"},
}  # fmt: skip
_COPIES = """
INSERT INTO {table} ({columns}) SELECT {values} FROM {table} t, generate_series(1, {copies}) i WHERE {which}"""
COPIES = 60
_SOMETHING = {"integer": "1", "bigint": "1", "boolean": "false", "bytea": "''", "double precision": "1"}
_LARGE = """
UPDATE pg_class SET reltuples = pg_class.reltuples * %(rows)s / greatest(of.reltuples, 1)
FROM (SELECT t.oid, t.relname, t.reltuples, x.indexrelid FROM pg_class t LEFT JOIN pg_index x ON x.indrelid = t.oid) of
WHERE pg_class.oid IN (of.oid, of.indexrelid) AND pg_class.relnamespace = 'public'::regnamespace
      AND of.relname <> ALL (%(few)s)"""
_DIFFERENT = """
UPDATE pg_statistic s SET stadistinct = -least(1, abs(CASE WHEN stadistinct < 0 THEN 1 ELSE stadistinct / {rows} END)),
    stakind1 = 0, stanumbers1 = NULL, stavalues1 = NULL
FROM pg_class t, pg_attribute a
WHERE t.oid = s.starelid AND a.attrelid = t.oid AND a.attnum = s.staattnum AND relnamespace = 'public'::regnamespace
      AND a.attname ~ '(^|_)id$'"""


@contextmanager
def record_statements(engine: Engine) -> Iterator[Asked]:
    """Yields the statements that reach the database while the block runs, as they come."""
    asked: Asked = {}

    def note(_connection: Any, _cursor: Any, statement: str, given: Any, _context: Any, many: bool) -> None:
        if READS_OR_WRITES.match(statement):
            asked[" ".join(statement.split())] = given[0] if many or isinstance(given, list) else given

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def pretend_large_tables(connection: psycopg.Connection[Any]) -> None:
    """Has the statistics say that all tables are large, with rows like those that there are; most matches are over.

    A table without a row would be read whole whatever they say, so each gets one.
    """
    connection.execute("SET session_replication_role = replica")
    over = "{} IN (SELECT id FROM matches WHERE status = 'over')"
    for table, told in connection.execute(_OF_MATCHES).fetchall():
        columns = told.split()
        values = (
            {name: f"t.{name}" for name in columns}
            | {"match_id": "t.match_id || i", "player_id": "t.player_id * 1000 + i / 10"}
            | _OTHERS.get(table, {})
        )
        which = {"matches": "status = 'over'", "players": "canonical IS NOT NULL"}.get(table, over.format("t.match_id"))
        listed = {"columns": ", ".join(columns), "values": ", ".join(values[one] for one in columns)}
        copies = COPIES * 10 if table == "entries" else COPIES  # some in each leaf
        connection.execute(_COPIES.format(table=table, copies=copies, which=which, **listed))
    for (table,) in connection.execute(_TABLES).fetchall():
        if connection.execute(f"SELECT FROM {table} LIMIT 1").fetchone() is not None:
            continue
        columns = connection.execute(_COLUMNS, [table]).fetchall()
        given = [
            _SOMETHING.get(kind, "now()" if kind.startswith(("timestamp", "date")) else "'1'") for _, kind in columns
        ]
        names = ", ".join(f'"{name}"' for name, _ in columns)
        with connection.transaction():
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join(given)})")
    connection.execute("VACUUM (FULL, ANALYZE)")  # where other tests had rows before, their pages would be left
    connection.execute(_DIFFERENT.format(rows="greatest(t.reltuples, 1)"))
    connection.execute(_LARGE, {"rows": ROWS, "few": [*FEW]})


def reads_too_much(connection: psycopg.Connection[Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """Yields each large table, and index of one, that a statement reads whole, with the statement.

    psycopg prepares what comes again: PostgreSQL plans it for its values, then for any, if that plan seems no worse.
    """
    for statement, given in asked.items():
        numbers = {name: f"${n}" for n, name in enumerate(dict.fromkeys(PARAMETER.findall(statement)), start=1)}
        generic = PARAMETER.sub(lambda found: numbers[found[1]], statement).replace("%%", "%")  # noqa: B023
        plan = _plan(connection.execute(f"EXPLAIN (FORMAT JSON) {statement}", given))
        for_any = _plan(connection.execute(f"EXPLAIN (FORMAT JSON, GENERIC_PLAN) {generic}"))
        tables = sum("Relation Name" in part for part in _parts(plan))
        plans = [plan] if for_any["Total Cost"] > plan["Total Cost"] + PLANNING * (tables + 1) else [plan, for_any]
        dear = {"much" for one in plans if one["Total Cost"] > DEAR}
        for told in sorted(dear.union(*(_whole(one, limited=False) for one in plans))):
            yield f"{told} in {statement}"


def _plan(cursor: psycopg.Cursor[Any]) -> dict[str, Any]:
    row = cursor.fetchone()
    assert row is not None
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def _parts(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _parts(part)


def _whole(plan: Mapping[str, Any], *, limited: bool) -> Iterator[str]:
    """Yields what the plan reads from one end to the other: large tables, and indexes of them."""
    kind, table = plan["Node Type"], plan.get("Relation Name", "")
    if table not in FEW and not table.startswith("pg_"):
        if kind == "Seq Scan":
            yield "entries" if re.fullmatch(r"entries_\d\d", table) else table
        passes = "Index Name" in plan and "Index Cond" not in plan and (not limited or "Filter" in plan)
        if passes and plan["Index Name"] not in TO_DO:
            yield plan["Index Name"]
    for part in plan.get("Plans", ()):
        yield from _whole(part, limited=kind == "Limit")
