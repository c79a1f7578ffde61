"""What the API promises, told by one module for each part of it; tests put them together.

STABLE   the addresses, with their methods
SENT     the components a caller sends, which are closed
ANSWERS  the components he gets, which are open
ROWS     what each endpoint answers to each kind of caller
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal

COLUMNS = (
    "nobody", "own seat", "other seat", "seat elsewhere", "own PAT", "other PAT", "revoked PAT", "expired PAT",
    "wrong scope", "account", "expired account", "garbage",
)  # fmt: skip
"""The kinds of callers."""


@dataclass(frozen=True)
class Row:
    """What one endpoint answers, at an open or a private table, to each kind of caller: a status by column."""

    method: str
    path: str
    expect: Mapping[str, int]
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    table: Literal["open", "private"] = "open"

    def __post_init__(self) -> None:
        assert set(self.expect) <= set(COLUMNS), f"{self.method} {self.path}: no such caller"


def _parts() -> list[ModuleType]:
    names = sorted(found.name for found in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


def stable() -> dict[str, set[str]]:
    """All addresses with their methods, each promised once."""
    found: dict[str, set[str]] = {}
    for part in _parts():
        for path, methods in part.STABLE.items():
            known = found.setdefault(path, set())
            assert not known & methods, f"{part.__name__} promises {path} again"
            known |= methods
    return found


def sent() -> tuple[str, ...]:
    """All components that are sent."""
    return tuple(name for part in _parts() for name in part.SENT)


def answers() -> tuple[str, ...]:
    """All components that are answered."""
    return tuple(name for part in _parts() for name in part.ANSWERS)


def rows() -> list[Row]:
    """What every endpoint answers to everybody."""
    return [row for part in _parts() for row in part.ROWS]
