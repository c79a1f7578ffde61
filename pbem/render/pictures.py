"""Turns a game's board into SVG for a page, and into a picture for a mail: fills in names and symbols.

A game draws its board with symbols by name and nothing but classes. On a page look.css colours it; in a picture
the same classes get the light values of the same file, because the renderer does not know `var()`. A picture that
somebody wants in dark colours gets those of dark.css. `pbem.render.raster` turns the document into pixels.
"""

import base64
import re
import traceback
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from markupsafe import Markup, escape

from pbem.games import found_games, read_text_file_of_game
from pbem.kit.contract import AnyGame
from pbem.kit.drawing.svg import find_uses, number, symbol, symbols_in
from pbem.kit.laws.offered import PARTS
from pbem.kit.texts import LANGS, Lang
from pbem.render.phrases import elide_before_name, isolate_direction

Theme = Literal["light", "dark"]
"""The colours of a picture."""

_PLACE = re.compile(r"(\d{1,2})(?::(\d{1,3}))?")
_NIGHT = "night-svg"
"""The class of a board that is a night scene by day, too."""

# The width of a letter in Literata, relative to an ordinary small letter.
_WIDTHS = (("W", 1.9), ("mwM@%œŒæÆ…", 1.6), ("iljtfI.,:;!|'’()-", 0.65), (" \u00a0", 0.35))


def svg_with_names(svg: str, names: Sequence[str]) -> Markup:
    """Returns the drawn board with names for ``{0}``; ``{0:9}`` has room for nine letters.

    Raises ValueError for any other brace: text that a game inserts from outside must not contain one.
    """

    before, *rest = svg.split("{")  # several times as fast as a search for the places
    if "}" in before:
        raise ValueError("'}' is no seat, in a drawn board")
    parts: list[str] = []
    for one in rest:
        place, closing, after = one.partition("}")
        found = _PLACE.fullmatch(place)
        if found is None or not closing or "}" in after or int(found[1]) >= len(names):
            raise ValueError(f"{'{' + place + closing!r} is no seat of {len(names)}, in a drawn board")
        name = drop_invalid_xml(names[int(found[1])])
        shown = shorten_name(name, int(found[2])) if found[2] else name
        # At the beginning of a text, no word of it stands before the name.
        parts += (
            before if before.endswith(">") else elide_before_name(before, name),
            str(escape(isolate_direction(shown))),
        )
        before = after
    return Markup("".join((*parts, before)))  # noqa: S704  # a game's own drawing; the names are escaped


def symbol_definitions(game: AnyGame | None, *markups: str, others: Sequence[AnyGame] = ()) -> Markup:
    """Returns a hidden drawing that defines just the symbols used in the markups; None: common symbols alone.

    `others` are other games whose boards stand beside it. Raises ValueError for a symbol that is neither one of these
    games' nor a common one.
    """
    defined = definitions_of_used_symbols(game, markups, others)
    return Markup(f'<svg class="defs" aria-hidden="true">{defined}</svg>')  # noqa: S704  # our own files


@cache
def cover_svg(game: AnyGame, lang: Lang) -> Markup:
    """Returns the cover of a game, 400 x 300 units; that of a game without one is its title.

    It is a symbol named by the game, so a page defines it once (see `symbol_definitions`), however often it shows it.
    """
    slug = game.meta.slug
    drawn = _symbols_by_name(slug).get(cover_symbol_name(slug))
    if drawn is not None:
        inside = symbol(cover_symbol_name(slug), 0, 0, 400, 300, _NIGHT if _NIGHT in drawn.split(">", 1)[0] else "")
    else:
        title = escape(shorten_name(game.meta.title[lang], 20))
        inside = (
            '<rect class="sk" width="400" height="300"/><circle class="se" cx="200" cy="112" r="64"/>'
            f'<text class="in b m" x="200" y="236" font-size="28">{title}</text>'
        )
    return Markup(  # noqa: S704  # a game's own drawing
        f'<svg class="cover" viewBox="0 0 400 300" preserveAspectRatio="xMidYMid slice" font-family="Literata" '
        f'aria-hidden="true">{inside}</svg>'
    )


def middle_of_own_cover(game: AnyGame) -> str | None:
    """Returns the middle of the game's own cover, twice as wide as high and without words; None if it has none."""
    if cover_symbol_name(game.meta.slug) not in _symbols_by_name(game.meta.slug):
        return None
    return str(cover_svg(game, LANGS[0])).replace('viewBox="0 0 400 300"', 'viewBox="0 50 400 200"', 1)


def cover_symbol_name(slug: str) -> str:
    """Returns the name of the symbol that is the cover of this game."""
    return f"cover-{slug}"


def board_png(game: AnyGame, svg: str, names: Sequence[str], width: int, *, clear: bool = False) -> bytes:
    """Returns the drawn board as a PNG in light colours, `width` pixels wide; `clear`: with nothing behind it."""
    return document_png(board_document(game, svg, names), width, clear=clear)


def board_document(game: AnyGame, svg: str, names: Sequence[str], theme: Theme = "light") -> str:
    """Returns the drawn board as a whole SVG document, as the renderer takes it."""
    head, rest = str(svg_with_names(svg, names)).split(">", 1)
    styles = literal_styles(theme, night=_NIGHT in svg)
    if "xmlns=" not in head:
        head += ' xmlns="http://www.w3.org/2000/svg"'
    return f"{head}><style>{styles}</style><defs>{definitions_of_used_symbols(game, (svg,))}</defs>{rest}"


def embed_document(svg: str, x: float, y: float, width: float, height: float, ratio: str) -> str:
    """Returns a whole SVG document as a picture at this place of another one; it keeps its own colours and symbols."""
    data = base64.b64encode(svg.encode()).decode()
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<image {at} preserveAspectRatio="{ratio}" href="data:image/svg+xml;base64,{data}"/>'


def document_png(svg: str, width: int, *, clear: bool = False) -> bytes:
    """Returns a whole SVG document, with its own colours, as a PNG; `clear`: with nothing behind it.

    Raises ValueError for anything that the renderer does not know, ImportError if there is no renderer.
    """
    from pbem.render.raster import encode  # 45 MB, for processes that draw

    return encode.render_png(svg, width, clear=clear)


def error_kind_and_place(error: BaseException) -> str:
    """Returns why something could not be drawn, for a log: the kind of error and where it was raised.

    The message is left out: it may quote the board, with names and hands.
    """
    raised = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    return " at ".join((type(error).__name__, *raised[-1:]))


@lru_cache(4096)
def shorten_name(name: str, room: int) -> str:
    """Returns the name, cut with an ellipsis if it is wider than `room` ordinary letters.

    >>> shorten_name("Alice", 9), shorten_name("Alice-Bob-Carol", 9)
    ('Alice', 'Alice-B…')
    """
    if width_in_letters(name) <= room:
        return name
    taken, kept = _relative_letter_width("…"), ""
    for letter in name:
        taken += _relative_letter_width(letter)
        if taken > room:
            break
        kept += letter
    return kept.rstrip(" -\u200d") + "…"


def width_in_letters(text: str) -> float:
    """Returns about how wide the text is, in ordinary letters.

    >>> width_in_letters("nul"), width_in_letters("Ami")
    (2.65, 3.5)
    """
    return sum(map(_relative_letter_width, text))


def _relative_letter_width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    for letters, width in _WIDTHS:
        if letter in letters:
            return width
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.65
    return 1.25 if letter.isupper() else 1.0


def wrap_text(text: str, room: float, most: int) -> list[str]:
    """Returns the text in at most this many lines, each at most `room` ordinary letters wide; what is left is cut off.

    >>> wrap_text("The Ponds of Niigata", 14, 2), wrap_text("The Ponds of Niigata", 9, 1)
    (['The Ponds of', 'Niigata'], ['The Pon…'])
    """
    lines: list[str] = []
    words = drop_invalid_xml(text).split(" ")
    for n, word in enumerate(words):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_in_letters(longer) <= room:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = shorten_name(" ".join([lines[-1], *words[n:]]), int(room))
            break
        elif word:
            lines.append(shorten_name(word, int(room)))
    return lines


@lru_cache(4096)
def drop_invalid_xml(name: str) -> str:
    """Returns the name without the characters that XML forbids: one of them would break the whole picture."""
    composed = unicodedata.normalize("NFC", name)
    return "".join(c for c in composed if unicodedata.category(c) not in ("Cc", "Cs", "Cn"))


# --- read from files, once ------------------------------------------------------------------------


@cache
def _symbols_by_name(slug: str | None) -> dict[str, str]:
    """Returns the symbols of a game by name, or the common ones, in the order of their file."""
    own = files("pbem") / "render" / PARTS
    found = symbols_in(own.read_text(encoding="utf-8") if slug is None else read_text_file_of_game(slug, PARTS))
    if slug is not None and (cover := found_games()[slug].cover) is not None:
        head, inside = cover.rsplit("</svg>", 1)[0].split(">", 1)
        name, night = cover_symbol_name(slug), f' class="{_NIGHT}"' if _NIGHT in head else ""
        found[name] = f'<symbol id="{name}"{night} viewBox="0 0 400 300">{inside}</symbol>'
    return found


def definitions_of_used_symbols(game: AnyGame | None, markups: Sequence[str], others: Sequence[AnyGame] = ()) -> str:
    """Returns the symbols that the markups use, and those that these use in turn."""
    known = dict(_symbols_by_name(None))
    for one in (*others, *([game] if game else [])):
        known |= _symbols_by_name(one.meta.slug)
    wanted = find_uses(markups, known)
    return "\n".join(symbol for name, symbol in known.items() if name in wanted)


@cache
def literal_styles(theme: Theme = "light", *, night: bool = False) -> str:
    """Returns the drawing classes of look.css with literal values in place of `var()`; `night`: on a night board."""
    drawing = _style_sheet("look.css").split("/* drawing classes", 1)[1].split("*/", 1)[1].split("/* page */", 1)[0]
    values = _style_variables(theme, night=night)
    return re.sub(r"var\((--[\w-]+)\)", lambda found: values[found[1]], drawing)


def colour_in_light_theme(name: str) -> str:
    """Returns the light value of a mark's colour, c1..c6, as #rrggbb: white letters on it can be read."""
    return _style_variables("light", night=False)[f"--s{name.removeprefix('c')}"]


@cache
def _style_variables(theme: Theme, *, night: bool) -> dict[str, str]:
    """Returns the variables of the style sheets with their values, as the page's last matching rule gives them."""
    sheets = [_style_sheet("look.css"), *([_style_sheet("dark.css")] if theme == "dark" else [])]
    rules = [":root", f".{_NIGHT}"] if night else [":root"]
    values: dict[str, str] = {}
    for rule in rules:
        for sheet in sheets:
            block = sheet.split(f"{rule} {{", 1)[1].split("}", 1)[0]
            values |= dict(re.findall(r"(--[\w-]+):\s*([^;]+);", block))
    return values


def _style_sheet(name: str) -> str:
    return (files("pbem") / "web" / "static" / "styles" / name).read_text(encoding="utf-8")
