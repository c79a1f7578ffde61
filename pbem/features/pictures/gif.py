"""Animated GIFs that grow frame by frame: a head, then whole frames, so that drawing may stop after any of them.

All frames share one palette, without dithering. A frame holds the rectangle that differs from the one before, and in
it only what differs: the rest is transparent. That is a tenth of the bytes of whole frames.
"""

from collections.abc import Sequence
from io import BytesIO
from struct import pack, unpack_from
from typing import TypeAlias, cast

from PIL import GifImagePlugin, Image, ImageChops

Counted: TypeAlias = list[tuple[int, tuple[int, int, int]]]
"""How many pixels have each colour."""

COLOURS = 255
TAIL = b";"
"""What ends a file."""
_CLEAR = 255
"""The index of the transparent colour: the last one."""
_PALETTE = 3 * 256
_HEAD = 13
_LOOP = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_KEEP = 1
"""A frame stays where the next one is transparent."""
_COMMON = 0.0005
"""A colour of this share of the pixels is in the palette as it is: no surface changes its colour."""


def palette_of(pictures: Sequence[Image.Image]) -> bytes:
    """Returns the palette for pictures like these RGB ones: 255 colours, three bytes each, and a black one."""
    width, height = max(one.width for one in pictures), sum(one.height for one in pictures)
    sheet, y = Image.new("RGB", (width, height)), 0
    for one in pictures:
        sheet.paste(one, (0, y))
        y += one.height
    counted = sorted(cast(Counted, sheet.getcolors(width * height)), reverse=True)
    exact = [colour for count, colour in counted if count >= _COMMON * width * height][: COLOURS // 2]
    # The edges of letters and lines: shades between two colours, of which neighbouring ones look the same.
    shades = sheet.quantize(COLOURS - len(exact), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).getpalette() or []
    colours = bytes(part for colour in exact for part in colour) + bytes(shades[: 3 * (COLOURS - len(exact))])
    return colours.ljust(_PALETTE, b"\0")


def open_png(png: bytes) -> Image.Image:
    """Returns the picture in RGB."""
    with Image.open(BytesIO(png)) as image:
        return image.convert("RGB")


def reduce_to_palette(image: Image.Image, palette: bytes) -> Image.Image:
    """Returns the RGB picture in the nearest colours of the palette, but the last one."""
    colours = Image.new("P", (1, 1))
    colours.putpalette(palette[: 3 * COLOURS])
    return image.quantize(palette=colours, dither=Image.Dither.NONE)


def gif_head(size: tuple[int, int], palette: bytes) -> bytes:
    """Returns the head of an animation of this width and height, which runs again and again."""
    return b"GIF89a" + pack("<HHBBB", *size, 0xF7, _CLEAR, 0) + palette + _LOOP


def read_gif_head(data: bytes) -> tuple[int, bytes]:
    """Returns the height and the palette of the animation that begins with this data."""
    return unpack_from("<H", data, 8)[0], data[_HEAD : _HEAD + _PALETTE]


def gif_frame(image: Image.Image, before: Image.Image | None, shown_ms: int) -> bytes:
    """Returns the frame of this indexed picture, after the one before it; None: it is the first."""
    said, x, y = image, 0, 0
    if before is not None:
        now, then = (Image.frombytes("L", one.size, one.tobytes()) for one in (image, before))
        differs = ImageChops.difference(now, then)
        box = differs.getbbox() or (0, 0, 1, 1)
        x, y = box[:2]
        mask = differs.crop(box).point(lambda value: 255 if value else 0)
        part = Image.new("L", mask.size, _CLEAR)
        part.paste(now.crop(box), mask=mask)
        said = Image.frombytes("P", part.size, part.tobytes())
    blocks = GifImagePlugin.getdata(said, (x, y), duration=shown_ms, disposal=_KEEP, transparency=_CLEAR)
    return b"".join(blocks)
