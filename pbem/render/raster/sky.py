"""A colour that fades from the upper edge of a board.

It is drawn in a few shades, which have their places in the palette; each is mixed with the next one in a fine pattern
that repeats along each line, so the eye sees no steps, and the file stays small.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from pbem.render.raster.markup import attributes
from pbem.render.raster.styles import ROOT, Sheet, argb, styled

SHADES = 20
_STOP = re.compile(r"<stop\b([^>]*)/>")
_DOWN = {"x1": "0", "y1": "0", "x2": "0", "y2": "1"}
"""Where such a gradient begins and ends."""


@dataclass(frozen=True)
class Fade:
    """A colour, 0xrrggbb, with its opacity at the upper and at the lower edge."""

    colour: int
    above: float
    below: float

    def opacities(self) -> list[float]:
        """Returns the opacity of each shade, from above."""
        return [self.above + (self.below - self.above) * n / (SHADES - 1) for n in range(SHADES)]


@lru_cache(64)
def read(definition: str, rules: Sheet) -> Fade:
    """Returns what the gradient is. Raises ValueError for any other than one colour that fades downwards."""
    head = attributes(definition.partition(">")[0])
    stops = [(attributes(one)["offset"], styled(ROOT, rules, one)) for one in _STOP.findall(definition)]
    colours = {argb(style.stop_color, 0, style.color) for _, style in stops}
    ends = {name: value for name, value in head.items() if name != "id"}
    if ends != _DOWN or [at for at, _ in stops] != ["0", "1"] or len(colours) != 1:
        raise ValueError(f"no gradient that a picture knows: {definition!r}")
    return Fade(colours.pop(), *(float(style.stop_opacity) for _, style in stops))
