"""Sentences and pictures are as they are stored in said.txt, pictured.txt and inked.txt."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.render import inked, pictured, said
from tests.render.lines import lines_of, what_is_stored
from tests.render.skia import needs_skia


@pytest.mark.parametrize("module", [said, pictured], ids=lambda module: module.__name__.rpartition(".")[2])
def test_sentences_and_pictures_of_sample_stories_equal_the_stored_ones(module: ModuleType) -> None:
    known = what_is_stored(module.FILE)
    assert {part.__name__: lines_of(part) for part in module.PARTS} == known


@needs_skia
def test_skia_draws_the_stored_pictures() -> None:
    known = what_is_stored(inked.FILE)
    for part in inked.PARTS:
        found = lines_of(part)
        assert len(found) == len(known[part.__name__])
        for one, other in zip(found, known[part.__name__], strict=True):
            assert inked.are_alike(one, other), f"{one}\nis stored as\n{other}"
