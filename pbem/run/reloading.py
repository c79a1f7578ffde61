"""Packages of games that are edited while pbem runs: `pbem run --reload` looks after their files."""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from pbem.discovery import files_below_without_caches
from pbem.games import folders_of_packages, look_for_games


class Packages:
    """The packages that offer games, and what their files looked like when that was last asked.

    From here on no bytecode is written: it does not tell an edit of the same length in the same second.
    """

    def __init__(self) -> None:
        sys.dont_write_bytecode = True
        self._places = folders_of_packages()
        self._seen = dict(self._files_with_times())

    def have_changed(self) -> bool:
        """Returns whether a file came, went or was written since this was last asked."""
        before, self._seen = self._seen, dict(self._files_with_times())
        return self._seen != before

    def forget_imports(self) -> None:
        """Guarantees that these packages are imported again when games are next looked for."""
        for name in [name for name in sys.modules if name.partition(".")[0] in self._places]:
            del sys.modules[name]
        importlib.invalidate_caches()
        look_for_games.cache_clear()

    def _files_with_times(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yields each file, with when it was written and its size."""
        for place in (place for places in self._places.values() for place in places):
            for path in files_below_without_caches(place):
                with suppress(FileNotFoundError):  # it went in this moment
                    found = os.stat(path)
                    yield path, (found.st_mtime_ns, found.st_size)
