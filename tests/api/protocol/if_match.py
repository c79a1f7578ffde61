"""A change that another one overtakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def run_before_service_call(monkeypatch: pytest.MonkeyPatch, there: Any, name: str, does: Callable[[], object]) -> None:
    """Lets something happen just before the service's function `name` is called for the first time."""
    change = getattr(there, name)

    def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(there, name, change)
        does()
        return change(*args, **kwargs)

    monkeypatch.setattr(there, name, late)
