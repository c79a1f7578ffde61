"""Mails and replays without their drawing, which takes most of the time; for tests that look at everything else.

A mail's board is one pixel. A frame of a replay has one colour, which depends on all of it: two frames that would look
different have different ones. A test that imports a fixture uses it by its name.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import Any
from xml.parsers import expat

import pytest
from PIL import Image

from pbem.features.pictures import reels
from pbem.kit.contract import AnyGame
from pbem.mail import compose, mime
from pbem.render import pictures

VIEW_BOX = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_ONE_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


@pytest.fixture(autouse=True)
def undrawn_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a picture of one pixel into the test's mails. A conftest that imports this does so for its whole folder."""
    replace_pictures(monkeypatch)


def replace_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a picture of one pixel into mails until the patch ends."""
    monkeypatch.setattr(compose, "draw_board", _undrawn)
    monkeypatch.setattr(compose, "draw_symbol_of_mark", lambda game, mark: mime.base64_lines(_ONE_PIXEL))
    monkeypatch.setattr(compose, "draw_cover", lambda game: mime.base64_lines(_ONE_PIXEL))


@lru_cache(maxsize=64)
def _undrawn(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
    """Returns the picture, in base64. Raises as drawing does for a board that is no well-formed document."""
    try:
        expat.ParserCreate().Parse(pictures.board_document(game, svg, names), True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return mime.base64_lines(_ONE_PIXEL)


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
        patch.setattr(reels, "WIDTH", reels.WIDTH // 10)
        patch.setattr(reels, "document_png", flat_png)
        yield


@pytest.fixture
def flat_frames() -> Iterator[None]:
    """The test's frames are flat."""
    with frames_flat():
        yield
