"""Where the words of a drawing lie, and what can be touched: beyond the edge, over each other, beneath, too small."""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, inf, radians, sin
from typing import NamedTuple

from pbem.render import pictures
from pbem.render.raster import elements
from pbem.render.raster.styles import ROOT, Style, read_style_sheet

_EDGE = 1.0
"""In units: so far words may reach beyond the drawing before anybody sees it."""
_SHARE = 0.12
"""Of their area, words may have this much in common with others, or be covered."""
_RIM = 0.25
"""Of the width and the height of a symbol and a circle, what lies around their middle on each side."""
_CAPITAL = 0.68
"""How high a capital is, of the size of its font."""
_ANCHORS = {"start": 0.0, "middle": -0.5, "end": -1.0}
_LEAST_PX, _TOUCH_PX = 9, 24
"""Smaller words cannot be read, and on a smaller place no finger touches what it means."""
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""
Matrix = tuple[float, float, float, float, float, float]
"""As SVG's own `matrix`."""
_NOWHERE: Box = (inf, inf, -inf, -inf)
_ANYWHERE: Box = (-inf, -inf, inf, inf)


class Words(NamedTuple):
    """Some words of a drawing, the box around their letters, and the size of these; `clipped`: they are on a map."""

    said: str
    box: Box
    size: float
    clipped: bool


class Layout(NamedTuple):
    """What a drawing shows, in its units: the words that are seen, those that are covered, and what can be touched.

    What can be touched comes with what it is called. A map that is clipped may run on under what lies around it, so of
    its words and links nothing is said where they are cut.
    """

    words: Sequence[Words]
    hidden: Sequence[Words]
    touched: Sequence[tuple[str, Box]]
    frame: Box


def layout_of_document(document: str) -> Layout:
    """Returns where everything lies in a whole document. Raises ValueError for what a picture does not know."""
    read = elements.document_with_definitions_apart(document)
    stack = list[tuple[Matrix, Box, str]]()
    lies: Matrix = (1, 0, 0, 1, 0, 0)
    clip = _ANYWHERE
    words, hidden, touched = list[Words](), list[Words](), list[tuple[str, Box]]()
    link, around = "", _NOWHERE
    for step, tag, style, said in elements.walk_elements(read, read_style_sheet(read.style), ROOT):
        given = elements.parse_known_attributes(tag.name, tag.attributes)
        if step == "end":
            if tag.name == "a" and clip[0] == -inf:
                touched.append((link, around))
            lies, clip, link = stack.pop()
            continue
        if tag.name in elements.HOLDERS:
            stack.append((lies, clip, link))
            if tag.name == "a":
                link, around = given.get("aria-label", ""), _NOWHERE
            for name, numbers in elements.parse_transforms(given.get("transform", "")):
                lies = _multiply_matrices(lies, _matrix_of_transform_step(name, numbers))
            if "clip-path" in given:
                cut = elements.clip_rectangle_attributes(elements.definition_at_url(given["clip-path"], read))
                clip = _intersection(clip, _upright_box_around_moved_box(lies, _box_of_rectangle(cut)))
            continue
        drawn = _box_around_text(said, tag, style) if step == "text" else _box_around_shape(tag.name, given)
        box = _upright_box_around_moved_box(lies, drawn) if drawn is not None else _ANYWHERE
        around = _union(around, box)
        if step == "text":
            if said.strip() and _intersection(box, clip) == box:
                size = float(style.font_size) * abs(lies[0] * lies[3] - lies[1] * lies[2]) ** 0.5
                words.append(Words(said, box, size, clip[0] > -inf))
        elif (opaque := _opaque_box(tag.name, given, style)) is not None:
            over = _intersection(clip, _upright_box_around_moved_box(lies, opaque))
            covered = [one for one in words if _is_covered(one.box, over)]
            if covered:
                hidden += [one for one in covered if not one.clipped]
                words = [one for one in words if one not in covered]
    left, top, wide, high = elements.view_box(document)
    return Layout(words, hidden, touched, (left, top, left + wide, top + high))


def find_unreadable_or_untouchable(layout: Layout, shown_px: float | None) -> Iterator[str]:
    """Yields what cannot be read or touched in a drawing.

    `shown_px`: how wide it is shown on the smallest screen; None: it may be of any size.
    """
    left, top, right, bottom = layout.frame
    for one in layout.words:
        box = one.box
        if box[0] < left - _EDGE or box[1] < top - _EDGE or box[2] > right + _EDGE or box[3] > bottom + _EDGE:
            yield f"the words {one.said!r} reach beyond the edge"
    for one, other in _pairs_at_one_height(layout.words):
        if _is_covered(one.box, other.box) or _is_covered(other.box, one.box):
            yield f"the words {one.said!r} lie over {other.said!r}"
    for one in layout.hidden:
        yield f"the words {one.said!r} lie beneath something that is drawn later"
    if shown_px is None:
        return
    scale = shown_px / (right - left)
    for one in layout.words:
        if not one.clipped and one.size * scale < _LEAST_PX:
            yield f"the letters of {one.said!r} are {one.size * scale:.1f} pixels high on a phone"
    for link, box in layout.touched:
        wide, high = (box[2] - box[0]) * scale, (box[3] - box[1]) * scale
        if min(wide, high) < _TOUCH_PX:
            yield f"what can be touched for {link!r} is {wide:.0f} × {high:.0f} pixels large on a phone"


def _pairs_at_one_height(words: Sequence[Words]) -> Iterator[tuple[Words, Words]]:
    """Yields the pairs of words of which neither lies below the other."""
    from_above = sorted(words, key=lambda one: one.box[1])
    for at, one in enumerate(from_above, 1):
        for other in from_above[at:]:
            if other.box[1] >= one.box[3]:
                break
            yield one, other


def _is_covered(box: Box, over: Box) -> bool:
    """Returns whether so much of a box lies in another one that nobody reads it."""
    if box[2] <= over[0] or over[2] <= box[0] or box[3] <= over[1] or over[3] <= box[1]:
        return False  # as most do
    return _area(_intersection(box, over)) > _SHARE * _area(box)


def _opaque_box(tag: str, given: Mapping[str, str], style: Style) -> Box | None:
    """Returns the box in which nothing beneath is seen any more; of a symbol and a circle it is their middle."""
    if tag == "use" and "transform" not in given:
        left, top, right, bottom = _box_of_rectangle(given)
    elif tag == "circle" and _is_opaque(style):
        left, top, right, bottom = _box_around_circle(given)
    else:
        return _box_of_rectangle(given) if tag == "rect" and _is_opaque(style) else None
    wide, high = (right - left) * _RIM, (bottom - top) * _RIM
    return left + wide, top + high, right - wide, bottom - high


def _is_opaque(style: Style) -> bool:
    return style.opacity == style.fill_opacity == "1" and style.fill.startswith("#")


def _box_around_shape(tag: str, given: Mapping[str, str]) -> Box | None:
    """Returns the box around a shape; None of a path, whose points are not looked at."""
    if tag in ("rect", "use", "image"):
        return _box_of_rectangle(given)
    return _box_around_circle(given) if tag == "circle" else None


def _box_around_circle(given: Mapping[str, str]) -> Box:
    x, y, radius = (float(given.get(name, 0)) for name in ("cx", "cy", "r"))
    return x - radius, y - radius, x + radius, y + radius


def _box_of_rectangle(given: Mapping[str, str]) -> Box:
    x, y, wide, high = (float(given.get(name, 0)) for name in ("x", "y", "width", "height"))
    return x, y, x + wide, y + high


def _box_around_text(said: str, tag: elements.Tag, style: Style) -> Box:
    """Returns the box around the letters of a line: as high as capitals, without what hangs below."""
    given = elements.text_attributes(tag.attributes, style)
    size = float(style.font_size)
    wide = _text_width(said, size, 700 if style.font_weight in ("600", "700", "bold") else 400)
    x, y = (float(given.get(name, 0)) for name in ("x", "y"))
    left = x + _ANCHORS[style.text_anchor] * wide
    return left, y - _CAPITAL * size, left + wide, y


def _text_width(said: str, size: float, weight: int) -> float:
    """Returns how wide a line is; about so where Skia, which sets it, cannot be imported."""
    try:
        from pbem.render.raster import lettering  # 45 MB, and it needs libraries of the system
    except ImportError:
        return pictures.width_in_letters(said) * size / 2
    return float(lettering.typeset_line(said, size, weight, 0).width)


def _matrix_of_transform_step(name: str, numbers: Sequence[float]) -> Matrix:
    if name == "translate":
        return (1, 0, 0, 1, numbers[0], numbers[1] if len(numbers) > 1 else 0)
    if name == "scale":
        return (numbers[0], 0, 0, numbers[-1], 0, 0)
    angle = radians(numbers[0])
    turned: Matrix = (cos(angle), sin(angle), -sin(angle), cos(angle), 0, 0)
    if len(numbers) == 1:
        return turned
    _, x, y = numbers
    return _multiply_matrices(_multiply_matrices((1, 0, 0, 1, x, y), turned), (1, 0, 0, 1, -x, -y))


def _multiply_matrices(outer: Matrix, inner: Matrix) -> Matrix:
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return (a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f)


def _upright_box_around_moved_box(lies: Matrix, box: Box) -> Box:
    """Returns the upright box around a box that was moved."""
    a, b, c, d, e, f = lies
    if b == c == 0 and a > 0 and d > 0:  # as most are
        return a * box[0] + e, d * box[1] + f, a * box[2] + e, d * box[3] + f
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


def _union(box: Box, other: Box) -> Box:
    return min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])


def _intersection(box: Box, other: Box) -> Box:
    """Returns what two boxes have in common; it is no box if that is nothing."""
    return max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3])


def _area(box: Box) -> float:
    left, top, right, bottom = box
    return max(0.0, right - left) * max(0.0, bottom - top)
