"""A document as tags, and what it defines: styles, symbols, gradients, clips."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import NamedTuple

_DEFINED = re.compile(
    r"<style>(?P<style>.*?)</style>|<title>.*?</title>|</?defs>"
    r'|<(?P<kind>symbol|linearGradient|clipPath)\b[^>]*?\bid="(?P<id>[^"]+)".*?</(?P=kind)>',
    re.DOTALL,
)
_TAG = re.compile(r'(/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(/?)>(.*)', re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_USE = re.compile(r'<use\b[^>]*?\bhref="#([^"]+)"')


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


def read(svg: str) -> Document:
    """Returns the document with its definitions apart."""
    found = Document("")

    def set_aside(match: re.Match[str]) -> str:
        if match["style"] is not None:
            found.style += match["style"]
        elif match["id"] is not None:
            found.defined[match["id"]] = match[0]
        return ""

    found.drawn = _DEFINED.sub(set_aside, svg)
    return found


def tags(drawn: str) -> list[Tag]:
    """Returns the tags in their order. Raises ValueError for anything that is none."""
    before, *written = drawn.split("<")
    if before.strip():
        raise ValueError(f"no SVG that a picture knows: {before[:80]!r}")
    return list(map(_tag, written))


@lru_cache(4096)
def _tag(written: str) -> Tag:
    """Returns the tag written like this after its <; the same object each time, so caches with it as a key are fast."""
    match = _TAG.fullmatch(written)
    if match is None:
        raise ValueError(f"no SVG that a picture knows: {'<' + written[:80]!r}")
    return Tag._make(match.groups())


def attributes(written: str) -> dict[str, str]:
    """Returns the attributes of a tag by name.

    >>> attributes(' class="in b" x="4"')
    {'class': 'in b', 'x': '4'}
    """
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(written)}


def symbol(name: str, defined: dict[str, str]) -> Symbol:
    """Returns the symbol of this name. Raises ValueError if it, or one that it uses, is not defined."""
    return _symbol(defined_as(name, defined), tuple(_used(name, defined).items()))


def defined_as(name: str, defined: dict[str, str]) -> str:
    """Returns the definition of this name. Raises ValueError if there is none."""
    try:
        return defined[name]
    except KeyError:
        raise ValueError(f"nothing is defined as {name!r}") from None


def _used(name: str, defined: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for used in _uses(defined_as(name, defined)):
        found |= {used: defined_as(used, defined)} | _used(used, defined)
    return found


@lru_cache(1024)
def _uses(definition: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_USE.findall(definition)))


@lru_cache(512)
def _symbol(definition: str, uses: tuple[tuple[str, str], ...]) -> Symbol:
    head, _, rest = definition.partition(">")
    box = [float(part) for part in attributes(head)["viewBox"].split()]
    return Symbol((box[0], box[1], box[2], box[3]), rest.removesuffix("</symbol>"), uses)
