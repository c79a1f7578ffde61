"""What use cases return, refuse and write, row by row, compared with what somebody has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.chronicles.chapters import FILES, NAMES, play_chapter


@pytest.mark.parametrize("name", NAMES)
def test_each_chronicle_of_use_cases_equals_the_stored_one(sqlite_url: str, tmp_path: Path, name: str) -> None:
    assert play_chapter(name, sqlite_url, tmp_path) == FILES[name].with_suffix(".txt").read_text("utf-8")
