"""The reference."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {}

SENT: tuple[str, ...] = ()
ANSWERS: tuple[str, ...] = ()

ROWS: list[Row] = []
