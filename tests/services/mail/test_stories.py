"""Every letter as its builder returns it, field by field, compared with those that somebody has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.mail.scenes import SCENES, STORIES, story_of_scene
from tests.table import open_house


@pytest.mark.parametrize("name", SCENES)
def test_each_story_of_mails_equals_the_stored_one(sqlite_url: str, tmp_path: Path, name: str) -> None:
    scene = SCENES[name]
    for house in open_house(sqlite_url, tmp_path, **scene.settings):
        assert story_of_scene(house, scene) == (STORIES / f"{name}.txt").read_text("utf-8")
