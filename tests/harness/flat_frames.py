"""Frames of replays without their drawing, which takes most of the time: one colour, which depends on all of the frame.

A test that imports the fixture uses it by its name; two frames that would look different have different colours.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from pbem.render import replay_frames
from pbem.services.views import reels

VIEW_BOX = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def flat_png(svg: str, width: int, **_: Any) -> bytes:
    """A PNG of the document's size, in a colour of its own."""
    found = VIEW_BOX.match(svg, svg.index("viewBox"))
    assert found is not None
    size = width, round(width * int(found[2]) / int(found[1]))
    file = BytesIO()
    Image.new("RGB", size, tuple(hashlib.sha256(svg.encode()).digest()[:3])).save(file, "png")
    return file.getvalue()


@contextmanager
def frames_flat() -> Iterator[None]:
    """Frames are flat and small meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay_frames, "WIDTH", replay_frames.WIDTH // 10)
        patch.setattr(reels, "plain_png", flat_png)
        yield


@pytest.fixture
def flat_frames() -> Iterator[None]:
    """The test's frames are flat."""
    with frames_flat():
        yield
