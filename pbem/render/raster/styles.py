"""The classes of a style sheet, what an element inherits, and a colour that fades."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape

_RULE = re.compile(r"\s*\.([\w-]+)\s*\{([^{}]*)\}\s*")
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b")
CURRENT = "currentColor"


@dataclass(frozen=True, eq=False)
class Style:
    """How an element is drawn. Two elements that are drawn alike have the same object."""

    fill: str = "#000000"
    stroke: str = "none"
    color: str = "#000000"
    fill_opacity: str = "1"
    stroke_opacity: str = "1"
    stroke_width: str = "1"
    stroke_dasharray: str = "none"
    stroke_linecap: str = "butt"
    stroke_linejoin: str = "miter"
    font_size: str = "16"
    font_weight: str = "400"
    text_anchor: str = "start"
    stop_color: str = "#000000"
    stop_opacity: str = "1"
    visibility: str = "visible"
    opacity: str = "1"
    """The one property that is not inherited."""

    @property
    def needs_layer(self) -> bool:
        """True if the opacity is that of an area and its outline together."""
        return self.opacity != "1" and self.fill != "none" and self.stroke != "none"


@dataclass(frozen=True, eq=False)
class Sheet:
    """What each class says, and its place: a later rule wins. Its colours in their order."""

    rules: Mapping[str, tuple[int, Mapping[str, str]]]
    colours: tuple[str, ...]


_PROPERTIES = {name.replace("_", "-"): name for name in Style.__dataclass_fields__}
PROPERTIES = frozenset(_PROPERTIES)
ROOT = Style()
_NOTHING: Mapping[str, str] = {}


@lru_cache(32)
def read_style_sheet(text: str) -> Sheet:
    """Returns the style sheet. Raises ValueError for anything but classes with known properties."""
    rules: dict[str, tuple[int, Mapping[str, str]]] = {}
    text, at = _COMMENT.sub("", text), 0
    while at < len(text.rstrip()):
        rule = _RULE.match(text, at)
        if rule is None:
            raise ValueError(f"no rule that a picture knows: {text[at : at + 80]!r}")
        before = rules.get(rule[1], (0, _NOTHING))[1]
        rules[rule[1]] = len(rules), {**before, **_read_declarations(rule[2])}
        at = rule.end()
    return Sheet(rules, tuple(dict.fromkeys(map(six_digit_colour, COLOUR.findall(text)))))


def _read_declarations(body: str) -> dict[str, str]:
    pairs = [one.split(":") for one in body.split(";") if one.strip()]
    found = {name.strip(): value.strip() for name, value in pairs}
    if unknown := found.keys() - PROPERTIES:
        raise ValueError(f"a picture knows no {', '.join(sorted(unknown))}")
    return {_PROPERTIES[name]: value for name, value in found.items()}


@lru_cache(4096)
def parse_attributes(written: str) -> Mapping[str, str]:
    """Returns the attributes of a tag by name.

    >>> parse_attributes(' class="in b" x="4"')
    {'class': 'in b', 'x': '4'}
    """
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(written)}


@lru_cache(4096)
def style_inside(parent: Style, rules: Sheet, written: str) -> Style:
    """Returns the style of an element with these attributes inside one of the parent's style; classes win."""
    given = parse_attributes(written)
    own = tuple([(_PROPERTIES[name], value) for name, value in given.items() if name in PROPERTIES])
    return _style_inside(parent, rules, given.get("class", ""), own)


@lru_cache(2048)
def _style_inside(parent: Style, rules: Sheet, classes: str, given: tuple[tuple[str, str], ...]) -> Style:
    own = dict(given)
    said = (rules.rules[name] for name in classes.split() if name in rules.rules)
    for _, declared in sorted(said, key=lambda one: one[0]):
        own.update(declared)
    inherited = {name: getattr(parent, name) for name in _PROPERTIES.values()} | {"opacity": ROOT.opacity}
    return _style_of_values(*(inherited | own).values())


@lru_cache(2048)
def _style_of_values(*values: str) -> Style:
    made = replace(ROOT, **dict(zip(_PROPERTIES.values(), values, strict=True)))
    for said in (made.opacity, made.fill_opacity, made.stroke_opacity, made.stop_opacity):
        if not 0 <= float(said) <= 1:
            raise ValueError(f"no opacity that a picture knows: {said!r}")
    return made


def six_digit_colour(said: str) -> str:
    """Returns the colour as #rrggbb.

    >>> six_digit_colour("#fA0")
    '#ffaa00'
    """
    digits = said[1:].lower()
    return f"#{digits}" if len(digits) == 6 else "#" + "".join(2 * digit for digit in digits)


def argb_colour(said: str, opacity: float, current: str) -> int:
    """Returns the colour as Skia takes it. Raises ValueError for a colour that is not written in digits."""
    colour = current if said == CURRENT else said
    if COLOUR.fullmatch(colour) is None:
        raise ValueError(f"no colour that a picture knows: {colour!r}")
    return round(255 * opacity) << 24 | int(six_digit_colour(colour)[1:], 16)


# --- a colour that fades -------------------------------------------------------------------------------------

SHADES = 20
"""A fade is drawn in these shades, which have their places in the palette; each is mixed with the next one in a fine
pattern that repeats along each line, so the eye sees no steps, and the file stays small."""
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
def read_fade(definition: str, rules: Sheet) -> Fade:
    """Returns what the gradient is. Raises ValueError for any other than one colour that fades downwards."""
    head = parse_attributes(definition.partition(">")[0])
    stops = [(parse_attributes(one)["offset"], style_inside(ROOT, rules, one)) for one in _STOP.findall(definition)]
    colours = {argb_colour(style.stop_color, 0, style.color) for _, style in stops}
    ends = {name: value for name, value in head.items() if name != "id"}
    if ends != _DOWN or [at for at, _ in stops] != ["0", "1"] or len(colours) != 1:
        raise ValueError(f"no gradient that a picture knows: {definition!r}")
    return Fade(colours.pop(), *(float(style.stop_opacity) for _, style in stops))
