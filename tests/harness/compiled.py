"""Statements that one test's engine has compiled, for the next one's.

Each test has a database and so an engine of its own, which knows no statement. Compiling them anew took a tenth of the
time of a test.
"""

from sqlalchemy import Dialect, Engine
from sqlalchemy.engine.interfaces import CompiledCacheType
from sqlalchemy.util import LRUCache

_known: dict[str, tuple[Dialect, CompiledCacheType]] = {}


def take_over_compiled(engine: Engine) -> None:
    """Gives a new engine what an earlier one for the same kind of database has compiled."""
    if engine.dialect.name in _known:
        engine.dialect, compiled = _known[engine.dialect.name]
    else:
        compiled = LRUCache(2000)
    engine.update_execution_options(compiled_cache=compiled)


def hand_on_compiled(engine: Engine) -> None:
    """Keeps what the engine has compiled, if it has been connected: before that, its dialect knows no server."""
    if engine.dialect.server_version_info is not None:
        _known[engine.dialect.name] = engine.dialect, engine.get_execution_options()["compiled_cache"]
