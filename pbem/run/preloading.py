"""Importing much at once, without the garbage collector."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


def preload_modules(*names: str) -> Sequence[ModuleType]:
    """Imports modules, and returns them."""
    if all(name in sys.modules for name in names):
        return [sys.modules[name] for name in names]
    with without_garbage_collection():
        return [import_module(name) for name in names]


def preload_games_and_features() -> None:
    """Imports the games, and of all features what web and worker need."""
    from sqlalchemy.orm import configure_mappers

    from pbem.discovery import module_of_feature, packages_of_features
    from pbem.games import all_games

    with without_garbage_collection():
        configure_mappers()
        all_games()
        for package in packages_of_features().values():
            for name in ("tasks", "api", "pages"):
                module_of_feature(package, name)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Begins a block that makes what stays: there the garbage collector does not work.

    Visiting it again and again would only take time, a quarter of that of importing the web. It is frozen, for visiting
    it later would copy it into each process that is forked.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
