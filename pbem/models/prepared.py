"""Statements that are compiled once and then handed to the driver as they are.

SQLAlchemy takes several times as long per statement as the database does. The statements of every move and every page
bypass it; their rows become ordinary objects of the session, so code that changes one need not know how it was read.
Statements sent within `pipeline` reach PostgreSQL in one batch.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, NoReturn, Self, TypeVar

from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    Connection,
    Dialect,
    Text,
    TypeDecorator,
    bindparam,
    cast,
    func,
    inspect,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.sqlite import pysqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Mapper, configure_mappers
from sqlalchemy.orm.attributes import instance_dict, instance_state
from sqlalchemy.sql.elements import BindParameter
from sqlalchemy.sql.visitors import replacement_traverse
from sqlmodel import Session, SQLModel

from pbem.models.types import Utc

Processor = Callable[[Any], Any] | None
GUARD = "pbem_guard"
"""The execution option of a connection with its `engine.Floor`, which judges what came with the first batch."""


class Unmet(Exception):
    """A `Change` has changed no row: the transaction, or the batch if that is one, must be rolled back."""


@dataclass(frozen=True)
class _Compiled:
    """A statement compiled for one dialect, with the processors of its parameters and of its columns."""

    sql: str
    there: tuple[tuple[str, Callable[[Any], Any]], ...]
    """By the names of parameters; most have none."""
    fixed: dict[str, Any]
    back: tuple[tuple[int, Callable[[Any], Any]], ...]
    """By the places of columns; most columns have none."""


@dataclass(slots=True)
class Sent:
    """The result of a statement that was sent; the `rowcount` of its cursor says how many rows it has written."""

    connection: Connection
    cursor: Any
    _made: _Compiled

    def rows(self) -> list[list[Any]]:
        """Returns the rows, as values in the order of the columns; NULL is None whatever the column's type."""
        try:
            rows = [*map(list, self.cursor.fetchall())]
        except self.connection.dialect.loaded_dbapi.Error as error:
            raise_as_sqlalchemy_error(self.connection, self._made.sql, error)
        for place, do in self._made.back:
            for row in rows:
                if row[place] is not None:
                    row[place] = do(row[place])
        return rows


class Prepared:
    """A statement of SQLAlchemy, or what makes one for a dialect; `names`: an INSERT's columns, or all parameters."""

    def __init__(self, statement: Any, names: Sequence[str] | None = None) -> None:
        self._statement, self._names = statement, names
        self._made: dict[str, _Compiled] = {}

    def send(self, connection: Connection, values: Mapping[str, Any]) -> Sent:
        """Sends it in the connection's transaction. Raises what SQLAlchemy raises; `pipeline` may delay it."""
        dialect = connection.dialect
        made = self._made.get(dialect.name) or self._compile(dialect)
        given = {**made.fixed, **values}
        for name, do in made.there:
            given[name] = do(values[name])
        for listener in connection.dispatch.before_cursor_execute:
            listener(connection, None, made.sql, given, None, False)
        try:
            cursor: Any = connection.connection.cursor()
            # Prepared at its first use. psycopg would have it parsed and planned five times before; and where a batch
            # fails that prepares what came before unprepared, psycopg takes that for prepared.
            cursor.execute(made.sql, given, **({"prepare": True} if dialect.name == "postgresql" else {}))
        except dialect.loaded_dbapi.Error as error:
            raise_as_sqlalchemy_error(connection, made.sql, error)
        return Sent(connection, cursor, made)

    def sql(self, dialect: Dialect) -> str:
        """Returns it as the driver takes it."""
        return (self._made.get(dialect.name) or self._compile(dialect)).sql

    def flush_and_send(self, session: Session, values: Mapping[str, Any]) -> Sent:
        """Flushes the session, then sends it."""
        session.flush()
        return self.send(session.connection(), values)

    def with_noted_values(self, *names: str) -> "Prepared":
        """Returns the statement that takes these parameters from what the transaction has noted by `note`."""

        def look_up(element: Any, **_: Any) -> Any:
            if isinstance(element, BindParameter) and element.key in names:
                return cast(literal_column(f"nullif(current_setting('pbem.{element.key}', true), '')"), element.type)
            return None

        return Prepared(replacement_traverse(self._statement, {}, look_up))

    def _compile(self, dialect: Dialect) -> _Compiled:
        spoken = pysqlite.dialect(paramstyle="named") if dialect.name == "sqlite" else dialect
        statement = self._statement(dialect.name) if callable(self._statement) else self._statement
        compiled: Any = statement.compile(dialect=spoken, column_keys=self._names)
        # Also those that a statement that writes returns; what is written as SQL returns values as the driver has them.
        columns = list(getattr(statement, "exported_columns", ()))
        binds = [(name, bind) for bind, name in compiled.bind_names.items()]
        there = (
            (name, do)
            for name, bind in binds
            if bind.required and (do := _value_converters(bind.type, spoken)[0]) is not None
        )
        fixed = {name: bind.value for name, bind in binds if not bind.required}
        back = (
            (at, do)
            for at, column in enumerate(columns)
            if (do := _value_converters(column.type, spoken)[1]) is not None
        )
        made = self._made[dialect.name] = _Compiled(str(compiled), tuple(there), fixed, tuple(back))
        return made


def expression_to_note_value(name: str, value: Any) -> ColumnElement[Any]:
    """Returns the expression by which PostgreSQL notes a value until the transaction ends; NULL is noted, too.

    Later statements of a batch take it from there (`Prepared.with_noted_values`), which must know no result of the
    batch.
    """
    return func.set_config(literal_column(f"'pbem.{name}'"), cast(value, Text), literal_column("true"))


class Change(Prepared):
    """An UPDATE that must change a row. Raises Unmet if it changes none; on PostgreSQL the batch's end does."""

    def __init__(self, update: Any) -> None:
        super().__init__(
            lambda dialect: _statement_failing_unless_changed(update) if dialect == "postgresql" else update
        )

    def send(self, connection: Connection, values: Mapping[str, Any]) -> Sent:
        """Sends it in the connection's transaction. Raises Unmet, and what `Prepared.send` raises."""
        sent = super().send(connection, values)
        if connection.dialect.name == "sqlite" and sent.cursor.rowcount != 1:
            raise Unmet
        return sent


UNMET = "pbem: nothing to change"
NO_NUMBER = "22P02"


def _statement_failing_unless_changed(update: Any) -> Any:
    """Returns the statement that makes the change, and fails if it has changed no row: UNMET is no number."""
    changed = update.returning(literal_column("1")).cte("changed")
    number = f"CAST(CASE count(*) WHEN 0 THEN '{UNMET}' ELSE '1' END AS integer)"
    return select(literal_column(number)).select_from(changed)


def _value_converters(kind: Any, dialect: Dialect) -> tuple[Processor, Processor]:
    """Returns what turns a value of this type into the driver's, and what turns the driver's into it."""
    if dialect.name == "sqlite" and isinstance(kind, Utc):
        return None, moment_from_sqlite  # the driver adapts moments: see `engine.make_engine`
    spoken = kind.dialect_impl(dialect)
    return spoken.bind_processor(dialect), spoken.result_processor(dialect, None)


def insert_function_of_dialect(dialect: str) -> Any:
    """Returns the function that makes an INSERT of this dialect, which can say what to do where the key exists."""
    return postgresql.insert if dialect == "postgresql" else sqlite.insert


def moment_from_sqlite(text: str) -> datetime:
    """Returns the moment that SQLite has stored as this text."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def moment_in_sqlite(value: datetime) -> str:
    """Returns an aware moment as SQLite has it in a column of type Utc, for parameters that have no type.

    Python's own conversion is deprecated from 3.12 on, and writes another form, so that both do not compare. Raises
    ValueError for a naive moment.
    """
    if value.tzinfo is None:
        raise ValueError("a naive datetime cannot be stored")
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


class OneOf(ColumnElement[bool]):
    """The condition that an expression is among the values of a parameter with a list of texts, however long.

    `IN` has a parameter for each value, and so another statement for each number of values.
    """

    type = Boolean()

    def __init__(self, expression: Any, name: str) -> None:
        self.of, self.values = expression, bindparam(name, type_=_Texts())

    def self_group(self, against: Any = None) -> Self:
        """Returns it as it is: SQLite would be told to compare it with 1, and use no index."""
        return self


class _Texts(TypeDecorator[Sequence[str]]):
    """A list of texts: an array, or JSON where there are no arrays."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(ARRAY(Text()) if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> Any:
        texts = [*value] if value is not None else []
        return texts if dialect.name == "postgresql" else json.dumps(texts)


@compiles(OneOf, "postgresql")
def _any_of_array(element: OneOf, compiler: Any, **kw: Any) -> str:
    return f"{compiler.process(element.of, **kw)} = ANY ({compiler.process(element.values, **kw)})"


@compiles(OneOf, "sqlite")
def _in_json(element: OneOf, compiler: Any, **kw: Any) -> str:
    expression, values = (compiler.process(one, **kw) for one in (element.of, element.values))
    return f"{expression} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - compiled parts


# --- rows as objects -----------------------------------------------------------------------------------------


@cache
def _mapper_columns_and_key_places(model: type[SQLModel]) -> tuple[Mapper[Any], tuple[str, ...], tuple[int, ...]]:
    """Returns the model's mapper, its columns, and which of these are its key."""
    configure_mappers()
    mapper: Mapper[Any] = inspect(model)
    names = tuple(column.key for column in mapper.local_table.columns)
    return mapper, names, tuple(names.index(column.key) for column in mapper.primary_key)


def objects_of_rows(
    session: Session, model: type[SQLModel], rows: Sequence[Sequence[Any]], *, refresh: bool = False, at: int = 0
) -> list[Any]:
    """Returns the session's objects for these rows, which hold all columns of a model, the first at the place `at`.

    It is None for a row whose key is NULL. An object that the session already has stays as it is, unless `refresh`.
    """
    mapper, names, places = _mapper_columns_and_key_places(model)
    objects = []
    for row in rows:
        values = row[at : at + len(names)]
        key = tuple(map(values.__getitem__, places))
        identity = mapper.identity_key_from_primary_key(key)
        known = session.identity_map.get(identity)
        if known is None and None not in key:
            known = mapper.class_manager.new_instance()
            instance_dict(known).update(zip(names, values, strict=True))
            # What `make_transient_to_detached` and `Session.add` come to for a row without relationships, at a third.
            state = instance_state(known)
            state.key, state.session_id = identity, session.hash_key
            session.identity_map.add(state)
        elif known is not None and refresh:
            instance_dict(known).update(zip(names, values, strict=True))
        objects.append(known)
    return objects


def values_of(row: SQLModel) -> dict[str, Any]:
    """Returns the values of a row of the session by the names of its columns."""
    values = instance_dict(row)
    return {name: values[name] for name in _mapper_columns_and_key_places(type(row))[1]}


def objects_of_join(
    session: Session, models: Sequence[type[SQLModel]], rows: Sequence[Sequence[Any]], *, refresh: bool = False
) -> list[tuple[Any, ...]]:
    """Returns the session's objects for rows with the columns of several models; None for a model without a row."""
    at, by_model = 0, []
    for model in models:
        by_model.append(objects_of_rows(session, model, rows, refresh=refresh, at=at))
        at += len(_mapper_columns_and_key_places(model)[1])
    return [*zip(*by_model, strict=True)]


M = TypeVar("M", bound=SQLModel)


@cache
def _select_by_key(model: type[SQLModel]) -> tuple[Prepared, tuple[str, ...]]:
    mapper, names, places = _mapper_columns_and_key_places(model)
    keys, columns = tuple(names[place] for place in places), mapper.local_table.c
    return Prepared(select(mapper.local_table).where(*(columns[key] == bindparam(f"at_{key}") for key in keys))), keys


def find_by_key(session: Session, model: type[M], *key: Any) -> M | None:
    """Returns the session's object with this primary key, or None: a cheaper `Session.get`."""
    mapper, _, _ = _mapper_columns_and_key_places(model)
    known: M | None = session.identity_map.get(mapper.identity_key_from_primary_key(key))
    if known is not None:
        return known
    wanted, names = _select_by_key(model)
    rows = wanted.flush_and_send(session, {f"at_{name}": value for name, value in zip(names, key, strict=True)}).rows()
    return next(iter(objects_of_rows(session, model, rows)), None)


def find_many_by_key(session: Session, *wanted: tuple[type[SQLModel], int | str | None]) -> list[Any]:
    """Returns the session's objects with these primary keys of one column, in one batch; None where there is none."""
    with pipeline(session) as connection:
        sent = [
            (model, _select_by_key(model)[0].send(connection, {f"at_{_select_by_key(model)[1][0]}": key}))
            for model, key in wanted
        ]
    return [next(iter(objects_of_rows(session, model, one.rows())), None) for model, one in sent]


# --- in one batch --------------------------------------------------------------------------------------------


@contextmanager
def pipeline(session: Session) -> Iterator[Connection]:
    """Sends the prepared statements of the block in one batch, if the database can; their results are there at its end.

    Only prepared statements may be sent in it. Raises what these raise.
    """
    session.flush()
    with batch(session.connection()) as connection:
        yield connection


@contextmanager
def batch(connection: Connection) -> Iterator[Connection]:
    """Does what `pipeline` does; in autocommit mode, the batch is a transaction on PostgreSQL."""
    driver: Any = connection.connection.driver_connection
    if not hasattr(driver, "pipeline"):
        yield connection
        return
    try:
        with driver.pipeline():
            yield connection
    except connection.dialect.loaded_dbapi.Error as error:
        raise_as_sqlalchemy_error(connection, None, error)
    floor: Any = connection.get_execution_options().get(GUARD)
    if floor is not None:
        floor.refuse_if_outdated()


def raise_as_sqlalchemy_error(connection: Connection, sql: str | None, error: Exception) -> NoReturn:
    """Raises SQLAlchemy's error for the driver's, or Unmet."""
    if getattr(error, "sqlstate", None) == NO_NUMBER and UNMET in str(error):
        raise Unmet from error
    dialect = connection.dialect
    driver: Any = None if connection.invalidated else connection.connection.dbapi_connection
    gone = dialect.is_disconnect(error, driver, None)  # type: ignore[arg-type]  # it is the driver's own
    told = DBAPIError.instance(
        sql, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, connection_invalidated=gone, dialect=dialect
    )
    if gone and not connection.invalidated:
        connection.invalidate(error)
    raise told from error
