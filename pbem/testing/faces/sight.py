"""What is seen of the words in a picture: it is drawn once with them and once without, on paper."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.render.raster import elements
from pbem.testing.faces.layout import Box, Words

_TEXT = re.compile(r"<text\b.*?</text>", re.DOTALL)
_LETTER_PX = 20
"""The picture is so large that small letters are this high: their lines are then as dark as they are meant."""
_UNSEEN, _LEAST_CONTRAST, _EASY = 1.2, 3.0, 4.5
"""How much brighter one of two colours is than the other: nobody sees it, it is hard to read, it is easy to read."""
_BLANK = 0.02
"""So much less bright a place may be than another before anybody sees a difference."""
_LEAST_SHARE = 0.5
"""Of the columns of pixels that a word takes, letters are in this many, if nothing covers them."""


def find_unseen_words(document: str, words: Sequence[Words], when: str) -> Iterator[str]:
    """Yields the words of a whole document that cannot be seen: of the colour of their ground, or under something.

    Raises ValueError for what a picture does not know, ImportError where nothing can draw one.
    """
    if not words:
        return
    import numpy as np  # 20 MB, as what draws

    left, top, _, _ = elements.view_box(document)
    scale = _LETTER_PX / max(10.0, min(one.size for one in words))
    with_words, without = (_brightness(document, scale, words=shown) for shown in (True, False))
    brighter, darker = np.maximum(with_words, without) + 0.05, np.minimum(with_words, without) + 0.05
    contrast = brighter / darker
    for one in words:
        seen = contrast[_pixel_slices_of_box(one.box, left, top, scale, contrast.shape)]
        if one.clipped or not seen.size or not one.said.strip(" .·-–—'’"):
            continue
        most = float(seen.max())
        if most < _UNSEEN:
            yield f"nobody sees the words {one.said!r} by {when}: something covers them, or has their colour"
        elif most < _LEAST_CONTRAST:
            yield f"the words {one.said!r} are hard to read by {when}: their contrast is {most:.1f}, not {_EASY}"
        elif float((seen.max(axis=0) > _UNSEEN).mean()) < _LEAST_SHARE:
            yield f"most of the words {one.said!r} lies beneath something that is drawn later"


def is_blank(document: str) -> bool:
    """Returns whether a whole document shows nothing but one colour. Raises as `find_unseen_words`."""
    seen = _brightness(document, 100 / elements.view_box(document)[2])
    return bool(seen.max() - seen.min() < _BLANK)


def _brightness(document: str, scale: float, *, words: bool = True) -> Any:
    """Returns the relative luminance of each pixel, from 0 to 1, line by line, of a whole document on paper.

    `scale`: pixels to a unit; `words`: with them, or without any.
    """
    import numpy as np

    from pbem.render.raster.encode import skia_or_resvg_renderer

    left, top, wide, high = elements.view_box(document)
    definitions, between, drawn = document.rpartition("</defs>")
    ground = f'<rect class="pa" x="{left}" y="{top}" width="{wide}" height="{high}"/>'
    inside = drawn if words else _TEXT.sub("", drawn)
    across, down = max(1, round(wide * scale)), max(1, round(high * scale))
    made = skia_or_resvg_renderer().draw(definitions + between + ground + inside, across, down, None).rgba()
    pixels = np.frombuffer(made, np.uint8).reshape(down, across, 4)
    steps = (np.arange(256, dtype=np.float32) / 255) ** 2.2
    return 0.2126 * steps[pixels[..., 0]] + 0.7152 * steps[pixels[..., 1]] + 0.0722 * steps[pixels[..., 2]]


def _pixel_slices_of_box(
    box: Box, left: float, top: float, scale: float, shape: tuple[int, int]
) -> tuple[slice, slice]:
    across = [min(max(0, round((x - left) * scale)), shape[1]) for x in (box[0], box[2])]
    down = [min(max(0, round((y - top) * scale)), shape[0]) for y in (box[1], box[3])]
    return slice(*down), slice(*across)
