"""Importing much at once, without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType


def preload(*names: str) -> Sequence[ModuleType]:
    """Imports modules, and returns them.

    What is imported stays, so visiting it again and again would only take time, a quarter of that of importing the
    web. Frozen, it is not copied either into each process that is forked later, which visiting it would do.
    """
    gc.disable()
    try:
        return [import_module(name) for name in names]
    finally:
        gc.freeze()
        gc.enable()
