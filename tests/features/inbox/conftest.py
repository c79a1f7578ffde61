"""A house that mail comes back to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.inbox.replying import comes_in
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import House, open_house


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house at whose addresses with tokens mail is received."""
    yield from open_house(database_url, tmp_path, **comes_in())
