"""The contract of the API, one module for each part of it, those of features beside their tests; tests combine them.

STABLE   the addresses, with their methods
ROWS     what each endpoint answers to each kind of caller
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal

from pbem import discovery
from tests.api.cast import Api, Table

COLUMNS = (
    "nobody", "own seat", "other seat", "seat elsewhere", "own PAT", "other PAT", "revoked PAT", "expired PAT",
    "wrong scope", "account", "expired account", "garbage",
)  # fmt: skip
"""The kinds of callers: Alice is whose seat, token and account it is, Bob sits beside her, Dave at another table."""


@dataclass
class Scene:
    """What a row may look up: the match, Dave's match, and the caller of the next request."""

    api: Api
    table: Table
    elsewhere: str
    column: str

    @property
    def name(self) -> str:
        """The player whom a token names."""
        named = {"other seat": "bob", "seat elsewhere": "dave", "other PAT": "dave"}
        return named.get(self.column, "alice")


@dataclass(frozen=True)
class Row:
    """What one endpoint answers, at an open or a private table, to each kind of caller: a status by column.

    A function in `body` or `values` is called with the scene before each request, and may prepare something.
    """

    method: str
    path: str
    expect: Mapping[str, int]
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    table: Literal["open", "private"] = "open"
    scope: str = ""
    """What a personal token needs; usually “read” for GET and “play” for all else."""
    values: Mapping[str, str | Callable[[Scene], Any]] = field(default_factory=dict)
    """What stands in the address besides the match."""
    also: tuple[str, ...] = ()
    """What else a personal token needs."""

    def __post_init__(self) -> None:
        assert set(self.expect) <= set(COLUMNS), f"{self.method} {self.path}: no such caller"

    @property
    def needs(self) -> str:
        """The scope that a personal token needs."""
        return self.scope or ("read" if self.method == "GET" else "play")

    @property
    def is_staged(self) -> bool:
        """Whether a function prepares something before each request."""
        return any(map(callable, (self.body, *self.values.values())))

    @property
    def rule(self) -> str:
        """The address as the application's rules write it, without the types of its parts."""
        path = re.sub(r"<(?:[^<>:]+:)?(\w+)>", r"{\1}", self.path)
        return path if path.startswith("/api/v1") else f"/api/v1{path}"


_ENDED = dict.fromkeys(("revoked PAT", "expired PAT", "expired account", "garbage"), 401)
_SEATS = ("own seat", "other seat", "seat elsewhere")


def same_for_all_callers(status: int = 200) -> dict[str, int]:
    """Returns this status for every kind of caller: the endpoint reads no token."""
    return dict.fromkeys(COLUMNS, status)


def statuses_to_view_match(*, private: bool = False) -> dict[str, int]:
    """Returns the statuses of an endpoint that shows a match."""
    world = 404 if private else 200
    seats = {"own seat": 200, "other seat": 200, "seat elsewhere": 403}
    return {"nobody": world, **seats, "own PAT": 200, "other PAT": world, "wrong scope": 403, "account": 401, **_ENDED}


def statuses_with_seat(own: int = 200, other: int | None = None) -> dict[str, int]:
    """Returns the statuses of an endpoint that needs a seat: for the seat itself, and for another one."""
    seats = {"own seat": own, "other seat": own if other is None else other, "seat elsewhere": 403}
    tokens = {"own PAT": own, "other PAT": 403, "wrong scope": 403}
    return {"nobody": 401, **seats, **tokens, "account": 401, **_ENDED}


def statuses_for_players(status: int = 200, *, nobody: int = 401, foreign: int | None = None) -> dict[str, int]:
    """Returns the statuses of an endpoint for players; `foreign` is for those who do not own the resource."""
    seats = dict.fromkeys(_SEATS, 401)
    tokens = {"own PAT": status, "other PAT": status if foreign is None else foreign, "wrong scope": 403}
    return {"nobody": nobody, **seats, **tokens, "account": status, **_ENDED}


def statuses_for_account(status: int = 200) -> dict[str, int]:
    """Returns the statuses of an endpoint that needs a player's account."""
    tokens = dict.fromkeys(("own PAT", "other PAT", "wrong scope"), 403)
    return {"nobody": 401, **dict.fromkeys(_SEATS, 401), **tokens, "account": status, **_ENDED}


def match_rows(method: str, path: str, expect: Mapping[str, int], private: Mapping[str, int], **more: Any) -> list[Row]:
    """The rows of an endpoint of a match, at an open and at a private table."""
    return [Row(method, path, expect, **more), Row(method, path, private, table="private", **more)]


def _parts() -> list[ModuleType]:
    own = sorted(f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__))
    return [importlib.import_module(name) for name in own] + [*of_features().values()]


def of_features() -> dict[str, ModuleType]:
    """Returns the parts of features that have addresses, by the feature's name."""
    found = discovery.packages_of_features()
    ours = [name for name, package in found.items() if package.startswith(discovery.OURS)]
    served = [name for name in ours if discovery.module_of_feature(found[name], "api") is not None]
    return {name: importlib.import_module(f"tests.features.{name}.surface") for name in served}


def stable_addresses() -> dict[str, set[str]]:
    """All addresses with their methods, each promised once."""
    found: dict[str, set[str]] = {}
    for part in _parts():
        for path, methods in part.STABLE.items():
            known = found.setdefault(path, set())
            assert not known & methods, f"{part.__name__} promises {path} again"
            known |= methods
    return found


def all_rows() -> list[Row]:
    """Returns all rows of all parts."""
    return [row for part in _parts() for row in part.ROWS]
