"""Many cases of one function in a chronicle, a line for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import update
from sqlmodel import SQLModel

from pbem.errors import Invalid, Problem
from pbem.models.tables import OutboxRow, table
from tests.services.chronicles.chronicle import Chronicle, value_in_a_line
from tests.table import House


def note_results_of_cases(told: Chronicle, title: str, function: Callable[[Any], Any], cases: Iterable[Any]) -> None:
    """Notes what the function says of each case, or why it refuses it."""
    told.lines += ["", f"## {title}"]
    told.lines += [f"  {case!r}: {result_in_a_line(lambda one=case: function(one))}" for case in cases]  # type: ignore[misc]


def result_in_a_line(function: Callable[[], Any]) -> str:
    """Returns what the function returns, in a line, or its refusal with all that its caller is told."""
    try:
        return value_in_a_line(function())
    except Problem as refused:
        at = f" at {', '.join(refused.fields)}" if isinstance(refused, Invalid) and refused.fields else ""
        wait = f", wait {refused.retry_after} s" if refused.retry_after is not None else ""
        facts = f" {value_in_a_line(dict(refused.facts))}" if refused.facts else ""
        return f"{refused.code}{at}{wait}: {refused.message}{facts}"
    except ValueError as wrong:
        return f"{type(wrong).__name__}: {wrong}"


def store_rows(house: House, *rows: SQLModel) -> None:
    """Stores the rows."""
    with house.site.writing() as work:
        for row in rows:
            work.add(row)
            work.flush()


def close_mails(house: House, result: str = "sent") -> None:
    """Closes all mails that wait, as if they had left now, or had this result."""
    t = table(OutboxRow)
    with house.site.writing() as work:
        work.execute(update(t).where(t.c.done_at.is_(None)).values(done_at=house.clock(), result=result))
