"""What can be touched on a drawn board: where it is and how large, in units of the drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pbem.kit.contract import AnyGame, Link, Scene
from pbem.kit.replay import evolve_all
from pbem.render import pictures
from tests.games.stage.boards import positions

SMALLEST_PHONE, THUMB, LEAST_TEXT = 654, 48, 12
"""What of a portrait board is seen below the strip on 360 x 740 pixels; how large a target and a letter have to be."""
COLUMN = {"1280 x 800": 340, "1366 x 768": 308}
"""How high the choices beside a landscape board may be, in pixels; there the pad is 308 pixels wide."""
_MOVED = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)(?: scale\(([-\d.e]+)\))?")
_CELL = re.compile(r"M([-\d.]+),([-\d.]+)h([\d.]+)v([\d.]+)h")
Lies = tuple[float, float, float]
"""Where the origin of a group lies, and its scale."""


class Target(NamedTuple):
    """A link of a drawing, and the box around what is drawn in it."""

    href: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def least(self) -> float:
        """The shorter side, to a tenth: scales are rounded."""
        return round(min(self.right - self.left, self.bottom - self.top), 1)


class OnTheWay(NamedTuple):
    """A seat on its way to a move: its fold, what the page lets it touch, and the steps that it has taken."""

    seat: int
    kind: str
    fold: Any
    scene: Scene


def steps_on_the_way(game: AnyGame, every: int) -> Iterator[OnTheWay]:
    """Yields all steps to one answer of each question, in random matches of each number of players."""
    for count, table in enumerate(positions(game, every)):
        for ask in game.pending(table.state):
            fold = table.folds[ask.seat]
            legal = [*game.legal(fold, ask.seat)]
            paths = [[step.text for step in game.path(move, fold, "en")] for move in legal]
            tried = (one.move for one in game.candidates(ask, fold, "en"))
            hopeless = [[step.text for step in game.path(move, fold, "en")] for move in tried if move not in legal]
            move = legal[count % len(legal)]
            way = paths[count % len(legal)]
            for n in range(len(way) + 1):
                before = way[: min(n, len(way) - 1)]
                links = _links(path[len(before)] for path in paths if path[: len(before)] == before)
                others = _links(way[at] for at in range(len(before)))
                refused = _links(
                    path[len(before)] for path in hopeless if path[: len(before)] == before and len(path) > len(before)
                )
                scene = Scene(
                    links, tuple(way[:n]), others=others,
                    refused={step: link for step, link in refused.items() if step not in links},
                )  # fmt: skip
                after = fold if n < len(way) else evolve_all(game, fold, game.preview(fold, ask.seat, move))
                yield OnTheWay(ask.seat, ask.kind, after, scene)


def _links(steps: Iterator[str]) -> Mapping[str, Link]:
    return {step: Link(f"?{step}", step, in_tab_order=True) for step in steps}


def links_of_drawing(svg: str, seats: int) -> list[Target]:
    """Returns all links of a drawing."""
    found: dict[int, tuple[str, list[tuple[float, float, float, float]]]] = {}
    for element, (x, y, scale), anchor in _walk(parse(svg, seats), (0, 0, 1), None):
        if anchor is None:
            continue
        _, boxes = found.setdefault(id(anchor), (anchor.attrib["href"], []))
        shape = None
        if element.tag in ("rect", "use"):
            shape = tuple(float(element.attrib.get(name, 0)) for name in ("x", "y", "width", "height"))
        elif element.tag == "path" and "pointer-events" in element.attrib:
            shape = tuple(map(float, _CELL.findall(element.attrib["d"])[0]))
        if shape is not None:
            left, top, wide, high = shape
            boxes.append((x + scale * left, y + scale * top, x + scale * (left + wide), y + scale * (top + high)))
    return [
        Target(href, *(min(edges) for edges in (*zip(*boxes, strict=True),)[:2]),
               *(max(edges) for edges in (*zip(*boxes, strict=True),)[2:]))
        for href, boxes in found.values()
    ]  # fmt: skip


def tab_stops(svg: str) -> list[str]:
    """Returns where the links lead that the keyboard reaches."""
    return re.findall(r'<a (?!tabindex)[^>]*href="([^"]*)"', svg)


def least_letters(svg: str, seats: int) -> float:
    """Returns the size of the smallest letters of a drawing."""
    walked = _walk(parse(svg, seats), (0, 0, 1), None)
    return min(scale * float(one.attrib["font-size"]) for one, (_, _, scale), _ in walked if one.tag == "text")


def parse(svg: str, seats: int) -> ElementTree.Element:
    """Returns the drawing with names filled in."""
    return ElementTree.fromstring(pictures.svg_with_names(svg, [f"Player {n}" for n in range(seats)]))


def height_of_drawing(svg: str) -> float:
    """Returns how high a drawing is."""
    return float(re.findall(r'viewBox="[-\d.]+ [-\d.]+ [\d.]+ ([\d.]+)"', svg)[0])


def _walk(
    element: ElementTree.Element, lies: Lies, anchor: ElementTree.Element | None
) -> Iterator[tuple[ElementTree.Element, Lies, ElementTree.Element | None]]:
    """Yields every element, where it lies, and the link that it belongs to."""
    if moved := _MOVED.match(element.attrib.get("transform", "")):
        x, y, scale = lies
        lies = (x + scale * float(moved[1]), y + scale * float(moved[2]), scale * float(moved[3] or 1))
    anchor = element if element.tag == "a" else anchor
    yield element, lies, anchor
    for child in element:
        yield from _walk(child, lies, anchor)
