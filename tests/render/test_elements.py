"""Each element is drawn where it is, whole: pictures of 24 x 24 letters, the same by each renderer.

    python -m tests.render.test_elements

writes elements.txt again. A letter is the colour at a point of the picture: r, g, b, k for black, . for white, R, B
and K for what is half white, and o for anything else. Such are the edges of curves, where renderers differ: there a
point may have any colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pbem.render.pictures import embed_document
from pbem.render.raster import encode
from pbem.render.raster.encode import Renderer
from tests.render.stage.raster import FADE, RENDERERS, STYLE, open_image

FILE = Path(__file__).with_name("elements.txt")
SIDE, STEP = 24, 8
COLOURS = {"r": (255, 0, 0), "g": (0, 255, 0), "b": (0, 0, 255), "k": (0, 0, 0), ".": (255, 255, 255)}
COLOURS |= {"R": (255, 127, 127), "B": (127, 127, 255), "K": (127, 127, 127)}
CLEAR = 40
"""So near to a colour, over all three channels, a point has it."""
WIDE = '<symbol id="w" viewBox="2 4 20 10"><rect class="k" x="2" y="4" width="10" height="10"/></symbol>'
CLIP = '<clipPath id="c"><rect x="4" y="6" width="10" height="8"/></clipPath>'
INNER = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="10" height="10" fill="#0000ff"/></svg>'
)

ELEMENTS = {
    "boxes": '<rect class="r" x="1" y="2" width="5" height="9"/>'
    '<rect class="k" x="12" y="4" width="9" height="12" rx="4"/>',
    "outlines": '<rect class="o" x="4" y="4" width="15" height="12" stroke-width="3"/>',
    "circle and ellipse": '<circle class="r" cx="7" cy="8" r="6"/><ellipse class="k" cx="16" cy="16" rx="7" ry="4"/>',
    "lines": '<path class="r" d="M2 3h9v6H6V14l-4-2zM14 4L22 9L16 20"/>',
    "curves": '<path class="r" d="M1 12C1 2 9 2 9 12S17 22 21 12L21 22L1 22z"/>',
    "relative curves": '<path class="k" d="m2 8c2 -8 6 -8 8 0s6 8 10 0v12h-18z"/>',
    "a bent line": '<path class="r" d="M2 20Q12 -12 22 20z"/>',
    "arcs": '<path class="k" d="M3 12A9 9 0 1 1 12 21L12 12z"/><path class="r" d="M16 14a4 4 0 0 1 4 4h-4z"/>',
    "dashes": '<path class="o" stroke-width="4" stroke-dasharray="5 3" d="M0 5H24"/>'
    '<path class="o" stroke-width="4" stroke-dasharray="4" d="M1 15H24"/>',
    "ends and corners": '<path class="o" stroke-width="6" d="M5 20V6H18"'
    ' stroke-linejoin="round" stroke-linecap="square"/>',
    "moved and scaled": '<g transform="translate(3) scale(2)"><rect class="r" x="1" y="2" width="3" height="4"/></g>'
    '<g transform="translate(2,14) scale(3,2)"><rect class="k" x="1" y="1" width="4" height="2"/></g>',
    "turned": '<g transform="rotate(90 12 12)"><rect class="r" x="2" y="3" width="14" height="5"/></g>',
    "opacity": '<rect class="r" stroke="#0000ff" stroke-width="4" x="4" y="4" width="12" height="12" opacity="0.5"/>'
    '<rect fill="#000000" fill-opacity="0.5" x="18" y="2" width="4" height="18"/>',
    "a wide symbol": f'{WIDE}<use href="#w" class="g" x="2" y="3" width="20" height="20"/>',
    "a clip": f'{CLIP}<g clip-path="url(#c)"><rect class="r" width="24" height="24"/></g>',
    "a picture that fits": embed_document(INNER, 2, 4, 16, 16, "xMidYMid meet"),
    "a picture that is cut": embed_document(INNER, 2, 4, 12, 16, "xMidYMin slice"),
    "a fading sky": f'{FADE}<rect class="g" fill="currentColor" width="24" height="24"/>'
    '<rect fill="url(#sky)" x="4" width="12" height="16"/>',
}  # fmt: skip


def draw_in_letters(inside: str, by: Renderer) -> str:
    """Returns the picture in letters."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">{STYLE}{inside}</svg>'
    pixels = np.asarray(open_image(encode.render_png(svg, SIDE * STEP, by=by))).astype(int)[
        STEP // 2 :: STEP, STEP // 2 :: STEP
    ]
    return "\n".join("".join(_letter_of_colour(pixel) for pixel in row) for row in pixels)


def _letter_of_colour(pixel: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> str:
    near = (letter for letter, colour in COLOURS.items() if abs(pixel - colour).sum() <= CLEAR)
    return next(near, "o")


def pictures_in_file() -> dict[str, str]:
    """Returns the pictures in the file, by their names."""
    return dict(one.split("\n", 1) for one in FILE.read_text("utf-8").removesuffix("\n").split("\n\n")[1:])


def points_that_differ(one: str, other: str) -> Iterator[tuple[int, int]]:
    """Yields the points at which two pictures have different letters, none of them an edge."""
    for y, (row, there) in enumerate(zip(one.splitlines(), other.splitlines(), strict=True)):
        yield from ((x, y) for x, (a, b) in enumerate(zip(row, there, strict=True)) if a != b and "o" not in (a, b))


def test_each_renderer_draws_every_element_as_it_is_stored() -> None:
    known = pictures_in_file()
    assert known.keys() == ELEMENTS.keys()
    for by in RENDERERS.values():
        for name, inside in ELEMENTS.items():
            found = draw_in_letters(inside, by)
            assert [*points_that_differ(found, known[name])] == [], f"{name}, by {by.name}:\n{found}"


if __name__ == "__main__":
    pictures = "".join(
        f"\n\n{name}\n{draw_in_letters(inside, RENDERERS['resvg'])}" for name, inside in ELEMENTS.items()
    )
    FILE.write_text(f"Written by python -m tests.render.test_elements{pictures}\n", "utf-8")
