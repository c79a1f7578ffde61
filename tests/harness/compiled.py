"""A cache of compiled statements that passes from one test's engine to the next.

Each test has its own database and so its own engine with an empty cache. Compiling the statements again took a tenth
of a test's time. The dialect is passed on as well, so no test may listen to it or alter it.
"""

from sqlalchemy import Dialect, Engine
from sqlalchemy.engine.interfaces import CompiledCacheType
from sqlalchemy.util import LRUCache

_known: dict[str, tuple[Dialect, CompiledCacheType]] = {}


def take_over_compiled(engine: Engine) -> None:
    """Gives a new engine the statements that an earlier one for the same kind of database has compiled."""
    if engine.dialect.name in _known:
        engine.dialect, compiled = _known[engine.dialect.name]
    else:
        compiled = LRUCache(2000)
    engine.update_execution_options(compiled_cache=compiled)


def hand_on_compiled(engine: Engine) -> None:
    """Keeps the engine's compiled statements, if it has connected: before that, its dialect knows no server."""
    if engine.dialect.server_version_info is not None:
        _known[engine.dialect.name] = engine.dialect, engine.get_execution_options()["compiled_cache"]
