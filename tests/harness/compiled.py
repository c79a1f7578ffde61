"""What passes from one test's engine to the next: compiled statements, and connections to a server.

Each test has its own database and so its own engine with an empty cache. Compiling the statements again took a tenth
of a test's time, and a server that has to parse and plan them on new connections another tenth. The dialect is passed
on as well, so no test may listen to it or alter it.
"""

from sqlalchemy import Dialect, Engine, Pool
from sqlalchemy.engine.interfaces import CompiledCacheType
from sqlalchemy.util import LRUCache

_known: dict[str, tuple[Dialect, CompiledCacheType]] = {}
_pools: dict[float, tuple[str, Pool]] = {}
"""The last database's, by lock wait, with its address."""


def take_over_compiled(engine: Engine, lock_wait_s: float) -> None:
    """Gives a new engine the statements that an earlier one for the same kind of database has compiled.

    On PostgreSQL it gets the idle connections, too, that an earlier one had to the same database with this lock wait.
    """
    if engine.dialect.name in _known:
        engine.dialect, compiled = _known[engine.dialect.name]
    else:
        compiled = LRUCache(2000)
    engine.update_execution_options(compiled_cache=compiled)
    if engine.dialect.name == "postgresql" and lock_wait_s in _pools:
        url, pool = _pools.pop(lock_wait_s)
        if url == str(engine.url):
            engine.pool = pool
        else:
            pool.dispose()


def hand_on_compiled(engine: Engine, lock_wait_s: float) -> None:
    """Keeps the engine's compiled statements, if it has connected: before that, its dialect knows no server.

    Its connections are closed unless the next test can use them.
    """
    if engine.dialect.server_version_info is not None:
        _known[engine.dialect.name] = engine.dialect, engine.get_execution_options()["compiled_cache"]
    pool = engine.pool
    if engine.dialect.name == "postgresql" and pool.checkedout() == 0:  # type: ignore[attr-defined]
        _pools[lock_wait_s] = str(engine.url), pool
    else:
        engine.dispose()
