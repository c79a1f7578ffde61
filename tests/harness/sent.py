"""The statements that reach a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event


@contextmanager
def statements_to(engine: Engine) -> Iterator[list[str]]:
    """Yields the statements sent to the database during the block; one for many rows counts once."""
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(engine, "before_cursor_execute", note)


def count_statements(engine: Engine, job: Callable[[], object]) -> int:
    """Returns how many statements the job sends to the database."""
    with statements_to(engine) as said:
        job()
    return len(said)
