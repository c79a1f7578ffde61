"""What of a page can be seen: the styles of its elements, from their attributes and from its style sheets.

It errs towards "hidden": text that its writer may not have seen is left out. Where it cannot tell, it says so.

A page may look otherwise in the dark, on a small screen, or wherever else one of its conditions holds
(`Styles.looks`). These are tried one at a time, two at a time and all at once: colours for the dark are no harm where
they fit each other. What only a condition hides may have been seen or not. Print does not count; "screen" always holds,
so a rule of it may hide by itself, but not show; and it is tried as a whole.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import cssselect2
import tinycss2
from tinycss2.color4 import parse_color

MOST_RULES = 500
MOST_MEDIA = 8
"""Conditions of a page that are tried."""
LONGEST_SHEET = 100_000
"""In characters, of all style sheets of a page together."""

SMALLEST = 5.0
"""The size of letters, in pixels, below which nobody reads them."""
LEAST_CONTRAST = 1.3
"""Of the text to what is behind it (WCAG 2); light grey on white has 1.35, black on white 21."""
FAR = 150.0
"""In pixels; what is moved so far to a side is outside of the window."""

Declarations = Mapping[str, str]
_Rgb = tuple[float, float, float]

_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
_UNITS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945, "rem": 16.0}
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)\s*([a-z%]*)")
_CLIPS = ("clip", "clip-path", "transform", "scale", "translate", "mask", "mask-image", "-webkit-transform")
"""What may move or cut an element away. Nobody types within one of these."""
_SIDES = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-right", "margin-top")
_READ = frozenset({
    "background", "background-color", "background-image", "color", "content-visibility", "direction", "display",
    "filter", "font", "font-size", "height", "line-height", "max-height", "max-width", "mso-hide", "opacity",
    "overflow", "overflow-x", "overflow-y", "position", "text-decoration", "text-decoration-line", "unicode-bidi",
    "visibility", "white-space", "width", "zoom", "-webkit-text-fill-color", *_CLIPS, *_SIDES,
})  # fmt: skip
_CROSSED = frozenset({"s", "strike", "del"})


@dataclass(frozen=True)
class Look:
    """How the text of an element looks.

    `hidden`: nobody sees it. `may_look_otherwise`: it may look otherwise than it reads: crossed out, mirrored, or in a
    colour
    that cannot be found out. `kept`: its line ends are shown. `size` is in pixels; `behind` is None where that is a
    picture.
    """

    gone: bool = False
    invisible: bool = False
    crossed: bool = False
    mirrored: bool = False
    kept: bool = False
    size: float = 16.0
    colour: _Rgb | None = (0.0, 0.0, 0.0)
    alpha: float = 1.0
    opacity: float = 1.0
    behind: _Rgb | None = (1.0, 1.0, 1.0)

    @property
    def is_hidden(self) -> bool:
        """True if nobody sees the text."""
        if self.gone or self.invisible or self.size < SMALLEST or self.opacity < 0.1:
            return True
        if self.colour is None or self.behind is None:
            return self.alpha < 0.1
        return _contrast(_blend(self.colour, self.behind, self.alpha * self.opacity), self.behind) < LEAST_CONTRAST

    @property
    def may_look_otherwise(self) -> bool:
        """True if the text may look otherwise than it reads."""
        return self.crossed or self.mirrored or self.colour is None or self.behind is None


_DARK = "dark"
"""The condition that the reader likes it dark."""


_SCREEN = "screen"
"""The condition that there is a screen."""


class TooManyRules(ValueError):
    """The page has more style sheets than any mail program writes, or other ones: nested rules."""


class Styles:
    """The style sheets of a page."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._matcher = cssselect2.Matcher()
        self._count = 0
        self._media: list[str] = []
        self._on_screen = False
        if sum(map(len, sheets)) > LONGEST_SHEET:
            raise TooManyRules
        for sheet in sheets:
            self._add_rules(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True))
        self.looks = self._sets_of_conditions()
        """The sets of conditions that may hold together, under which the page may look otherwise."""

    def declarations(self, element: cssselect2.ElementWrapper) -> tuple[dict[str, str], list[dict[str, str]]]:
        """Returns what holds for the element, of the properties that matter here: always, and in each of the looks."""
        matched = [rule for *_, pseudo, rule in (self._matcher.match(element) if self._count else ()) if pseudo is None]
        own = _read_declarations(tinycss2.parse_blocks_contents(element.etree_element.get("style") or ""))
        tagged = dict(_presentational_attributes(element.etree_element))
        base, *others = (
            _cascade(tagged, [declared for under, declared in matched if not under or under in conditions], own)
            for conditions in (frozenset[str](), *self.looks)
        )
        return base, others

    def _sets_of_conditions(self) -> list[frozenset[str]]:
        """Returns each condition, each two and all that may hold together: a colour and what is behind it are two."""
        always = {_SCREEN} if self._on_screen else set()
        light = [one for one in self._media if one != _DARK]
        dark = [one for one in self._media if not _is_never_in_dark_mode(one)] if _DARK in self._media else []
        groups = [always, *({one} for one in self._media), *({*two} for two in combinations(light, 2))]
        groups += [set(light), *({_DARK, one} for one in dark), set(dark)]
        return list(dict.fromkeys(frozenset(group | always) for group in groups if group))

    def _add_rules(self, rules: Sequence[Any], medium: str = "", *, on_screen: bool = False) -> None:
        for rule in rules:
            if rule.type == "at-rule" and rule.content is not None and not _is_for_print(rule):
                inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
                if medium or _is_for_screens(rule):
                    self._add_rules(inner, medium, on_screen=not medium)
                else:
                    self._add_rules(inner, self._add_condition_of_rule(rule))
            elif rule.type == "qualified-rule":
                if any(node.type == "{} block" for node in rule.content):  # nested rules: only some programs know them
                    raise TooManyRules
                declared = _read_declarations(tinycss2.parse_blocks_contents(rule.content))
                if on_screen and declared:
                    self._on_screen = True
                    if look_of_element(Look(), {name: value for name, (value, _) in declared.items()}).is_hidden:
                        self._add_rule(rule.prelude, "", {"display": ("none", True)})
                if declared:
                    self._add_rule(rule.prelude, _SCREEN if on_screen else medium, declared)

    def _add_condition_of_rule(self, rule: Any) -> str:
        """Keeps the condition of the rule, and returns it. Raises TooManyRules."""
        medium = _DARK if _is_for_dark_mode(rule) else f"@{rule.lower_at_keyword} {_text_of_nodes(rule.prelude)}"
        if medium not in self._media:
            self._media.append(medium)
            if len(self._media) > MOST_MEDIA:
                raise TooManyRules
        return medium

    def _add_rule(self, prelude: Any, medium: str, declared: Mapping[str, tuple[str, bool]]) -> None:
        self._count += 1
        if self._count > MOST_RULES:
            raise TooManyRules
        try:
            selectors = cssselect2.compile_selector_list(prelude)
        except cssselect2.SelectorError:
            return
        except (SyntaxError, RecursionError):  # nested too deeply for Python
            raise TooManyRules from None
        for selector in selectors:
            self._matcher.add_selector(selector, (medium, declared))


def look_of_plain_text(conditions: frozenset[str]) -> Look:
    """Returns how text looks where nothing is said of it; in the dark, programs choose the colours by themselves."""
    return Look(colour=None, behind=None) if _DARK in conditions else Look()


def look_of_element(above: Look, declared: Declarations, tag: str = "") -> Look:
    """Returns how an element looks within another one."""
    get = declared.get
    size = _font_size(get("font-size") or get("font", ""), above.size)
    colour, alpha, behind = above.colour, above.alpha, above.behind
    for name in ("background", "background-color"):
        behind = _background_colour(declared[name], behind) if name in declared else behind
    if "url(" in get("background-image", "") or "gradient" in get("background-image", ""):
        behind = None
    for name in ("color", "-webkit-text-fill-color"):
        if name in declared:
            colour, alpha = _colour(declared[name], colour, alpha)
    seen = get("visibility")
    spaces = get("white-space", "")
    return replace(
        above,
        gone=above.gone or _is_out_of_sight(declared, size),
        invisible=above.invisible if seen in (None, "inherit", "unset") else seen in ("hidden", "collapse"),
        crossed=above.crossed or tag in _CROSSED or "line-through" in get("text-decoration", "")
        or "line-through" in get("text-decoration-line", ""),
        mirrored=above.mirrored or tag == "bdo" or "override" in get("unicode-bidi", ""),
        kept=tag == "pre" or (spaces.startswith(("pre", "break")) if spaces else above.kept),
        size=size, colour=colour, alpha=alpha, behind=behind,
        opacity=above.opacity * _number_or_percentage_in(get("opacity", "1")),
    )  # fmt: skip


def _is_out_of_sight(declared: Declarations, size: float) -> bool:
    """True if the element and all within it take no room, or are cut away, or stand outside of the window."""
    get = declared.get
    if get("display") == "none" or get("content-visibility") == "hidden" or get("mso-hide") in ("all", "screen"):
        return True
    if any(get(name, "none") not in ("none", "auto", "inherit", "initial", "unset") for name in _CLIPS):
        return True
    if "opacity" in get("filter", "") or _number_or_percentage_in(get("zoom", "1")) < 0.2:
        return True
    sides = (abs(_length_in_pixels(declared[name], size)) for name in _SIDES if name in declared)
    if any(side >= FAR for side in sides) and ("text-indent" in declared or _may_be_moved_away(declared)):
        return True
    cut = any(get(name, "visible") not in ("visible", "initial") for name in ("overflow", "overflow-x", "overflow-y"))
    flat = ("height", "max-height", "width", "max-width", "line-height")
    return cut and any(name in declared and 0 <= _length_in_pixels(declared[name], size) <= SMALLEST for name in flat)


def _may_be_moved_away(declared: Declarations) -> bool:
    """True if the element is placed apart from the others, or drawn out of the window by its margins."""
    negative = any(declared.get(name, "").startswith("-") for name in _SIDES)
    return declared.get("position", "static") != "static" or negative


def _presentational_attributes(element: Any) -> Iterator[tuple[str, str]]:
    """Yields what older attributes say."""
    if element.get("hidden") is not None:
        yield "display", "none"
    for attribute, name in (("bgcolor", "background-color"), ("color", "color"), ("text", "color")):
        value = element.get(attribute)
        if value:
            yield name, value if parse_color(value) or not re.fullmatch(r"[0-9a-fA-F]{6}", value) else f"#{value}"
    if element.get("background"):
        yield "background-image", "url()"


def _read_declarations(nodes: Sequence[Any]) -> dict[str, tuple[str, bool]]:
    """Returns the properties that matter here, with their values and whether they are important."""
    return {
        node.lower_name: (_text_of_nodes([part for part in node.value if part.type != "comment"]), node.important)
        for node in nodes
        if node.type == "declaration" and node.lower_name in _READ
    }


def _cascade(
    tagged: Declarations, rules: Sequence[Mapping[str, tuple[str, bool]]], own: Mapping[str, tuple[str, bool]]
) -> dict[str, str]:
    """Returns what holds of the older attributes, of the rules, weakest first, and of the style of the element."""
    found, important = dict(tagged), dict[str, str]()
    for declared in rules:
        found |= {name: value for name, (value, _) in declared.items()}
        important |= {name: value for name, (value, strong) in declared.items() if strong}
    found |= {name: value for name, (value, _) in own.items()} | important
    return found | {name: value for name, (value, strong) in own.items() if strong}


def _text_of_nodes(nodes: Sequence[Any]) -> str:
    return str(tinycss2.serialize(nodes)).strip().lower()


def _is_for_print(rule: Any) -> bool:
    prints = (re.fullmatch(r"(only\s+)?print(\s+and\s.*)?", one, re.DOTALL) for one in _media_queries(rule))
    return rule.lower_at_keyword == "media" and all(prints)


def _is_for_screens(rule: Any) -> bool:
    return rule.lower_at_keyword == "media" and bool({"", "screen", "only screen", "all"} & {*_media_queries(rule)})


def _is_for_dark_mode(rule: Any) -> bool:
    dark = (
        re.search(r"prefers-color-scheme\s*:\s*dark", one) and not re.search(r"\b(not|or)\b", one)
        for one in _media_queries(rule)
    )  # fmt: skip
    return rule.lower_at_keyword == "media" and all(dark)


def _is_never_in_dark_mode(medium: str) -> bool:
    """True if each query of the condition is for what is not dark."""
    return all("prefers-color-scheme" in one and re.search(r"\b(not|light)\b", one) for one in medium.split(","))


def _media_queries(rule: Any) -> list[str]:
    return [one.strip() for one in _text_of_nodes(rule.prelude).split(",")]


def _font_size(value: str, above: float) -> float:
    """Returns the size of letters in pixels; `value` may be that of `font`, too."""
    for word in re.sub(r"/.*", "", value).split():
        if word in _SIZES:
            return _SIZES[word]
        found = _LENGTH.fullmatch(word)
        if found and (found[2] or float(found[1]) == 0):
            return _length_in_pixels(word, above, whole=above)
    return above


def _length_in_pixels(value: str, size: float, whole: float = 1_000.0) -> float:
    """Returns a length in pixels; a large one where it has no number."""
    found = _LENGTH.match(value)
    if found is None:
        return 0.0 if value.startswith("-") else 100.0
    number, unit = float(found[1]), found[2]
    if unit in ("em", "ex", "ch", "ic", "lh"):
        return number * size
    if unit in ("%", "vw", "vh", "vmin", "vmax"):
        return number * whole / 100
    return number * _UNITS.get(unit, 1.0 if unit == "" else 16.0)


def _number_or_percentage_in(value: str) -> float:
    found = _LENGTH.match(value)
    return 1.0 if found is None else float(found[1]) / (100 if found[2] == "%" else 1)


def _colour(value: str, above: _Rgb | None, alpha: float) -> tuple[_Rgb | None, float]:
    found = _rgb_and_alpha(value)
    if found is not None:
        return found
    # A function that only a browser can work out; else a colour of the system or from above, or a mistake.
    return (None, 1.0) if "(" in value else (above, alpha)


def _background_colour(value: str, above: _Rgb | None) -> _Rgb | None:
    if "url(" in value or "gradient" in value:
        return None
    for node in tinycss2.parse_component_value_list(value, skip_comments=True):
        found = _rgb_and_alpha(tinycss2.serialize([node]))
        if found is not None:
            colour, alpha = found
            return _blend(colour, above, alpha) if above is not None else colour if alpha == 1 else None
    return None if "(" in value else above


def _rgb_and_alpha(value: str) -> tuple[_Rgb, float] | None:
    """Returns the colour and how opaque it is; None if that cannot be found out."""
    try:
        found = parse_color(value)
        red, green, blue = (min(1.0, max(0.0, one or 0.0)) for one in found.to("srgb").coordinates)
    except (AttributeError, NotImplementedError, ValueError):
        return None
    return (red, green, blue), float(found.alpha)


def _blend(colour: _Rgb, behind: _Rgb, alpha: float) -> _Rgb:
    red, green, blue = (alpha * one + (1 - alpha) * other for one, other in zip(colour, behind, strict=True))
    return red, green, blue


def _contrast(one: _Rgb, other: _Rgb) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: _Rgb) -> float:
    """Returns how light a colour is (WCAG 2, relative luminance)."""
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
