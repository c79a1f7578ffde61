"""Every stroke, mark and picture is where it was, and says what it said: compared with what is stored."""

from __future__ import annotations

from tests.harness.cases import cases
from tests.render.drawn import PARTS, Part, drawings_of, what_is_stored


@cases("part", PARTS)
def test_each_drawing_equals_the_stored_one(part: Part) -> None:
    assert drawings_of(part).splitlines() == what_is_stored()[part.__name__].splitlines()
