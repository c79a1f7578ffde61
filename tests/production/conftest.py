"""The production topology, fresh for each test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.production.topology import Service, run_service_parts


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Service]:
    """Database, broker and mail sink; the database has no tables, and no process of pbem runs."""
    # Socket paths are cut at 107 bytes.
    with (
        tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as sockets,
        run_service_parts(tmp_path, Path(sockets)) as made,
    ):
        yield made


@pytest.fixture
def bare_with_tables(bare: Service) -> Service:
    """The same with tables."""
    bare.migrate()
    return bare
