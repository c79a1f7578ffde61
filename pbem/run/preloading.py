"""Importing much at once, without the garbage collector."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType


def preload(*names: str) -> Sequence[ModuleType]:
    """Imports modules, and returns them.

    What is imported stays, so visiting it again and again would only take time, a quarter of that of importing the
    web. It is frozen, for visiting it later would copy it into each process that is forked.
    """
    if all(name in sys.modules for name in names):
        return [sys.modules[name] for name in names]
    gc.disable()
    try:
        return [import_module(name) for name in names]
    finally:
        gc.freeze()
        gc.enable()
