"""What Skia draws: small drawings, coarsely, a line for each, stored in inked.txt.

    python -m tests.render.inked

writes the file again. A digit in brackets is how light a square of eight by eight pixels is, or how opaque. It may be
one more or less: edges are a little softer on some processors than on others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pbem.render.pictures import embed_document
from pbem.render.raster.encode import Renderer
from tests.render.lines import Part, whole_file
from tests.render.stage.raster import FADE, STYLE

SQUARE = 8
DIGITS = re.compile(r"(?<=\[)[0-9a-f]{100,}(?=\])")
FILE = Path(__file__).with_name("inked.txt")
BOX = '<symbol id="s" viewBox="0 0 10 10"><rect class="k" width="10" height="10"/></symbol>'
FRAMED = (
    '<symbol id="f" viewBox="2 4 20 10"><rect class="k" x="2" y="4" width="10" height="10"/><rect '
    'fill="currentColor" x="14" y="6" width="6" height="6"/></symbol>'
)
NESTED = (
    '<symbol id="n" viewBox="0 0 10 10"><use href="#s" x="2" y="3" width="4" height="4"/><rect class="r" x="7" '
    'y="7" width="9" height="2"/></symbol>'
)
INNER = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="5 5 20 10"><style>.q{{fill:#123456}}</style><rect '
    'class="q" x="5" y="5" width="10" height="10"/>{}</svg>'
)
USES = (
    '<use href="#s" x="3" y="5" width="10" height="10"/>', '<use href="#s" x="3.3" y="5.6" width="10" height="10"/>',
    '<use href="#s" x="3.3" y="5.6" width="10.4" height="12"/>', '<use href="#s"/>',
    '<use href="#f" x="4" y="4" width="30" height="30"/>',
    '<use href="#f" x="4" y="4" width="30" height="9" class="r"/>',
    '<use href="#f" x="4" y="4" width="30" height="9" opacity="0.5"/>',
    '<g opacity="0.5"><use href="#f" width="30" height="9"/></g>',
    '<use href="#n" x="4" y="4" width="30" height="30"/>',
    '<use href="#n" x="4.4" y="4.4" width="30" height="30" transform="translate(3 2)"/>',
    '<use href="#s" x="4" y="4" width="8" height="8" transform="rotate(30 8 8)"/>',
    '<use href="#s" x="4" y="4" width="8" height="8" transform="scale(-1 1) translate(-30 0)"/>',
    '<g transform="scale(1.5 0.5)"><use href="#f" x="4" y="4" width="20" height="20"/></g>',
    '<use href="#s" x="0.3" y="0.3" width="38.7" height="38.7"/>',
    '<use href="#s" x="0.3" y="0.3" width="39" height="39"/>',
    '<use href="#s" x="0.3" y="0.3" width="39.3" height="39.3"/>',
    '<use href="#s" visibility="hidden" width="9" height="9"/>',
    '<use href="#f" x="4" y="4" width="30" height="9"/><use href="#f" x="4" y="24" width="30" height="9"/>',
    '<use href="#none"/>', '<use href="#s" x="1" rx="2"/>',
)  # fmt: skip
OTHERS = (
    '<rect class="r" x="3" y="4" width="20" height="30" rx="5"/>',
    '<rect class="o" x="3" y="4" width="20" height="30" stroke-width="3" opacity="0.5" fill="#f00"/>',
    '<rect x="3" y="4" width="20" height="30" fill="#f00" fill-opacity="0.5" stroke="#00f" stroke-opacity="0.5" '
    'stroke-width="6"/>', '<rect x="3" y="4" width="20" height="30" fill="none" stroke="#00f" stroke-width="0"/>',
    '<rect x="3" y="4" width="20" height="30" fill="none" stroke="#00f" stroke-width="4" opacity="0.5"/>',
    '<path d="M5 45L10 5L15 45" fill="none" stroke="#000" stroke-width="3"/>',
    '<path d="M5 45L24 10L45 45" fill="none" stroke="#000" stroke-width="5" stroke-linejoin="bevel" '
    'stroke-linecap="round"/>', '<path d="M5 25H45" fill="none" stroke="#000" stroke-width="5" stroke-dasharray="5 3 '
    '2"/>',
    '<path d="M5 25H45" fill="none" stroke="#000" stroke-width="5" stroke-dasharray="4 6" stroke-linecap="square"/>',
    '<path d="M5 5c5 0 10 5 10 10s5 10 10 10"/>', '<path d="M5 5C5 15 15 15 15 5S25 5 25 15Z"/>',
    '<path d="M5 5S15 15 25 5 35 35 5 35z"/>', '<path d="M5 5q5 20 20 0T9 9"/>',
    '<path d="M5 25a10 10 0 1 1 20 0a5 8 30 0 0 20 0z"/>', '<path d="M5 5h20v20h-9V9H5zm30 30l5 5v-5"/>',
    '<path d="M5 5h9v9z l20 20v9h-30"/>',
    '<path d="M5 5L20 5z M30 30 40 30 40 40S20 40 30 30"/>', '<circle cx="20" cy="22" r="9.5" class="r"/>',
    '<circle r="9" class="r"/>', '<ellipse cx="20" cy="22" rx="9" ry="15" stroke="#00f" stroke-width="2"/>',
    '<g transform="translate(5) rotate(15 20 20) scale(0.5)"><rect x="20" y="20" width="30" height="20"/></g>',
    '<g transform="translate(5 6)" opacity="0.25"><rect width="20" height="20"/><rect x="10" y="10" width="20" '
    'height="20" class="r"/></g>',
    '<clipPath id="c"><rect x="4" y="6" width="10" height="8"/></clipPath><g clip-path="url(#c)"><rect '
    'width="50" height="50"/></g><rect x="30" y="30" width="9" height="9"/>', '<a href="x" tabindex="1"><rect x="3" '
    'y="4" width="5" height="5"/></a>', '<text x="5" y="30" font-size="20">Ag</text>', '<text x="25" y="30" '
    'font-size="12" text-anchor="middle" font-weight="700">Ag  b</text>', '<text x="45" y="30" text-anchor="end" '
    'fill="#f00" opacity="0.5">Ag</text>', '<text x="5" y="30" visibility="hidden">Ag</text>',
    embed_document(INNER.format(""), 5, 6, 40, 40, "xMidYMid meet"),
    embed_document(INNER.format(""), 5, 6, 30, 40, "xMidYMid slice"),
    embed_document(INNER.format(""), 5, 6, 30, 40, "xMidYMin meet"),
    embed_document(INNER.format(""), 5, 6, 40, 10, "xMidYMin slice"),
    '<image href="data:image/png;base64,x" width="9" height="9"/>', '<line x1="1"/>', '<line visibility="hidden"/>',
    f'{FADE}<rect class="g" width="50" height="50"/><rect fill="url(#sky)" x="5.2" y="7.3" width="30" '
    f'height="36.5"/>', f'{FADE}<rect fill="url(#sky)" x="-5" y="-6" width="30" height="300"/>', f'{FADE}<g '
    f'transform="rotate(9)"><rect fill="url(#sky)" width="30" height="30"/></g>', f'{FADE}<g transform="scale(2 1)">'
    f'<rect fill="url(#sky)" x="2" width="10" height="30"/></g>', f'{FADE}<rect fill="url(#none)" width="30" '
    f'height="30"/>',
)  # fmt: skip


def _skia() -> Renderer:
    from pbem.render.raster import skia_renderer

    return Renderer("Skia", skia_renderer.Drawing)


def colours_of(inside: str, width: int, clear: bool) -> str:
    """Returns the colours and the fades of a drawing, and how light it is where."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 50">{STYLE}{BOX}{FRAMED}{NESTED}{inside}</svg>'
    cells = None if clear else np.zeros((width, width + 1), np.uint16)
    made = _skia().draw(svg, width, width, cells)
    pixels = np.frombuffer(made.rgba(), np.uint8).reshape(width, width, 4).astype(float)
    light = digits(pixels[..., :3] @ (1 / 7, 2 / 7, 4 / 7) * pixels[..., 3] / 255)
    if cells is None:
        return f"[{light}] [{digits(pixels[..., 3])}]"
    return f"[{light}] [{digits((cells[:, 1:] & 31) * 8.0)}] {cells[:, 0].any()} {made.colours} {made.fades}"


def digits(values: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Returns a digit for each square of the picture."""
    many = values.shape[0] // SQUARE
    squares = values.reshape(many, SQUARE, many, SQUARE).mean((1, 3))
    return "".join(f"{int(value / 16):x}" for value in squares.ravel())


def are_alike(one: str, other: str) -> bool:
    """True if two lines say the same, but for digits in brackets that are one more or less."""
    if DIGITS.sub("", one) != DIGITS.sub("", other):
        return False
    return all(
        len(here) == len(there) and all(abs(int(a, 16) - int(b, 16)) <= 1 for a, b in zip(here, there, strict=True))
        for here, there in zip(DIGITS.findall(one), DIGITS.findall(other), strict=True)
    )


def drawings() -> Iterator[str]:
    """Returns what is drawn of elements, symbols and documents within documents."""
    for inside in (*USES, *OTHERS):
        title = inside.replace(FADE, "").partition(' href="data')[0]
        try:
            found = f"{colours_of(inside, 200, False)} {colours_of(inside, 96, True)}"
        except ValueError as error:
            found = f"ValueError: {error}"
        yield f"{title}: {found}"


def shades() -> Iterator[str]:
    """Returns how light each pixel of a fading colour is."""
    for colour, ground, width, height in (
        ("#ffffff", "#000000", 8, 400),
        ("#000000", "#ffffff", 9, 237),
        ("#00ff00", "#ff0000", 5, 90),
    ):
        svg = (
            f'<svg viewBox="0 0 {width} {height}"><linearGradient id="l" x1="0" x2="0" y1="0" y2="1"><stop '
            f'offset="0" stop-color="{colour}"/><stop offset="1" stop-color="{colour}" stop-opacity="0"/>'
            f'</linearGradient><rect fill="{ground}" width="{width}" height="{height}"/><rect fill="url(#l)" '
            f'width="{width}" height="{height}"/></svg>'
        )
        made = _skia().draw(svg, width, height, np.zeros((height, width + 1), np.uint16))
        pixels = np.frombuffer(made.rgba(), np.uint8).reshape(height, width, 4).astype(float)
        for channel in range(3):
            light = "".join(f"{int(value / 16):x}" for value in pixels[..., channel].ravel())
            yield f"{colour} on {ground}, {channel}: [{light}]"
        yield f"{made.fades}"


PARTS: tuple[Part, ...] = (drawings, shades)


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.render.inked", PARTS), "utf-8")
