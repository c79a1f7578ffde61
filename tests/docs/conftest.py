"""Where the packages of the pages are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.installing import look_again
from tests.features.inbox.replying import comes_in
from tests.table import House, open_house


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for installed packages, where games are discovered during the test."""
    folder = tmp_path / "target"
    folder.mkdir()
    with monkeypatch.context() as patched:
        patched.syspath_prepend(folder)
        look_again(folder)
        yield folder
        look_again(folder)
    look_again(folder)


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A house that mail comes back to."""
    yield from open_house(sqlite_url, tmp_path, **comes_in())
