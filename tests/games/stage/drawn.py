"""What is in a drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

_SCALED = re.compile(r"scale\(([\d.]+)\)")


def classes_in(drawn: str) -> set[str]:
    """The classes of all elements of a drawing."""
    return {one for found in re.findall(r'class="([^"]+)"', drawn) for one in found.split()}


def sizes_of_texts(drawn: ElementTree.Element, scale: float = 1) -> Iterator[float]:
    """The size of each text in a drawing, in its units."""
    for found in _SCALED.findall(drawn.get("transform", "")):
        scale *= float(found)
    if drawn.tag.endswith("text"):
        yield float(drawn.attrib["font-size"]) * scale
    for part in drawn:
        yield from sizes_of_texts(part, scale)
