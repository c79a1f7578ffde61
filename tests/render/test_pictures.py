"""Boards with names and symbols inserted, and the pictures made of them."""

import re
import struct
import zlib
from importlib.resources import files
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games import Found
from pbem.games.hogen import GAME
from pbem.kit.texts import Text
from pbem.render import pictures
from tests.harness.cases import cases

NAMES = ["Alice", "Bob"]
BOARD = (
    '<svg viewBox="0 0 200 100" aria-label="{0}" font-family="Literata">'
    '<text class="in b" y="60" font-size="40">%s</text></svg>'
)


def board_with_words(words: str = "{0}") -> str:
    return BOARD % words


def pixels_of_png(data: bytes) -> tuple[int, int, bytes]:
    """Returns width, height and the raw lines of a PNG."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    return width, height, zlib.decompress(packed)


# --- names ----------------------------------------------------------------------------------------


def test_placeholders_of_a_board_are_replaced_by_names() -> None:
    drawn = ElementTree.fromstring(pictures.svg_with_names(board_with_words("{1} {0:9}"), NAMES))
    assert drawn.attrib["aria-label"] == "Alice"
    assert "".join(drawn.itertext()) == "Bob Alice"


@cases("name", ["{1}", '"><script>', "a & b", "{0}", "it's", "\x00\x1bzero\ufffe"])
def test_a_name_with_markup_is_escaped_in_a_board(name: str) -> None:
    drawn = ElementTree.fromstring(pictures.svg_with_names(board_with_words("{0}|{1}"), [name, "Bob"]))
    seen = re.sub("[\x00-\x1f\ufffe]", "", name)
    assert drawn.attrib["aria-label"] == seen
    assert "".join(drawn.itertext()) == f"{seen}|Bob"


def test_a_long_name_is_shortened_to_its_room_and_stays_whole_in_the_label() -> None:
    name = "Alice-Bob-Carol the daughter of Dave"
    drawn = ElementTree.fromstring(pictures.svg_with_names(board_with_words("{0:9}"), [name]))
    short = "".join(drawn.itertext())
    assert short.endswith("…")
    assert name.startswith(short[:-1])
    assert 5 <= len(short) <= 9
    assert drawn.attrib["aria-label"] == name


def test_names_of_wide_letters_are_shortened_to_fewer_letters() -> None:
    assert len(pictures.shorten_name("W" * 30, 9)) < len(pictures.shorten_name("i" * 30, 9))
    assert len(pictures.shorten_name("山" * 30, 9)) <= 6


def test_a_name_that_fits_is_not_shortened() -> None:
    assert pictures.shorten_name("Alexandra", 9) == "Alexandra"


@cases("words", ["{2}", "{x}", "{", "}", "{0:}", "{i0}", "{0", "{F1}"])
def test_a_brace_that_is_no_seat_is_an_error(words: str) -> None:
    with pytest.raises(ValueError, match="no seat"):
        pictures.svg_with_names(board_with_words(words), NAMES)


# --- symbols --------------------------------------------------------------------------------------


def names_in(markup: str) -> set[str]:
    return {symbol.attrib["id"] for symbol in ElementTree.fromstring(markup)}


def test_just_the_symbols_in_use_are_defined_each_once() -> None:
    used = '<use href="#mon-f"/><use class="c1" href="#seal"/><use href="#seal" x="3"/>'
    assert names_in(pictures.symbol_definitions(GAME, used, '<use href="#mon-f"/>')) == {"mon-f", "seal"}


def test_a_page_without_a_game_has_the_common_symbols() -> None:
    assert names_in(pictures.symbol_definitions(None, '<use href="#brand"/>')) == {"brand"}


def test_an_unknown_symbol_is_an_error() -> None:
    with pytest.raises(ValueError, match="mon-f"):
        pictures.symbol_definitions(None, '<use href="#mon-f"/>')


@cases("path", ["render/parts.svg", "games/hogen/parts.svg"])
def test_svg_symbol_files_are_well_formed_and_use_only_known_classes(path: str) -> None:
    text = files("pbem").joinpath(path).read_text(encoding="utf-8")
    known = set(re.findall(r"\.([\w-]+)", pictures.literal_styles()))
    for element in ElementTree.fromstring(text).iter():
        assert "style" not in element.attrib
        assert set(element.attrib.get("class", "").split()) <= known


# --- pictures -------------------------------------------------------------------------------------


def test_the_styles_of_a_picture_are_the_light_values_of_the_page() -> None:
    styles = pictures.literal_styles()
    assert "var(" not in styles
    assert ".in { fill: #211c17; }" in styles
    assert ".c4 { color: #8d5200; }" in styles


@pytest.mark.long
def test_a_picture_has_the_width_asked_for_and_the_height_of_the_board() -> None:
    width, height, _ = pixels_of_png(pictures.board_png(GAME, board_with_words(), NAMES, width=400))
    assert (width, height) == (400, 200)


@cases("letter", ["A", "é", "Ç", "œ", "…", "7"])
def test_text_of_a_board_is_drawn_in_the_png(letter: str) -> None:
    drawn = pixels_of_png(pictures.board_png(GAME, board_with_words("{0}"), [letter], width=200))
    assert drawn != pixels_of_png(pictures.board_png(GAME, board_with_words(""), [letter], width=200))


def test_accents_are_drawn_in_the_png() -> None:
    accented = pixels_of_png(pictures.board_png(GAME, board_with_words("é"), NAMES, width=200))
    assert accented != pixels_of_png(pictures.board_png(GAME, board_with_words("e"), NAMES, width=200))


def test_bold_text_on_a_board_is_drawn_in_a_bold_font() -> None:
    bold = pictures.board_png(GAME, board_with_words("Alice"), NAMES, width=200)
    assert bold != pictures.board_png(GAME, board_with_words("Alice").replace('"in b"', '"in"'), NAMES, width=200)


def test_a_symbol_is_drawn_in_the_colour_of_its_use_element() -> None:
    def mon(colour: str) -> bytes:
        used = f'<svg viewBox="0 0 64 64"><use href="#mon-f" width="64" height="64" class="{colour}"/></svg>'
        return pictures.board_png(GAME, used, NAMES, width=64)

    empty = pictures.board_png(GAME, '<svg viewBox="0 0 64 64"></svg>', NAMES, width=64)
    assert len({mon("c1"), mon("c5"), empty}) == 3


@cases("title", ["Hexen Rennen der Nacht", "o" * 30, "M" * 30, "The Whole Long Night of the Crows"])
def test_the_title_of_a_game_without_a_cover_fits_on_it(monkeypatch: pytest.MonkeyPatch, title: str) -> None:
    monkeypatch.setattr(pictures, "read_text_file_of_game", lambda _slug, _name: "")
    monkeypatch.setattr(pictures, "found_games", lambda: {"bare": Found(GAME, "", "")})
    game = Mock(meta=replace(GAME.meta, slug="bare", title=Text(title, title)))
    drawn = str(pictures.cover_svg(game, "en"))
    edges = '<rect class="sk" width="14" height="300"/><rect class="sk" x="386" width="14" height="300"/></svg>'
    whole, inner = (pictures.board_png(game, each, (), 400) for each in (drawn, drawn.replace("</svg>", edges)))
    assert whole == inner
    assert whole != pictures.board_png(game, drawn.replace(title[:3], ""), (), 400)
