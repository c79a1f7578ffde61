"""Boards with names and symbols inserted, and the pictures made of them."""

import json
import re
import signal
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from xml.etree import ElementTree

import pytest
import resvg_py

from pbem.games import all_games, find_game
from pbem.games.hogen import GAME
from pbem.kit.contract import Scene
from pbem.kit.play import Table
from pbem.render import pictures, render_pool
from tests.harness.waiting import SECONDS

NAMES = ["Alice", "Bob"]
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
BOARD = (
    '<svg viewBox="0 0 200 100" aria-label="{0}" font-family="Literata">'
    '<text class="in b" y="60" font-size="40">%s</text></svg>'
)


def board(words: str = "{0}") -> str:
    return BOARD % words


def pixels(data: bytes) -> tuple[int, int, bytes]:
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


def shades(data: bytes) -> list[bytes]:
    """Returns the lines of a PNG with four channels of eight bits, as the visible values."""
    width, height, raw = pixels(data)
    wide, lines = 4 * width, [bytes(4 * width)]
    for y in range(height):
        kind, line, above = raw[y * (wide + 1)], bytearray(raw[y * (wide + 1) + 1 : (y + 1) * (wide + 1)]), lines[-1]
        for x in range(wide):
            left, corner = (line[x - 4], above[x - 4]) if x >= 4 else (0, 0)
            line[x] = (line[x] + _predicted(kind, left, above[x], corner)) % 256
        lines.append(bytes(line))
    return lines[1:]


def _predicted(kind: int, left: int, above: int, corner: int) -> int:
    """Returns what PNG's filter of this kind takes from the neighbours (RFC 2083, 6)."""
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    return min((left, above, corner), key=lambda one: abs(left + above - corner - one))


# --- names ----------------------------------------------------------------------------------------


def test_names_are_put_into_a_board() -> None:
    drawn = ElementTree.fromstring(pictures.page_svg(board("{1} {0:9}"), NAMES))
    assert drawn.attrib["aria-label"] == "Alice"
    assert "".join(drawn.itertext()) == "Bob Alice"


@pytest.mark.parametrize("name", ["{1}", '"><script>', "a & b", "{0}", "it's", "\x00\x1bzero\ufffe"])
def test_a_hostile_name_stays_a_name(name: str) -> None:
    drawn = ElementTree.fromstring(pictures.page_svg(board("{0}|{1}"), [name, "Bob"]))
    seen = re.sub("[\x00-\x1f\ufffe]", "", name)
    assert drawn.attrib["aria-label"] == seen
    assert "".join(drawn.itertext()) == f"{seen}|Bob"


def test_a_long_name_is_shortened_to_its_room_and_stays_whole_in_the_label() -> None:
    name = "Alice-Bob-Carol the daughter of Dave"
    drawn = ElementTree.fromstring(pictures.page_svg(board("{0:9}"), [name]))
    short = "".join(drawn.itertext())
    assert short.endswith("…")
    assert name.startswith(short[:-1])
    assert 5 <= len(short) <= 9
    assert drawn.attrib["aria-label"] == name


def test_wide_letters_leave_room_for_fewer() -> None:
    assert len(pictures.shorten("W" * 30, 9)) < len(pictures.shorten("i" * 30, 9))
    assert len(pictures.shorten("山" * 30, 9)) <= 6


def test_no_name_is_shortened_that_fits() -> None:
    assert pictures.shorten("Alexandra", 9) == "Alexandra"


@pytest.mark.parametrize("words", ["{2}", "{x}", "{", "}", "{0:}", "{i0}", "{0", "{F1}"])
def test_a_brace_that_is_no_seat_is_an_error(words: str) -> None:
    with pytest.raises(ValueError, match="no seat"):
        pictures.page_svg(board(words), NAMES)


# --- symbols --------------------------------------------------------------------------------------


def names_in(markup: str) -> set[str]:
    return {symbol.attrib["id"] for symbol in ElementTree.fromstring(markup)}


def test_just_the_symbols_in_use_are_defined_each_once() -> None:
    used = '<use href="#mon-f"/><use class="c1" href="#seal"/><use href="#seal" x="3"/>'
    assert names_in(pictures.symbols(GAME, used, '<use href="#mon-f"/>')) == {"mon-f", "seal"}


def test_a_page_without_a_game_has_the_common_symbols() -> None:
    assert names_in(pictures.symbols(None, '<use href="#brand"/>')) == {"brand"}


def test_an_unknown_symbol_is_an_error() -> None:
    with pytest.raises(ValueError, match="mon-f"):
        pictures.symbols(None, '<use href="#mon-f"/>')


@pytest.mark.parametrize("path", ["render/parts.svg", "games/hogen/parts.svg"])
def test_parts_are_well_formed_and_coloured_by_known_classes_alone(path: str) -> None:
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


def test_a_picture_has_the_width_asked_for_and_the_height_of_the_board() -> None:
    width, height, _ = pixels(pictures.png(GAME, board(), NAMES, width=400))
    assert (width, height) == (400, 200)


@pytest.mark.parametrize("letter", ["A", "é", "Ç", "œ", "…", "7"])
def test_text_is_really_drawn(letter: str) -> None:
    drawn = pixels(pictures.png(GAME, board("{0}"), [letter], width=200))
    assert drawn != pixels(pictures.png(GAME, board(""), [letter], width=200))


def test_an_accent_is_really_drawn() -> None:
    accented = pixels(pictures.png(GAME, board("é"), NAMES, width=200))
    assert accented != pixels(pictures.png(GAME, board("e"), NAMES, width=200))


def test_bold_has_its_own_letters() -> None:
    bold = pictures.png(GAME, board("Alice"), NAMES, width=200)
    assert bold != pictures.png(GAME, board("Alice").replace('"in b"', '"in"'), NAMES, width=200)


def test_a_symbol_takes_the_colour_of_its_use() -> None:
    def mon(colour: str) -> bytes:
        used = f'<svg viewBox="0 0 64 64"><use href="#mon-f" width="64" height="64" class="{colour}"/></svg>'
        return pictures.png(GAME, used, NAMES, width=64)

    empty = pictures.png(GAME, '<svg viewBox="0 0 64 64"></svg>', NAMES, width=64)
    assert len({mon("c1"), mon("c5"), empty}) == 3


# --- in a process of their own --------------------------------------------------------------------


@pytest.fixture
def drawer() -> Iterator[render_pool.Renderer]:
    one = render_pool.Renderer()
    yield one
    one.close()


def test_a_picture_drawn_elsewhere_is_the_same_picture() -> None:
    here, there = pictures.png(GAME, board(), NAMES, width=300), []

    def lane() -> None:
        pictures.draw_elsewhere()
        there.append(pictures.png(GAME, board(), NAMES, width=300))

    lanes = [threading.Thread(target=lane) for _ in range(3)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join(SECONDS)
    assert there == [here] * 3
    assert not hasattr(pictures.thread_settings, "elsewhere"), "only those threads asked for it"


def test_what_cannot_be_drawn_elsewhere_is_refused_as_here(drawer: render_pool.Renderer) -> None:
    for draw in (drawer.draw, resvg_py.svg_to_bytes):
        with pytest.raises(ValueError, match="root node"):
            draw(svg_string="<svg", width=10)
    assert drawer.draw(svg_string=SQUARE, width=10).startswith(b"\x89PNG")


def test_a_renderer_that_dies_costs_one_picture(drawer: render_pool.Renderer) -> None:
    first = drawer.draw(svg_string=SQUARE, width=10)
    assert drawer.process is not None
    drawer.process.kill()
    with suppress(EOFError):  # its death may be noticed before the picture is sent to it
        drawer.draw(svg_string=SQUARE, width=10)
    assert drawer.draw(svg_string=SQUARE, width=10) == first


@pytest.mark.parametrize("trouble", [MemoryError, KeyboardInterrupt])
def test_a_picture_that_was_interrupted_is_nobody_elses(
    drawer: render_pool.Renderer, monkeypatch: pytest.MonkeyPatch, trouble: type[BaseException]
) -> None:
    first = drawer.draw(svg_string=SQUARE, width=10)

    def interrupted(_pipe: object) -> bytes:
        raise trouble

    with monkeypatch.context() as patched:
        patched.setattr(render_pool, "take", interrupted)
        with pytest.raises(trouble):
            drawer.draw(svg_string=SQUARE, width=20)
    assert drawer.draw(svg_string=SQUARE, width=10) == first


def test_a_renderer_that_hangs_costs_one_picture(drawer: render_pool.Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawer.draw(svg_string=SQUARE, width=10)
    assert drawer.process is not None
    drawer.process.send_signal(signal.SIGSTOP)
    with monkeypatch.context() as patched:
        patched.setattr(render_pool, "LIMIT_S", 0.2)
        with pytest.raises(EOFError):
            drawer.draw(svg_string=SQUARE, width=10)
    assert drawer.draw(svg_string=SQUARE, width=10) == first


def test_a_renderer_ends_with_its_worker(drawer: render_pool.Renderer) -> None:
    drawer.draw(svg_string=SQUARE, width=10)
    process = drawer.process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()  # as it happens when the worker is gone, for any reason
    assert process.wait(SECONDS) == 0


def test_a_renderer_whose_worker_dies_while_it_draws_ends_without_a_word() -> None:
    argv, size = [sys.executable, "-m", render_pool.__name__], 4
    request = json.dumps({"svg_string": SQUARE, "width": 900}).encode()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(len(request).to_bytes(size, "big") + request)
        process.stdin.flush()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize("slug", sorted(all_games()))
def test_the_sky_of_a_picture_is_as_a_page_shows_it(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game(slug)
    assert game is not None
    table = Table(game, game.meta.seats[0], game.meta.options(), bytes(32))
    svg = game.draw(table.state, 0, "fr", Scene())
    strips = shades(pictures.png(game, svg, ["Alice", "Bob", "Carol", "Dave"][: table.seats], 120))
    monkeypatch.setattr(pictures, "sky_in_strips", lambda found: found[0])
    gradient = shades(pictures.png(game, svg, ["Alice", "Bob", "Carol", "Dave"][: table.seats], 120))
    assert strips != gradient, "the drawing has a sky, and it is drawn another way"
    assert set(strips[-1][3::4]) == {255}, "the last line has its colour"
    apart = [abs(a - b) for one, other in zip(strips, gradient, strict=True) for a, b in zip(one, other, strict=True)]
    assert sum(apart) / len(apart) < 0.5, "no shade is seen to differ"
    assert max(apart) < 16, "but at most where the sky begins between two lines of pixels, in so small a picture"


@pytest.mark.parametrize("box", ['width="384"', 'width="384" height="20"', 'height="120"', ""])
def test_a_sky_of_another_kind_stays_a_gradient(box: str) -> None:
    sky = f'<rect fill="url(#bokashi)"{" " + box if box else ""}/>'
    assert pictures.SKY_RECT.sub(pictures.sky_in_strips, sky) == sky
