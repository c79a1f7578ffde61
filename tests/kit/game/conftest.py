"""The toys as an installed distribution."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.games import look_for_games


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Offers both toys as games of a distribution."""
    info = tmp_path / "toys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    points = "pig = pbem.testing.starter.pig:GAME\nsealed = tests.kit.game.sealed:GAME\n"
    (info / "entry_points.txt").write_text(f"[pbem.games]\n{points}")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    look_for_games.cache_clear()
    yield
    look_for_games.cache_clear()
