"""The true world, to compare with others that look alike to a viewer, and the production topology."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.kit.logs import chain
from tests.production.conftest import bare as bare
from tests.table import House, open_house


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The true world."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.fixture(autouse=True)
def ideal_seals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals as they would be if a hash told nothing at all: they follow from the salt, and not from the value.

    So two worlds have the same heads and marks, unless a value got into them, or into anything else, past its seal.
    """
    monkeypatch.setattr(chain, "seal_of_value", lambda salt, value: sha256(f"ideal|{salt}".encode()).hexdigest())
