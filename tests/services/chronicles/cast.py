"""Who takes part in chronicles, and what is done beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import text

from pbem.errors import Problem
from pbem.services.lobby.match_request import Invitee
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, address_of

PARIS = ("fr", "Europe/Paris")
LONDON = ("en", "Europe/London")


def invitee(name: str) -> Invitee:
    """One of the cast, by name and address."""
    return Invitee(name, address_of(name))


def invitees(*names: str) -> list[Any]:
    """Those of the cast."""
    return [invitee(name) for name in names]


def send_all_mails(house: House, told: Chronicle) -> None:
    """All mails have left."""
    change_rows(house, told, "UPDATE outbox SET result = 'sent', done_at = created_at WHERE done_at IS NULL")


def change_rows(house: House, told: Chronicle, sql: str, **values: Any) -> None:
    """Changes rows, which is no part of the chronicle."""
    with house.site.writing() as work:
        work.connection().execute(text(sql), values)
    told.skip()


def seconds_refused_for(refused: Callable[[], Any]) -> int | None:
    """Returns after how many seconds somebody may ask again who is refused now."""
    try:
        refused()
    except Problem as problem:
        return problem.retry_after
    raise AssertionError("nobody has refused it")
