"""Somebody who waits for news of a match in a thread."""

from __future__ import annotations

from collections.abc import Callable

from werkzeug.test import TestResponse

from pbem.models.tables import Match
from tests.api.cast import Api, Caller, Table
from tests.harness.followers import Followers


class Watch(Followers):
    """Callers of the API who wait."""

    def __init__(self, api: Api, places: int = 9) -> None:
        super().__init__(api.app, places)
        self.plans: dict[float, Callable[[], object]] = {}

    def ask(self, caller: Caller, path: str, **headers: str) -> TestResponse:
        """Returns what the caller gets, while what is planned happens."""
        return self.get(f"/api/v1{path}", caller.headers() | headers, self.plans)


def job_that_moves(table: Table, seat: int) -> Callable[[], object]:
    """Returns a function by which the seat plays its first legal move."""
    return lambda: table.play(seat, table.ask(seat)["legal"][0])


def job_that_changes_match(table: Table, **to: object) -> Callable[[], object]:
    """Returns a function that changes values in the match's row."""

    def change() -> None:
        with table.api.site.writing() as session:
            for name, value in to.items():
                setattr(session.get_one(Match, table.id), name, value)

    return change
