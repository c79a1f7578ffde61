"""Mails without their drawn board, for tests that look at everything else, and so need no renderer."""

from __future__ import annotations

import base64
from functools import lru_cache
from xml.parsers import expat

import pytest

from pbem.kit.contract import AnyGame
from pbem.mail import compose, mime
from pbem.render import pictures

_ONE_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


@pytest.fixture(autouse=True)
def undrawn_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a picture of one pixel into the test's mails. A conftest that imports this does so for its whole folder."""
    monkeypatch.setattr(compose, "draw_board", _undrawn)
    monkeypatch.setattr(compose, "draw_mark", lambda game, mark: mime.base64_lines(_ONE_PIXEL))


@lru_cache(maxsize=64)
def _undrawn(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
    """Returns the picture, in base64. Raises as drawing does for a board that is no well-formed document."""
    try:
        expat.ParserCreate().Parse(pictures.document(game, svg, names), True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return mime.base64_lines(_ONE_PIXEL)
