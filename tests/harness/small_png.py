"""Small PNGs of flat colours: with a palette, counted by the browser that took the picture."""

from __future__ import annotations

import base64
import struct
import zlib

from playwright.sync_api import Browser

COLOURS = 96

_INDEXED = """async ([picture, most]) => {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const paper = canvas.getContext("2d");
  paper.drawImage(image, 0, 0);
  const pixels = new Uint32Array(paper.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (c) => [c & 255, (c >> 8) & 255, (c >> 16) & 255];
  const far = ([r, g, b], [s, h, c]) => (r - s) ** 2 + (g - h) ** 2 + (b - c) ** 2;
  // The commonest colours as they are, for they cover the paper; then common ones that differ enough, so that no hue
  // is lost; room that is left goes to colours that differ less.
  const ranked = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => parts(colour));
  const palette = ranked.slice(0, most / 2);
  for (const apart of [900, 400, 150, 40]) {
    for (const colour of ranked) {
      if (palette.length === most) break;
      if (palette.every((known) => far(known, colour) >= apart)) palette.push(colour);
    }
  }
  const nearest = new Map();
  for (const pixel of counts.keys()) {
    const distances = palette.map((known) => far(known, parts(pixel)));
    nearest.set(pixel, distances.indexOf(Math.min(...distances)));
  }
  let indices = "";
  for (const pixel of pixels) indices += String.fromCharCode(nearest.get(pixel));
  return [image.width, image.height, palette.flat(), btoa(indices)];
}"""


def with_palette(browser: Browser, picture: bytes, colours: int = COLOURS) -> bytes:
    """Returns the PNG with at most this many colours."""
    page = browser.new_page()
    source = "data:image/png;base64," + base64.b64encode(picture).decode()
    width, height, palette, indices = page.evaluate(_INDEXED, [source, colours])
    page.close()
    pixels = base64.b64decode(indices)
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, width * height, width))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", bytes(palette)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
