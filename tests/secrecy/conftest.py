"""The true world, to compare with others that look alike to a viewer, and the production topology."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.production.conftest import bare as bare
from tests.table import House, open_house


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The true world."""
    yield from open_house(sqlite_url, tmp_path)
