"""A document as tags with what it defines, and the elements and attributes that pictures know, for both renderers."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Literal, NamedTuple, TypeAlias

from pbem.kit.drawing.svg import find_uses
from pbem.render.raster.styles import PROPERTIES, Sheet, Style, parse_attributes, six_digit_colour, style_inside

# --- a document as tags --------------------------------------------------------------------------------------

_DEFINED = re.compile(
    r"<style>(?P<style>.*?)</style>|<title>.*?</title>|</?defs>"
    r'|<(?P<kind>symbol|linearGradient|clipPath)\b[^>]*?\bid="(?P<id>[^"]+)".*?</(?P=kind)>',
    re.DOTALL,
)
_TAG = re.compile(r'(/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(/?)>(.*)', re.DOTALL)


class Tag(NamedTuple):
    """A tag with the text after it; `attributes` as they are written."""

    closing: str
    name: str
    attributes: str
    empty: str
    text: str


@dataclass(frozen=True, eq=False)
class Symbol:
    """A part of a drawing that is used by name; the same definition is the same object."""

    view_box: tuple[float, float, float, float]
    inside: str
    uses: tuple[tuple[str, str], ...]
    """The names and definitions of the symbols that it uses."""


@dataclass
class Document:
    """What is drawn, without the definitions, which are here by their ids."""

    drawn: str
    style: str = ""
    defined: dict[str, str] = field(default_factory=dict)


def document_with_definitions_apart(svg: str) -> Document:
    """Returns the document with its definitions apart."""
    found = Document("")

    def take_definition(match: re.Match[str]) -> str:
        if match["style"] is not None:
            found.style += match["style"]
        elif match["id"] is not None:
            found.defined[match["id"]] = match[0]
        return ""

    found.drawn = _DEFINED.sub(take_definition, svg)
    return found


def parse_tags(drawn: str) -> list[Tag]:
    """Returns the tags in their order. Raises ValueError for anything that is none."""
    before, *written = drawn.split("<")
    if before.strip():
        raise ValueError(f"no SVG that a picture knows: {before[:80]!r}")
    return list(map(_parse_tag, written))


@lru_cache(4096)
def _parse_tag(written: str) -> Tag:
    """Returns the tag written like this after its <; the same object each time, so caches with it as a key are fast."""
    match = _TAG.fullmatch(written)
    if match is None:
        raise ValueError(f"no SVG that a picture knows: {'<' + written[:80]!r}")
    return Tag._make(match.groups())


def find_symbol(name: str, defined: dict[str, str]) -> Symbol:
    """Returns the symbol of this name. Raises ValueError if it, or one that it uses, is not defined."""
    definition = definition_of(name, defined)
    return _read_symbol(definition, tuple((used, defined[used]) for used in sorted(find_uses((definition,), defined))))


def definition_of(name: str, defined: dict[str, str]) -> str:
    """Returns the definition of this name. Raises ValueError if there is none."""
    try:
        return defined[name]
    except KeyError:
        raise ValueError(f"nothing is defined as {name!r}") from None


@lru_cache(512)
def _read_symbol(definition: str, uses: tuple[tuple[str, str], ...]) -> Symbol:
    head, _, rest = definition.partition(">")
    box = [float(part) for part in parse_attributes(head)["viewBox"].split()]
    return Symbol((box[0], box[1], box[2], box[3]), rest.removesuffix("</symbol>"), uses)


# --- the elements that pictures know -------------------------------------------------------------------------

HOLDERS = frozenset({"svg", "g", "a"})
"""The elements that have others in them."""
SHAPES = frozenset({"rect", "circle", "ellipse", "path"})
_GEOMETRY = {
    "svg": {"viewBox", "width", "height", "xmlns", "font-family", "preserveAspectRatio"},
    "g": {"transform", "clip-path", "font-family"},
    "a": {"href", "tabindex"},
    "use": {"href", "x", "y", "width", "height", "transform"},
    "image": {"href", "x", "y", "width", "height", "preserveAspectRatio"},
    "text": {"x", "y"},
    "rect": {"x", "y", "width", "height", "rx"},
    "circle": {"cx", "cy", "r"},
    "ellipse": {"cx", "cy", "rx", "ry"},
    "path": {"d"},
}
_UNSEEN = frozenset({"class", "id", "role", "pointer-events"})
"""Attributes that change nothing in a picture."""
_ROOT = re.compile(r"\s*<svg\b([^>]*)>")
_URL = re.compile(r"url\(#([^)]+)\)")
_CLIP = re.compile(r"<clipPath\b[^>]*><rect\b([^>]*)/></clipPath>")
_LITERAL = re.compile(r'"(#[0-9a-fA-F]{6}|#[0-9a-fA-F]{3})"')
_EMBEDDED = "data:image/svg+xml;base64,"
_NUMBERS = re.compile(r"[\s,]+")
_TRANSFORM = re.compile(r"\s*,?\s*(translate|scale|rotate)\(([^()]*)\)")
_COUNTS = {"translate": (1, 2), "scale": (1, 2), "rotate": (1, 3)}
"""How many numbers a transform takes."""
_STEP = re.compile(r"[\s,]*(?:([a-zA-Z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))")
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "A": 7, "Z": 0}

Step: TypeAlias = tuple[Literal["begin", "text", "end"], Tag, Style, str]
"""An element begins, is a line of text with its words, or ends; its tag and style."""


def walk_elements(document: Document, rules: Sheet, style: Style, *, symbol: bool = False) -> list[Step]:
    """Returns the elements in their order, inside something of this style; `symbol`: they are a symbol's.

    A text comes once. Of the others, those that have elements in them end, too. Raises ValueError for anything that
    stands where pictures do not know it.
    """
    steps: list[Step] = []
    stack: list[tuple[Tag, Style]] = []
    words = ""
    for tag in parse_tags(document.drawn):
        if tag.closing:
            opened, own = stack.pop() if stack else (tag, style)
            if opened.name != tag.name or opened is tag:
                raise ValueError(f"</{tag.name}> closes nothing")
            if tag.name == "text":
                steps.append(("text", opened, own, unescape(words) if own.visibility == "visible" else ""))
            elif words.strip():
                raise ValueError(f"a picture knows no words inside <{tag.name}>")
            elif tag.name in HOLDERS:
                steps.append(("end", opened, own, ""))
            words = tag.text
            continue
        inside = stack[-1][0].name if stack else ""
        if words.strip() or (inside and inside not in HOLDERS):
            raise ValueError(f"a picture knows no <{tag.name}> inside <{inside}>, nor text beside it")
        if tag.name == "svg" and (inside or symbol):
            raise ValueError("a picture knows no <svg> inside another element")
        own = style_inside(stack[-1][1] if stack else style, rules, tag.attributes)
        words = tag.text
        if tag.name != "text" or tag.empty:
            steps.append(("begin", tag, own, ""))
        if not tag.empty:
            stack.append((tag, own))
        elif tag.name in HOLDERS:
            steps.append(("end", tag, own, ""))
    if stack or words.strip():
        raise ValueError(f"<{stack[-1][0].name}> is not closed" if stack else "a picture knows no words behind its end")
    return steps


def colours_of(document: Document, rules: Sheet) -> list[str]:
    """Returns the colours that the document may use, #rrggbb: those of its style sheet and of its elements."""
    return [*rules.colours, *map(six_digit_colour, _LITERAL.findall(document.drawn))]


@lru_cache(4096)
def parse_known_attributes(tag: str, written: str) -> Mapping[str, str]:
    """Returns the attributes. Raises ValueError for an element or an attribute that pictures do not know."""
    found = parse_attributes(written)
    geometry = _GEOMETRY.get(tag)
    if geometry is None:
        raise ValueError(f"a picture knows no <{tag}>")
    for name in found:
        if not (name in geometry or name in PROPERTIES or name in _UNSEEN or name.startswith(("data-", "aria-"))):
            raise ValueError(f"a picture knows no {name} of <{tag}>")
    return found


def view_box(svg: str) -> tuple[float, float, float, float]:
    """Returns the view box of the document. Raises ValueError if it is no document, or does not say it."""
    root = _ROOT.match(svg)
    given = parse_attributes(root[1]) if root else {}
    if "viewBox" not in given:
        raise ValueError(f"no SVG with a view box: {svg[:80]!r}")
    left, top, width, height = parse_numbers(given["viewBox"])
    return left, top, width, height


def element_box(given: Mapping[str, str]) -> list[float]:
    """Returns the place and the size of an element: left, top, width, height."""
    return [float(given.get(name, 0)) for name in ("x", "y", "width", "height")]


def svg_document_in_href(href: str) -> str:
    """Returns the document that an image shows. Raises ValueError for any other image."""
    if not href.startswith(_EMBEDDED):
        raise ValueError("a picture knows no image but an SVG document")
    return base64.b64decode(href.removeprefix(_EMBEDDED)).decode()


def definition_at_url(url: str, document: Document) -> str:
    """Returns the definition that is meant by url(#...). Raises ValueError if there is none."""
    found = _URL.fullmatch(url)
    if found is None:
        raise ValueError(f"no reference that a picture knows: {url!r}")
    return definition_of(found[1], document.defined)


def fading_rectangle_attributes(tag: Tag, style: Style) -> Mapping[str, str]:
    """Returns the attributes of a rectangle with a gradient. Raises ValueError for anything else with one."""
    given = parse_known_attributes(tag.name, tag.attributes)
    plain = style.opacity == style.fill_opacity == "1" and style.stroke == "none" and "rx" not in given
    if tag.name != "rect" or not plain:
        raise ValueError("a picture knows a gradient only in an upright, plain rectangle of the board")
    return given


def text_attributes(written: str, style: Style) -> Mapping[str, str]:
    """Returns the attributes of a text. Raises ValueError for one with an outline."""
    if style.stroke != "none":
        raise ValueError("a picture knows no outline of words")
    return parse_known_attributes("text", written)


@lru_cache(64)
def clip_rectangle_attributes(definition: str) -> Mapping[str, str]:
    """Returns the attributes of the rectangle of a clip. Raises ValueError for any other shape."""
    found = _CLIP.fullmatch(definition)
    if found is None:
        raise ValueError(f"no clip that a picture knows: {definition!r}")
    return parse_known_attributes("rect", found[1])


def parse_numbers(said: str) -> list[float]:
    """Returns the numbers of a list with spaces or commas between them."""
    return [float(part) for part in _NUMBERS.split(said.strip())]


def parse_transforms(said: str) -> list[tuple[str, list[float]]]:
    """Returns the steps of a `transform`, each with its numbers. Raises ValueError for what pictures do not know."""
    found, at = [], 0
    while at < len(said.rstrip()):
        step = _TRANSFORM.match(said, at)
        values = parse_numbers(step[2]) if step else []
        if step is None or len(values) not in _COUNTS[step[1]]:
            raise ValueError(f"no transform that a picture knows: {said!r}")
        found.append((step[1], values))
        at = step.end()
    return found


def parse_path_commands(said: str) -> list[tuple[str, list[float]]]:
    """Returns the commands of a path, each with its numbers. Raises ValueError for one that pictures do not know."""
    found, at, command = [], 0, ""
    parts = _commands_and_numbers(said)
    while at < len(parts):
        if isinstance(parts[at], str):
            command, at = str(parts[at]), at + 1
        count = _TAKES.get(command.upper())
        values = [float(part) for part in parts[at : at + (count or 0)]]
        if count is None or len(values) < count or (count == 0 and at < len(parts) and not isinstance(parts[at], str)):
            raise ValueError(f"no path that a picture knows: {said!r}")
        found.append((command, values))
        at += count
        command = {"M": "L", "m": "l"}.get(command, command)
    return found


def _commands_and_numbers(said: str) -> list[str | float]:
    parts: list[str | float] = []
    said, at = said.rstrip(), 0
    while at < len(said):
        found = _STEP.match(said, at)
        if found is None:
            raise ValueError(f"no path that a picture knows: {said!r}")
        parts.append(found[1] or float(found[2]))
        at = found.end()
    return parts
